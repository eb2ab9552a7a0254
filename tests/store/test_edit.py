"""Values changed in a file: every byte outside them stays."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.model.failures import UserMistake
from annotator.store.edit import anchor_loc, set_value, set_values, with_value
from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import parse_yaml, read_yaml

REAL_FILES = sorted((Path(__file__).parents[2] / "anchors").rglob("*.yaml"))


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        pytest.param("a: old  # why\n", "new", "a: new  # why\n", id="plain"),
        pytest.param("a: old # why\n", "x: y", 'a: "x: y" # why\n', id="plain-colon"),
        pytest.param("a: old\n", "x #y", 'a: "x #y"\n', id="plain-comment"),
        pytest.param("a: old\n", "12", 'a: "12"\n', id="plain-number"),
        pytest.param("a: old\n", "null", 'a: "null"\n', id="plain-null"),
        pytest.param("a: old\n", "", 'a: ""\n', id="plain-empty"),
        pytest.param("a: old\n", " x ", 'a: " x "\n', id="plain-spaces"),
        pytest.param("a: old\n", "- x", 'a: "- x"\n', id="plain-dash"),
        pytest.param("a: old\n", "x\ny", 'a: "x\\ny"\n', id="plain-lines"),
        pytest.param("[{a: old, b: c}]\n", "x", "[{a: x, b: c}]\n", id="flow"),
        pytest.param("[{a: old, b: c}]\n", "x, y", '[{a: "x, y", b: c}]\n', id="flow-comma"),
        pytest.param("[{a: old}]\n", "x}", '[{a: "x}"}]\n', id="flow-brace"),
        pytest.param("a: 'old'  # why\n", "it's", "a: 'it''s'  # why\n", id="single"),
        pytest.param("a: 'old'\n", "x\ny", 'a: "x\\ny"\n', id="single-lines"),
        pytest.param('a: "o\\u006cd"\n', 'say "hi" \\', 'a: "say \\"hi\\" \\\\"\n', id="double"),
        pytest.param('a: "old\n  text"\nb: 1\n', "x", 'a: "x"\nb: 1\n', id="double-over-lines"),
        pytest.param("a: 旧\nb: 1\n", "新𝒳", "a: 新𝒳\nb: 1\n", id="wide-characters"),
        pytest.param("a: |-  # why\n  old\n  text\n\n# then\nb: 1\n", "x\n\ny", "a: |-  # why\n  x\n\n  y\n\n# then\nb: 1\n", id="block"),
        pytest.param("a: |\n    old\nb: 1\n", "x\n", "a: |\n    x\nb: 1\n", id="block-clipped"),
        pytest.param("a: |\n    old\nb: 1\n", "x", 'a: "x"\nb: 1\n', id="block-cannot"),
        pytest.param("a: |-  # why\n  old\nb: 1\n", " x", 'a: " x"  # why\nb: 1\n', id="block-leading-space"),
        pytest.param("a: |-\n\nb: 1\n", "x", 'a: "x"\n\nb: 1\n', id="block-empty"),
        pytest.param("a: >-\n  old\n  text\nb: 1\n", "x y", "a: >-\n  x y\nb: 1\n", id="folded"),
        pytest.param("a: >-\n  old\n  text\nb: 1\n", "x\ny", 'a: "x\\ny"\nb: 1\n', id="folded-lines"),
        pytest.param("a: |-\r\n  old\r\nb: 1\r\n", "x\ny", "a: |-\r\n  x\r\n  y\r\nb: 1\r\n", id="crlf"),
        pytest.param("a: |-\n  old", "x", "a: |-\n  x", id="no-last-newline"),
    ],
)  # fmt: skip
def test_a_value_keeps_its_style_where_it_can(tmp_path, before, new, after):
    path = tmp_path / "f.yaml"
    path.write_bytes(before.encode())
    set_value(path, (0, "a") if before.startswith("[") else ("a",), new)
    assert path.read_bytes().decode() == after


def test_several_values_at_once_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes("\ufeffa: long old text\nb: {c: x, d: y}\n".encode())
    set_values(path, {("b", "d"): "last", ("a",): "n", ("b", "c"): "a longer one"})
    assert path.read_bytes().decode() == "\ufeffa: n\nb: {c: a longer one, d: last}\n"


def test_all_or_none(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: x\nb: 1\n")
    for changes in [{("a",): "y", ("c",): "z"}, {("a",): "y", ("b",): "2"}, {("a",): "y", (): "z"}]:
        with pytest.raises(UserMistake, match="there is no text at"):
            set_values(path, changes)
    with pytest.raises(UserMistake, match="cannot be written here"):
        set_values(path, {("a",): "\x1b[31m"})
    assert path.read_bytes() == b"a: x\nb: 1\n"
    path.write_bytes(b"a: `\n")
    with pytest.raises(ProblemsFound):
        set_value(path, ("a",), "y")


def test_the_way_to_an_anchor(study):
    question = read_yaml(study.folder / "route/01-cache.yaml")
    assert anchor_loc(question, "q01-free") == ("anchors", 0)
    resources = read_yaml(study.folder / "resources/engine.yaml")
    assert anchor_loc(resources, "v1-page") == ("resources", 0, "anchors", 0)
    for missing in ("q01-order", "q01", "none"):
        with pytest.raises(UserMistake, match="there is no anchor"):
            anchor_loc(question, missing)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=30)
TEXTS = WORDS | st.lists(WORDS, max_size=4).map("\n".join)
STYLES = {
    "plain": "old",
    "single": "'o''ld'",
    "double": '"o\\tld"',
    "literal": "|-  # head\n      old\n\n      text",
    "folded": ">\n      old\n      text",
    "kept": "|+\n      old\n",
    "indented": "|2-\n      old",
}


@given(new=TEXTS)
@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("written", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_only_the_value_changes(newline, written, new):
    head = "# 前\nx: '1'\nlist:\n  - id: a\n    note: "
    tail = '\n\n    # behind\n    after: {a: "b",  c:  d }   # end\nlast: [1,2 ]\n'
    source = parse_yaml((head + written + tail).replace("\n", newline), "f.yaml")
    loc = ("list", 0, "note")
    result = with_value(source, loc, new)
    assert result.value_at(loc) == new
    assert result.text.startswith(head.replace("\n", newline))
    assert result.text.endswith(tail.replace("\n", newline))
    back = with_value(result, loc, source.value_at(loc))
    assert back.data == source.data


@pytest.mark.parametrize("path", REAL_FILES, ids=lambda path: path.stem)
def test_texts_of_the_real_files_can_be_changed_alone(path):
    source = read_yaml(path)
    new = '新 `x`: "a"'
    texts = [loc for loc in source.values if isinstance(source.value_at(loc), str)]
    for loc in texts[::5]:
        span = source.values[loc]
        result = with_value(source, loc, new)
        assert result.value_at(loc) == new
        assert result.text.startswith(source.text[: span.start])
        assert result.text.endswith(source.text[span.end :])
