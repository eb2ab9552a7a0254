"""Which refs may be asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.failures import UserMistake
from annotator.upstream.refs import check_ref, close_names, spellings


@pytest.mark.parametrize(
    "ref",
    [
        "HEAD",
        "HEAD~5",
        "v0.25.0",
        "0.25.0",
        "main",
        "release/1.x",
        "f3871c3",
        "a" * 40,
        "v1^2",
        "@",
    ],
)
def test_usual_refs_pass(ref: str) -> None:
    assert check_ref(ref) == ref


@pytest.mark.parametrize(
    "ref",
    [
        pytest.param("", id="empty"),
        pytest.param(" main", id="space"),
        pytest.param("--output=x", id="option"),
        pytest.param("-n1", id="short option"),
        pytest.param("^main", id="negation"),
        pytest.param("a..b", id="range"),
        pytest.param("a...b", id="symmetric range"),
        pytest.param("main:setup.py", id="path in a tree"),
        pytest.param(":/fix", id="search"),
        pytest.param("a\0b", id="NUL"),
        pytest.param("a\nb", id="newline"),
        pytest.param("a\x7fb", id="delete"),
        pytest.param("x" * 251, id="overlong"),
    ],
)
def test_what_is_no_single_commit_is_refused(ref: str) -> None:
    with pytest.raises(UserMistake):
        check_ref(ref)


@given(st.text(max_size=300))
def test_a_ref_that_passes_cannot_be_taken_for_something_else(text: str) -> None:
    try:
        ref = check_ref(text)
    except UserMistake:
        return
    assert ref
    assert ref[0] not in "-^"
    assert not set(ref) & set("\0\n\r:")
    assert ".." not in ref


@pytest.mark.parametrize(
    ("ref", "tried"),
    [
        ("0.25.0", ("0.25.0", "v0.25.0")),
        ("v0.25.0", ("v0.25.0", "0.25.0")),
        ("1.0rc1", ("1.0rc1", "v1.0rc1")),
        ("main", ("main",)),
        ("1234567", ("1234567",)),
        ("vendor.x", ("vendor.x",)),
    ],
)
def test_versions_are_tried_with_and_without_v(ref: str, tried: tuple[str, ...]) -> None:
    assert spellings(ref) == tried


def test_at_most_three_close_names_the_closest_first() -> None:
    names = ["v0.31.0", "v0.31.1", "v0.32.0", "v0.33.0", "release", "main"]
    close = close_names("v0.31.2", names)
    assert len(close) == 3
    assert set(close[:2]) == {"v0.31.0", "v0.31.1"}
    assert close_names("zzz", names) == []
