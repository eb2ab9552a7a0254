"""Prints scores."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from bench.accuracy.scoring import Bin, Scored, Summary, summarize

_COLUMNS = (
    "rows",
    "place",
    "outcome",
    "all kinds",
    "kinds P",
    "kinds R",
    "sure, wrong",
    "ambiguous",
)


def print_groups(
    console: Console, title: str, items: Iterable[Scored], key: Callable[[Scored], str]
) -> None:
    """Prints one line a group of one tool's answers."""
    groups: dict[str, list[Scored]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    table = _table(title, *_COLUMNS)
    for name, group in sorted(groups.items()):
        table.add_row(name, *_cells(summarize(group)))
    console.print(table, "")


def print_tools(console: Console, tools: Mapping[str, Sequence[Scored]], first: str) -> None:
    """Prints one line a tool, with what the first tool gets on just the rows that this one can be asked."""
    table = _table("all tools, same rows, same scoring", *_COLUMNS, f"{first}: place", "outcome")
    scored = {item.row.id: item for item in tools[first]}
    for name, items in tools.items():
        if not items:
            table.add_row(name, "0")
            continue
        same = [scored[item.row.id] for item in items if item.row.id in scored]
        beside = summarize(same)
        there = [f"{beside.location:.1%}", f"{beside.outcome:.1%}"]
        table.add_row(name, *_cells(summarize(items)), *there)
    console.print(table, "")


def print_places_by_kind(console: Console, tools: Mapping[str, Sequence[Scored]]) -> None:
    """Prints which share of places each tool finds for each kind of change, with the rows it was asked."""
    kinds = sorted({item.row.primary_kind for items in tools.values() for item in items})
    table = _table("right places by kind (rows asked)", *tools)
    for kind in kinds:
        cells = []
        for items in tools.values():
            group = [item for item in items if item.row.primary_kind == kind]
            if group:
                summary = summarize(group)
                cells.append(f"{summary.location:.0%} ({summary.rows:g})")
            else:
                cells.append("– (0)")
        table.add_row(kind, *cells)
    console.print(table, "")


def print_calibration(console: Console, bins: Iterable[Bin]) -> None:
    """Prints how often answers of each degree of confidence are right."""
    table = _table("calibration", "rows", "mean confidence", "place right", "outcome right")
    for item in bins:
        name = f"{item.low:g}" if item.low == item.high else f"{item.low:g} to {item.high:g}"
        shares = f"{item.confidence:.1%}", f"{item.location:.1%}", f"{item.outcome:.1%}"
        table.add_row(name, str(item.rows), *shares)
    console.print(table, "")


def print_misses(console: Console, items: Iterable[Scored]) -> None:
    """Prints each answer that is not wholly right, next to the truth."""
    for item in items:
        if item.right:
            continue
        row, answer = item.row, item.answer
        console.print(
            f"{row.id} {row.from_path}::{row.from_symbol} ({row.from_ref} to {row.to_ref})\n"
            f"   truth  {row.outcome:9} {' or '.join(sorted(row.places)) or '–'}"
            f"  {', '.join(sorted(row.changes)) or 'unchanged'}\n"
            f"   answer {answer.outcome:9} {answer.place or '–'}"
            f"  {', '.join(sorted(item.changes or ())) or 'unchanged'}"
            f"  at {answer.confidence or 0:.2f}",
            markup=False,
        )
    console.print()


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _cells(summary: Summary) -> list[str]:
    sure = "–" if summary.confident is None else f"{summary.confident_wrong} of {summary.confident}"
    return [
        f"{summary.rows:g}",
        f"{summary.location:.1%}",
        f"{summary.outcome:.1%}",
        _percent(summary.changes),
        _percent(summary.precision),
        _percent(summary.recall),
        sure,
        str(summary.ambiguous),
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
