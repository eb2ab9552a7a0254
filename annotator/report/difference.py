"""Two versions of some code, shown line by line: side by side where there is room, else one above the other."""

import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from annotator.report.style import printable

SIDE_BY_SIDE = 120
"""Width, in columns, from which both sides fit beside each other."""
_CONTEXT = 3


class Row(NamedTuple):
    """One line of a difference.

    Attributes:
        mark: `-` only in the old version, `+` only in the new one, blank in both, `…` where lines are left out.
        old: number of the line in the old version, 0 if it is not there.
        new: the same for the new version.
        text: the line.
    """

    mark: str
    old: int
    new: int
    text: str


def rows(
    old: Sequence[str],
    new: Sequence[str],
    old_start: int,
    new_start: int,
    context: int | None = _CONTEXT,
) -> Iterator[Row]:
    """The lines of a difference.

    Args:
        old: the old lines.
        new: the new lines.
        old_start: number of the first old line.
        new_start: number of the first new line.
        context: lines kept around what differs; none for all of them.
    """
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    groups: list[list[tuple[str, int, int, int, int]]] = (
        [list(matcher.get_opcodes())]
        if context is None
        else [list(group) for group in matcher.get_grouped_opcodes(context)]
    )
    for number, group in enumerate(groups):
        if number or (group and group[0][1]):
            yield Row("…", 0, 0, "")
        for tag, first, last, from_, to in group:
            if tag == "equal":
                for step in range(last - first):
                    yield Row(
                        " ", old_start + first + step, new_start + from_ + step, old[first + step]
                    )
                continue
            yield from (Row("-", old_start + at, 0, old[at]) for at in range(first, last))
            yield from (Row("+", 0, new_start + at, new[at]) for at in range(from_, to))


def difference_table(lines: Sequence[Row], width: int) -> RenderableType:
    """The lines of a difference as a table that fits into `width` columns."""
    return _side_by_side(lines) if width >= SIDE_BY_SIDE else _unified(lines)


_STYLE = {"-": "red", "+": "green", " ": "", "…": "dim"}


def _unified(lines: Sequence[Row]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, expand=True)
    for _ in range(2):
        table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for row in lines:
        style = _STYLE[row.mark]
        numbers = (str(number) if number else "" for number in (row.old, row.new))
        table.add_row(*numbers, Text(row.mark, style=style), Text(_shown(row.text), style=style))
    return table


def _side_by_side(lines: Sequence[Row]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, expand=True)
    for _ in range(2):
        table.add_column(justify="right", style="dim", no_wrap=True)
        table.add_column(ratio=1, overflow="fold")
    for left, right in _pairs(lines):
        cells: list[str | Text] = []
        for row, number in ((left, left.old if left else 0), (right, right.new if right else 0)):
            mark = row.mark if row else " "
            text = f"{mark} {_shown(row.text)}" if row else ""
            cells += [str(number) if number else "", Text(text, style=_STYLE[mark])]
        table.add_row(*cells)
    return table


def _pairs(lines: Sequence[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """What stands on the left and on the right: removed lines beside the added ones that follow them."""
    removed: list[Row] = []
    added: list[Row] = []

    def flush() -> Iterator[tuple[Row | None, Row | None]]:
        for at in range(max(len(removed), len(added))):
            yield (
                removed[at] if at < len(removed) else None,
                added[at] if at < len(added) else None,
            )
        removed.clear()
        added.clear()

    for row in lines:
        if row.mark == "-":
            if added:
                yield from flush()
            removed.append(row)
        elif row.mark == "+":
            added.append(row)
        else:
            yield from flush()
            yield row, row
    yield from flush()


def _shown(text: str) -> str:
    return printable(text).expandtabs(4)
