"""Two versions of a definition side by side; on a narrow screen the same rows stand below each other."""

import difflib
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from annotator.site_pages.escaping import code_text, plain
from annotator.tasks.site import Excerpt

_CONTEXT = 3
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4
"""Least likeness of two lines whose words are compared one by one."""
_MOST_ROWS = 400


class Row(NamedTuple):
    """One row of a difference.

    Attributes:
        kind: `same`, `changed`, `removed`, `added` or `gap`.
        old: line number and HTML on the left, if there is a line.
        new: the same on the right.
    """

    kind: str
    old: tuple[int, str] | None
    new: tuple[int, str] | None


class Difference(NamedTuple):
    """A difference, ready to be shown.

    Attributes:
        html: the table.
        removed: lines that are no longer there.
        added: new lines.
        cut: whether rows were left out because there are too many.
    """

    html: Markup
    removed: int
    added: int
    cut: bool


def difference_view(old: Excerpt, new: Excerpt, gap_label: str) -> Difference | None:
    """The difference between two excerpts, or none if their lines are equal.

    Args:
        old: before.
        new: after.
        gap_label: label of equal lines that are left out, with `{count}` in it.
    """
    if old.lines == new.lines:
        return None
    old, new = _dedented(old), _dedented(new)
    rows = list(_rows(old, new, gap_label))
    removed = sum(row.kind in {"changed", "removed"} for row in rows)
    added = sum(row.kind in {"changed", "added"} for row in rows)
    head = "<thead><tr>{}</tr></thead>".format(
        "".join(
            f'<th scope="col" colspan="2">{plain(side.label)} {plain(side.path)}</th>'
            for side in (old, new)
        )
    )
    body = "".join(_html(row) for row in rows[:_MOST_ROWS])
    columns = '<colgroup><col class="n"><col><col class="n"><col></colgroup>'
    table = f'<table class="an-diff" translate="no">{columns}{head}<tbody>{body}</tbody></table>'
    return Difference(Markup(table), removed, added, len(rows) > _MOST_ROWS)  # noqa: S704


def _dedented(excerpt: Excerpt) -> Excerpt:
    """Without the indentation that all lines share: two columns have little room."""
    return excerpt._replace(lines=tuple(textwrap.dedent("\n".join(excerpt.lines)).split("\n")))


def _rows(old: Excerpt, new: Excerpt, gap_label: str) -> Iterator[Row]:
    matcher = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    opcodes = matcher.get_opcodes()
    for index, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        if tag == "equal":
            pairs = list(zip(range(i1, i2), range(j1, j2), strict=True))
            head = pairs[: _CONTEXT if index else 0]
            tail = pairs[-_CONTEXT:] if index < len(opcodes) - 1 else []
            if len(pairs) <= len(head) + len(tail) + 1:
                head, tail = pairs, []
            yield from (_same(old, new, i, j) for i, j in head)
            if hidden := len(pairs) - len(head) - len(tail):
                text = str(plain(gap_label.format(count=hidden)))
                yield Row("gap", (0, text), None)
            yield from (_same(old, new, i, j) for i, j in tail)
            continue
        yield from _edited(old, new, range(i1, i2), range(j1, j2))


def _same(old: Excerpt, new: Excerpt, i: int, j: int) -> Row:
    text = code_text(old.lines[i])
    return Row("same", (old.start + i, text), (new.start + j, text))


def _edited(old: Excerpt, new: Excerpt, left: Sequence[int], right: Sequence[int]) -> Iterator[Row]:
    """Lines that correspond stand in one row; the others in a row of their own."""
    rest = list(right)
    for i in left:
        partner = next((j for j in rest if _likeness(old.lines[i], new.lines[j]) >= _ALIKE), None)
        if partner is None:
            yield Row("removed", (old.start + i, code_text(old.lines[i])), None)
            continue
        for j in rest[: rest.index(partner)]:
            yield Row("added", None, (new.start + j, code_text(new.lines[j])))
        rest = rest[rest.index(partner) + 1 :]
        before, after = _words(old.lines[i], new.lines[partner])
        yield Row("changed", (old.start + i, before), (new.start + partner, after))
    for j in rest:
        yield Row("added", None, (new.start + j, code_text(new.lines[j])))


def _likeness(one: str, other: str) -> float:
    if not one.strip() or not other.strip():
        return 0.0
    matcher = difflib.SequenceMatcher(None, one.strip(), other.strip(), autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _ALIKE else 0.0


def _words(one: str, other: str) -> tuple[str, str]:
    a, b = _WORDS.findall(one), _WORDS.findall(other)
    left, right = [], []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        before, after = code_text("".join(a[i1:i2])), code_text("".join(b[j1:j2]))
        equal = tag == "equal"
        left.append(before if equal or not before else f"<del>{before}</del>")
        right.append(after if equal or not after else f"<ins>{after}</ins>")
    return "".join(left), "".join(right)


def _html(row: Row) -> str:
    if row.kind == "gap":
        return f'<tr class="gap"><td colspan="4">{row.old[1] if row.old else ""}</td></tr>'
    return f'<tr class="{row.kind}">{_cells(row.old, "o")}{_cells(row.new, "w")}</tr>'


def _cells(side: tuple[int, str] | None, name: str) -> str:
    if side is None:
        return f'<td class="n {name}e"></td><td class="{name}e"></td>'
    return f'<td class="n" data-n="{side[0]}"></td><td class="{name}">{side[1]}</td>'
