"""How `annot doctor` is shown: a line for each thing, and under it what mends it."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.diagnosis import Diagnosis, State
from annotator.report.style import printable

_MARK: dict[State, tuple[str, str]] = {
    "ok": ("✓", "green"),
    "note": ("·", "cyan"),
    "attention": ("!", "bold yellow"),
}


def print_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """Prints what was found, section by section, and a line that counts what needs attention."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, expand=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    section = ""
    for one in diagnosis.conditions:
        mark, style = _MARK[one.state]
        text = Text(printable(one.text))
        if one.mend:
            text.append(f"\n→ {printable(one.mend)}", style=style)
        heading = one.section if one.section != section else ""
        table.add_row(heading, Text(mark, style=style), one.name, text)
        section = one.section
    console.print(table)
    attention = sum(one.state == "attention" for one in diagnosis.conditions)
    if attention:
        console.print(Text(f"to look at: {attention} (!)", style="bold yellow"))
    else:
        console.print(Text("nothing needs attention", style="green"))
