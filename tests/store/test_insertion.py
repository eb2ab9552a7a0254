"""A new entry in a list: every byte of the rest stays."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.model.failures import UserMistake
from annotator.store.insertion import append_entry, with_entry
from annotator.store.yaml_source import parse_yaml, read_yaml

REAL_FILES = sorted((Path(__file__).parents[2] / "anchors" / "route").glob("*.yaml"))
ENTRY = {"id": "b", "note": {"en": "N"}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("l:\n  - id: a\n", "l:\n  - id: a\n  - id: b\n    note:\n      en: N\n", id="block"),
        pytest.param("l:\n- id: a\n", "l:\n- id: a\n- id: b\n  note:\n    en: N\n", id="not-indented"),
        pytest.param("l:\n    - id: a\n", "l:\n    - id: a\n    - id: b\n      note:\n        en: N\n", id="deep"),
        pytest.param("l:\n  - id: a", "l:\n  - id: a\n  - id: b\n    note:\n      en: N\n", id="no-last-newline"),
        pytest.param("l:\n  - id: a\nm: 1\n", "l:\n  - id: a\n  - id: b\n    note:\n      en: N\nm: 1\n", id="key-behind"),
        pytest.param("l:\n  - id: a\n    # of a\n\n# of m\nm: 1\n", "l:\n  - id: a\n    # of a\n  - id: b\n    note:\n      en: N\n\n# of m\nm: 1\n", id="comments"),
        pytest.param("l:\n  - {id: a}  # why\nm: 1\n", "l:\n  - {id: a}  # why\n  - id: b\n    note:\n      en: N\nm: 1\n", id="flow-entry"),
        pytest.param("l:\n  - {id: a,\n     x: {y: z\n     }}\nm: 1\n", "l:\n  - {id: a,\n     x: {y: z\n     }}\n  - id: b\n    note:\n      en: N\nm: 1\n", id="flow-entry-over-lines"),
        pytest.param("l: [{id: a}]\n", 'l: [{id: a}, {"id": "b", "note": {"en": "N"}}]\n', id="flow-list"),
        pytest.param("l:\n  - id: a\n    t: |\n      x\n\n      y\n\nm: 1\n", "l:\n  - id: a\n    t: |\n      x\n\n      y\n  - id: b\n    note:\n      en: N\n\nm: 1\n", id="block-scalar"),
        pytest.param("l:\r\n  - id: a\r\nm: 1\r\n", "l:\r\n  - id: a\r\n  - id: b\r\n    note:\r\n      en: N\r\nm: 1\r\n", id="crlf"),
    ],
)  # fmt: skip
def test_an_entry_goes_behind_the_last_one(before, after):
    insertion = with_entry(parse_yaml(before, "f.yaml"), ("l",), ENTRY)
    assert insertion.source.text == after
    assert (
        insertion.source.text.split("\n")[insertion.line - 1]
        .lstrip(" -")
        .startswith(("id: b", "l: [{id: a}"))
    )


def test_a_byte_order_mark_stays(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes("\ufeffl:\n  - id: a\n".encode())
    append_entry(path, with_entry(read_yaml(path), ("l",), ENTRY))
    assert path.read_bytes().decode() == "\ufeffl:\n  - id: a\n  - id: b\n    note:\n      en: N\n"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_text("l:\n  - id: a\n", encoding="utf-8")
    insertion = with_entry(read_yaml(path), ("l",), ENTRY)
    path.write_text("l:\n  - id: c\n", encoding="utf-8")
    with pytest.raises(UserMistake, match="has changed meanwhile"):
        append_entry(path, insertion)
    assert path.read_text(encoding="utf-8") == "l:\n  - id: c\n"


@pytest.mark.parametrize("text", ["m: 1\n", "l: []\n", "l: x\n"], ids=["none", "empty", "no-list"])
def test_there_has_to_be_a_list_with_entries(text):
    with pytest.raises(UserMistake, match=r"there is no list with entries at l"):
        with_entry(parse_yaml(text, "f.yaml"), ("l",), ENTRY)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(REAL_FILES),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1),
)
def test_real_files_keep_every_byte(path, note):
    source = read_yaml(path)
    insertion = with_entry(source, ("anchors",), {"id": "new-one", "note": {"en": note}})
    text = insertion.source.text
    assert insertion.text in text
    assert text.replace(insertion.text, "", 1) == source.text
    assert insertion.source.value_at(("anchors", -1, "note", "en")) == note
