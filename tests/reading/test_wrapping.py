"""Wrapping of Chinese, English and mixed prose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from annotator.reading.reader.wrapping import wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("命中就加引用", 8, ["命中就加", "引用"]),
        ("命中时，加一。", 6, ["命中", "时，加", "一。"]),
        ("见到（注意）", 6, ["见到", "（注", "意）"]),
        ("块 BlockPool 在队头", 12, ["块 BlockPool", "在队头"]),
        ("先减ref_cnt再还", 10, ["先减", "ref_cnt再", "还"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("a\n\nb", 4, ["a", "", "b"]),
        ("", 4, [""]),
    ],
)
def test_where_lines_end(text, width, lines):
    assert wrapped(Text(text), width).plain.split("\n") == lines


@given(st.text("ab （），。中文`_ \n", max_size=60), st.integers(2, 20))
def test_nothing_is_lost_and_lines_fit(text, width):
    lines = wrapped(Text(text), width).plain
    assert lines.replace("\n", "").replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(cell_len(line) <= width for line in lines.split("\n"))


def test_styles_stay_on_their_words():
    text = Text("引用 ")
    text.append("ref_cnt", style="bold")
    text.append(" 归零")
    lines = wrapped(text, 8)
    assert [lines.plain[s.start : s.end] for s in lines.spans if s.style == "bold"] == ["ref_cnt"]
