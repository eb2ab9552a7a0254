"""YAML that we write: read back by our own reader, it says what was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.failures import UserMistake
from annotator.store.yaml_source import parse_yaml
from annotator.store.yaml_writer import yaml_text

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp")),
    max_size=30,
)
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        TEXTS | st.integers(-99, 99) | st.booleans() | st.from_regex(r"\A[ab]+(\n[ab ]*)*\Z"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@given(DATA)
def test_what_is_written_is_read_back_or_refused(data):
    try:
        text = yaml_text(data)
    except UserMistake:
        return
    assert parse_yaml(text, "f").data == (data or None)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain-word", "k: plain-word\n"),
        ("true", 'k: "true"\n'),
        ("1.5", 'k: "1.5"\n'),
        ("?", 'k: "?"\n'),
        ('{"a": 1}', "k: '{\"a\": 1}'\n"),
        ("two\nlines", "k: |-\n  two\n  lines\n"),
        ("two\n indented", "k: |-\n  two\n   indented\n"),
        (7, "k: 7\n"),
        ((), "k: []\n"),
        (("a", "b"), "k:\n  - a\n  - b\n"),
        (({"x": 1, "y": 2},), "k:\n  - x: 1\n    y: 2\n"),
    ],
)
def test_how_values_look(value, written):
    assert yaml_text({"k": value}) == written


def test_comments_stand_above_sections_and_beside_values():
    data = {"a": 1, "b": {"c": "x", "d": "two\nlines"}}
    above = {("b",): "the section"}
    beside = {("b", "c"): "found\nhere", ("b", "d"): "there"}
    assert yaml_text(data, above=above, beside=beside) == (
        "a: 1\n\n# the section\nb:\n  c: x  # found here\n  d: |-  # there\n    two\n    lines\n"
    )


@pytest.mark.parametrize("text", ["\x1b[2J", "a\x00", "\u202e"])
def test_what_yaml_cannot_hold_is_refused(text):
    with pytest.raises(UserMistake):
        yaml_text({"k": text})
