import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import markdown

from annotator.site_pages.code_view import stretches
from annotator.site_pages.escaping import code_text, plain, title_text
from annotator.site_pages.highlighting import highlight
from annotator.site_pages.prose import phrase, prose

MARKUP = set("<>\"'`*_[]{}#|\\!&~^$+=")


@given(st.text())
def test_plain_text_reads_the_same_and_holds_no_markup(text: str) -> None:
    made = plain(text)
    assert not MARKUP & set(re.sub(r"&#\d+;", "", made))
    shown = "".join(c if c.isprintable() else "�" for c in re.sub(r"\s+", " ", text))
    assert html.unescape(made) == shown


@given(st.text(alphabet="<>&\"'`*_[](){}#|\\!ab \n-1."))
def test_markdown_makes_nothing_of_plain_text_in_a_line(text: str) -> None:
    made = markdown(f"x {plain(text)} x")
    assert re.fullmatch(r"<p>[^<>]*</p>", made), made


@given(st.lists(st.text(alphabet="<>&\"'`{}% \tabc#\u202e\x00"), max_size=5))
def test_highlighted_lines_keep_their_number_and_hold_only_our_elements(lines: list[str]) -> None:
    lines = [line.replace("\n", "") for line in lines]
    made = highlight(tuple(lines), "python")
    assert len(made) == len(lines)
    for line in made:
        assert not set(re.sub(r'</?i( class="\w")?>|&#\d+;', "", line)) & set("<>\"'`{}&")
        assert "\u202e" not in line


def test_code_text_keeps_line_feeds() -> None:
    assert code_text("a\n\tb") == "a\n    b"


@pytest.mark.parametrize(
    ("title", "safe"),
    [
        ("Plain title, 简单", "Plain title, 简单"),
        ("</title><script>", "‹/title›‹script›"),
        ("&lt;b&gt;", "＆lt;b＆gt;"),
        ("A & B", "A & B"),
        ("{{ 7*7 }}", "｛｛ 7*7 ｝｝"),
        ("two\nlines", "two lines"),
    ],
)
def test_titles_hold_no_markup_in_any_reading(title: str, safe: str) -> None:
    assert title_text(title) == safe


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a `code` b", "<p>a <code>code</code> b</p>"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("![x](https://example.org/x.png)", '<p>!<a href="https://example.org/x.png">x</a></p>'),
        ("{{ 7*7 }}", "<p>&#123;&#123; 7*7 &#125;&#125;</p>"),
        ("one\n\ntwo", "<p>one</p>&#10;<p>two</p>"),
    ],
    ids=["code", "raw html", "script link", "image", "braces", "paragraphs"],
)
def test_notes_are_markdown_without_html(text: str, made: str) -> None:
    assert prose(text) == made


def test_a_phrase_has_no_paragraph() -> None:
    assert phrase("a `b`") == "a <code>b</code>"


@pytest.mark.parametrize(
    ("count", "marked", "folded"),
    [
        (46, None, []),
        (46, (120, 121), []),
        (100, None, [(130, 199)]),
        (100, (150, 151), [(110, 140), (161, 199)]),
        (100, (119, 119), [(129, 199)]),
        (60, (120, 122), [(132, 159)]),
    ],
    ids=[
        "short",
        "short with a quote",
        "long",
        "around a quote",
        "quote near the top",
        "two parts",
    ],
)
def test_what_is_folded(
    count: int, marked: tuple[int, int] | None, folded: list[tuple[int, int]]
) -> None:
    parts = stretches(100, count, marked)
    assert [(part.start, part.end) for part in parts if part.folded] == folded
    lines = [line for part in parts for line in range(part.start, part.end + 1)]
    assert lines == list(range(100, 100 + count))
