"""Which releases a user asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from annotator.model.failures import UserMistake
from annotator.upstream.release_choice import ReleaseChoice, choose, parse_releases

OFFERED = [
    Version(text)
    for text in ("0.9.0", "0.10.0rc1", "0.10.0", "0.10.1.dev2", "0.10.1", "0.10.1.post1", "0.11.0")
]
YANKED = [Version("0.10.1")]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("0.10.0", "0.10.0"),
        ("v0.10.0", "0.10.0"),
        ("0.11.0,0.9.0", "0.9.0 0.11.0"),
        (" 0.11.0 , 0.9.0 ", "0.9.0 0.11.0"),
        ("0.9.0,0.9.0", "0.9.0"),
        ("0.9.0..0.11.0", "0.9.0 0.10.0 0.10.1.post1 0.11.0"),
        ("0.9.0..v0.10.0", "0.9.0 0.10.0"),
        ("0.9.1..0.10.5", "0.10.0 0.10.1.post1"),
        ("0.10.1", "0.10.1"),
        ("0.9.0..0.10.0,0.10.1", "0.9.0 0.10.0 0.10.1"),
        ("0.10.0rc1", "0.10.0rc1"),
        ("0.11.0..0.11.0", "0.11.0"),
    ],
)
def test_lists_and_ranges(text: str, chosen: str) -> None:
    """Ranges hold final releases that are not yanked; what is named is taken as it is."""
    found = choose(parse_releases(text), OFFERED, YANKED, "x")
    assert " ".join(map(str, found)) == chosen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no version"),
        ("0.9.0,", "no version"),
        ("latest", "no version"),
        ("0.9.0..", "no version"),
        ("..0.9.0", "no version"),
        ("0.9.0...0.11.0", "no version"),
        ("0.11.0..0.9.0", "ends before"),
        ("0.12.0", "no source release 0.12.0"),
        ("0.12.0..0.13.0", "no final source release"),
        ("0.10.1..0.10.1", "no final source release"),
    ],
)
def test_mistakes_say_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        choose(parse_releases(text), OFFERED, YANKED, "x")
    assert caught.value.hint


def test_a_missing_version_names_its_neighbours() -> None:
    with pytest.raises(UserMistake) as caught:
        choose(parse_releases("0.10.2"), OFFERED, YANKED, "x")
    assert caught.value.hint == "there are 0.10.1, 0.10.1.post1, 0.11.0"


@given(st.text(alphabet="0123456789.,v rc", max_size=30))
def test_any_text_is_read_or_a_mistake(text: str) -> None:
    try:
        choice = parse_releases(text)
    except UserMistake:
        return
    assert isinstance(choice, ReleaseChoice)
    assert all(start <= end for start, end in choice.ranges)
    assert len(choice.exact) + len(choice.ranges) == text.count(",") + 1
