"""Other people's words inside Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from annotator.report.markdown import code, plain, prose

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.sampled_from(" `*_[]<>&\\"))  # fmt: skip


def tokens(markdown: str) -> list[tuple[str, str]]:
    inline = next((one for one in MarkdownIt("commonmark").parse("x " + markdown + " x") if one.type == "inline"), None)  # fmt: skip
    return [(child.type, child.content) for child in (inline.children if inline else None) or []]


@given(TEXT)
def test_plain_text_stays_plain(text):
    found = tokens(plain(text))
    assert {kind for kind, _ in found} <= {"text", "text_special"}
    shown = "".join(content for _, content in found)
    assert shown.split() == ["x", *text.split(), "x"]


@given(TEXT.filter(str.strip))
def test_code_stays_code(text):
    found = [content for kind, content in tokens(code(text)) if kind == "code_inline"]
    assert [" ".join(each.split()) for each in found] == [" ".join(text.split())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the `ref_cnt` of *a* block", r"the `ref_cnt` of \*a\* block"),
        ("ref_cnt and _this_", r"ref_cnt and \_this\_"),
        ("one ` tick", r"one \` tick"),
        ("<b>", r"\<b>"),
        ("看 `x`。", "看 `x`。"),
    ],
)
def test_prose_keeps_code_only(text, expected):
    assert prose(text) == expected
