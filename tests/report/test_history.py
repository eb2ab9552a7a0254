"""Histories as Markdown: upstream's words stay in their cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from annotator.model.history import History, Step
from annotator.model.resolution import Change, Place
from annotator.model.words import ChangeKind, Outcome
from annotator.report.history import history_markdown


def history(text: str) -> History:
    place = Place(path=f"src/{text}.py", symbol="f", start=1, end=2, blob="")
    step = Step(
        commit="c" * 40,
        upstream_commit="c" * 40,
        label="cccc",
        date="2026-01-01",
        author=text,
        subject=f"Rework {text}",
        link="https://example.org/demo/commit/cccc",
        outcome=Outcome.CHANGED,
        changes=(Change(kind=ChangeKind.BODY, detail=text),),
        old=place,
        new=place,
    )
    return History(
        id="q01-f",
        upstream="demo",
        from_ref="v1",
        to_ref="v2",
        compare_link="",
        start=place,
        end=place,
        commits=1,
        steps=(step,),
    )


def cells(text: str) -> list[list[str]]:
    """What a reader sees in each cell of the only row, word by word."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(history_markdown([history(text)]))
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len(rows) == 2, "a head and a row"
    inlines = [token for token in tokens if token.type == "inline"][-4:]
    return [[child.type for child in token.children or ()] for token in inlines]


PLAIN = cells("plain")


@pytest.mark.parametrize("text", ["a | b", "`", "\\|", "<b>", "](x) [y", "@all #12", "a\nb", "\x1b[31m"], ids=ascii)  # fmt: skip
def test_hostile_words_stay_words(text: str) -> None:
    assert [kind for row in cells(text) for kind in row if "link" in kind] == ["link_open", "link_close"]  # fmt: skip


@given(st.text(alphabet="`|\\*_[]()<>!@#~$&\n ab", max_size=30))
def test_no_words_leave_their_cell(text: str) -> None:
    kinds = {kind for row in cells(text) for kind in row}
    assert kinds <= {kind for row in PLAIN for kind in row} | {"text_special", "html_inline"}
