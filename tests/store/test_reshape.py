"""Items and keys put into a file or taken out: every other line stays."""

import pytest

from annotator.model.failures import UserMistake
from annotator.store.reshape import lines_of_value, with_key, with_mapping, without_item
from annotator.store.yaml_source import parse_yaml


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        pytest.param("a:\n  - x: 1\n  - x: 2  # why\n", 1, "a:\n  - x: 1\n", id="last"),
        pytest.param("a:\n  - x: 1\n  - x: 2\nb: 3\n", 0, "a:\n  - x: 2\nb: 3\n", id="first"),
        pytest.param(
            "a:\n  # of one\n  # more\n  - x: 1\n  # of two\n  - x: 2\n", 0,
            "a:\n  # of two\n  - x: 2\n", id="with-its-comments",
        ),
        pytest.param(
            "a:\n  - x: 1\n\n# outside\n\n  - x: 2\n", 1, "a:\n  - x: 1\n\n# outside\n\n",
            id="comment-elsewhere-stays",
        ),
        pytest.param(
            "a:\n  - x: 1\n    y: |-\n      long\n\n      text\n\n  - x: 2\n", 0,
            "a:\n\n  - x: 2\n", id="block-text",
        ),
        pytest.param("a:\n  - {x: 1, y: [1, 2]}\n  - {x: 2}\n", 0, "a:\n  - {x: 2}\n", id="flow-item"),
        pytest.param("a:\r\n  - x: 1\r\n  - x: 2\r\n", 0, "a:\r\n  - x: 2\r\n", id="crlf"),
        pytest.param("a:\n- x: 1\n- x: 2", 1, "a:\n- x: 1\n", id="no-last-newline"),
    ],
)  # fmt: skip
def test_an_item_goes_with_what_belongs_to_it(before, index, after):
    assert without_item(parse_yaml(before, "f"), ("a", index)).text == after


@pytest.mark.parametrize(
    "text", ["a: [{x: 1}, {x: 2}]\n", "a:\n  - {x: 1,\n     y: 2\n    }\n  - x: 3\n"]
)
def test_an_item_without_lines_of_its_own_is_refused(text):
    with pytest.raises(UserMistake, match="cannot be changed as it is written"):
        without_item(parse_yaml(text, "f"), ("a", 0))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("q: {exact: x}  # why\nr: 1\n", 'q: {exact: x, prefix: "a b"}  # why\nr: 1\n'),
        ("q:\n  exact: x  # why\nr: 1\n", 'q:\n  exact: x  # why\n  prefix: "a b"\nr: 1\n'),
        ("q:\n  exact: |-\n    x\n    y\n\nr: 1\n", 'q:\n  exact: |-\n    x\n    y\n  prefix: "a b"\n\nr: 1\n'),
        ("q:\r\n  exact: x\r\nr: 1\r\n", 'q:\r\n  exact: x\r\n  prefix: "a b"\r\nr: 1\r\n'),
        ("q:\n  exact: x", 'q:\n  exact: x\n  prefix: "a b"\n'),
    ],
    ids=["flow", "block", "behind-a-block-text", "crlf", "no-last-newline"],
)  # fmt: skip
def test_a_key_comes_behind_the_last_one(before, after):
    assert with_key(parse_yaml(before, "f"), ("q",), "prefix", "a b").text == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("q: {exact: x}\n", 'q: {exact: x, prefix: "a\\n  b"}\n'),
        ("q:\n  exact: x\n", "q:\n  exact: x\n  prefix: |-\n    a\n      b\n"),
        ("q:\r\n  exact: x\r\n", "q:\r\n  exact: x\r\n  prefix: |-\r\n    a\r\n      b\r\n"),
    ],
    ids=["flow", "block", "crlf"],
)
def test_a_key_may_have_several_lines(before, after):
    assert with_key(parse_yaml(before, "f"), ("q",), "prefix", "a\n  b").text == after


def test_a_mapping_is_written_anew_with_the_line_ends_of_its_file():
    source = parse_yaml("u:\r\n  pin: {a: x}\r\n  z: y\r\n", "f")
    after = with_mapping(source, ("u", "pin"), {"b": "y"}).text
    assert after == "u:\r\n  pin:\r\n    b: y\r\n  z: y\r\n"


def test_a_mapping_is_written_anew_and_its_surroundings_stay():
    before = "# head\nu:\n  v:\n    pin:\n      commit: x\n      # about it\n      date: y\n    z: 1 # end\n"
    source = parse_yaml(before, "f")
    assert lines_of_value(source, ("u", "v", "pin")).count("\n") == 4
    after = with_mapping(source, ("u", "v", "pin"), {"release": "v1", "date": "d"}).text
    assert after == "# head\nu:\n  v:\n    pin:\n      release: v1\n      date: d\n    z: 1 # end\n"


def test_a_mapping_in_one_line_can_become_a_block():
    source = parse_yaml("u:\n  pin: {commit: x, date: y}\n  z: 1\n", "f")
    assert (
        with_mapping(source, ("u", "pin"), {"release": "v1"}).text
        == "u:\n  pin:\n    release: v1\n  z: 1\n"
    )


def test_a_mapping_inside_a_line_is_refused():
    with pytest.raises(UserMistake):
        with_mapping(parse_yaml("u: {pin: {a: x}, z: 1}\n", "f"), ("u", "pin"), {"b": "y"})
