"""Code with its real line numbers: what matters is open, the rest of a long definition is folded."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from annotator.site_pages.escaping import plain
from annotator.site_pages.highlighting import highlight
from annotator.tasks.site import Excerpt

SHORT = 46
"""A definition of at most this many lines is shown whole."""
_HEAD = 10
"""Lines shown of the beginning of a longer one that has a quote."""
_LONG_HEAD = 30
"""Lines shown of the beginning of a longer one without a quote."""
_AROUND = 9
"""Lines shown before and after a quote."""
_LEAST = 6
"""Fewer lines than this are not worth folding."""


class Stretch(NamedTuple):
    """Neighbouring lines that are shown or folded together.

    Attributes:
        start: first line, 1-based.
        end: last line, inclusive.
        folded: whether they are hidden at first.
    """

    start: int
    end: int
    folded: bool


def stretches(start: int, count: int, marked: tuple[int, int] | None) -> list[Stretch]:
    """Which lines of a definition are open and which are folded.

    Args:
        start: number of its first line.
        count: how many lines it has.
        marked: the quoted lines, if there are any.
    """
    end = start + count - 1
    if count <= SHORT:
        return [Stretch(start, end, False)]
    shown = set(range(start, start + (_HEAD if marked else _LONG_HEAD)))
    if marked:
        shown |= set(range(marked[0] - _AROUND, marked[1] + _AROUND + 1))
    parts: list[Stretch] = []
    for line in range(start, end + 1):
        folded = line not in shown
        if parts and parts[-1].folded == folded:
            parts[-1] = parts[-1]._replace(end=line)
        else:
            parts.append(Stretch(line, line, folded))
    return list(_without_tiny_folds(parts))


def _without_tiny_folds(parts: Sequence[Stretch]) -> Iterator[Stretch]:
    held: Stretch | None = None
    for part in parts:
        folded = part.folded and part.end - part.start + 1 >= _LEAST
        if held is not None and held.folded == folded:
            held = held._replace(end=part.end)
            continue
        if held is not None:
            yield held
        held = part._replace(folded=folded)
    if held is not None:
        yield held


def code_view(excerpt: Excerpt, folded_label: str) -> Markup:
    """An excerpt as HTML.

    Args:
        excerpt: what to show.
        folded_label: label of a fold, with `{start}` and `{end}` in it.
    """
    lines = highlight(excerpt.lines, excerpt.language)
    blocks = []
    for part in stretches(excerpt.start, len(lines), excerpt.marked):
        body = _pre(lines, part, excerpt)
        if part.folded:
            label = plain(folded_label.format(start=part.start, end=part.end))
            body = f'<details class="an-fold"><summary>{label}</summary>{body}</details>'
        blocks.append(body)
    wrap = " an-wrap" if excerpt.language in {"markdown", "rst"} else ""
    return Markup(f'<div class="an-code{wrap}" translate="no">{"".join(blocks)}</div>')  # noqa: S704


def _pre(lines: Sequence[Markup], part: Stretch, excerpt: Excerpt) -> str:
    """Line numbers are attributes, so that copied code does not contain them."""
    first, last = excerpt.marked or (0, -1)
    rows = []
    for number in range(part.start, part.end + 1):
        mark = ' class="q"' if first <= number <= last else ""
        rows.append(f'<b data-n="{number}"{mark}>{lines[number - excerpt.start]}\n</b>')
    focus = ' tabindex="0"'  # a block that scrolls sideways must be reachable by keyboard
    return f"<pre{focus}>{''.join(rows)}</pre>"
