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
    for finding in diagnosis.findings:
        mark, style = _MARK[finding.state]
        text = Text(printable(finding.text))
        if finding.mend:
            text.append(f"\n→ {printable(finding.mend)}", style=style)
        heading = finding.section if finding.section != section else ""
        table.add_row(heading, Text(mark, style=style), finding.name, text)
        section = finding.section
    console.print(table)
    attention = sum(finding.state == "attention" for finding in diagnosis.findings)
    if attention:
        console.print(Text(f"{attention} need attention (!)", style="bold yellow"))
    else:
        console.print(Text("nothing needs attention", style="green"))
