"""How a single resolution is printed."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.resolution import Resolution
from annotator.report.style import change_text, lines_of, outcome_text, printable, sure


def print_where(console: Console, resolution: Resolution) -> None:
    """Prints where a place is now, what changed and how the answer was found."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    headline = outcome_text(resolution.outcome)
    headline.append(f"   {sure(resolution.confidence)}", style="dim")
    grid.add_row("outcome", headline)
    if resolution.reason:
        grid.add_row("why", printable(resolution.reason))
    for label, place in (("was", resolution.old), ("now", resolution.new)):
        if place is not None:
            text = Text(printable(lines_of(place)))
            if place.symbol:
                text.append(f"  {printable(place.symbol)}", style="bold")
            grid.add_row(label, text)
    for place in resolution.successors[1:]:
        grid.add_row("and", f"{printable(lines_of(place))}  {printable(place.symbol)}")
    for index, change in enumerate(resolution.changes):
        grid.add_row("changes" if index == 0 else "", printable(change_text(change)))
    for index, step in enumerate(resolution.evidence):
        grid.add_row("evidence" if index == 0 else "", Text(printable(step), style="dim"))
    for index, candidate in enumerate(resolution.candidates):
        line = Text(
            f"{candidate.score:.2f}  {printable(candidate.path)}::{printable(candidate.symbol)}"
        )
        line.append(f"  {printable(candidate.reason)}", style="dim")
        grid.add_row("candidates" if index == 0 else "", line)
    console.print(grid)
