"""How experiment records are listed, checked and compared."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.record import NOT_USED, Record
from annotator.report.style import printable
from annotator.tasks.records.checks import RecordFinding
from annotator.tasks.records.differences import FactDifference

_STYLE = {"error": "bold red", "warning": "yellow"}


def print_records(
    console: Console, records: Mapping[str, Record], open_facts: Mapping[str, int]
) -> None:
    """Prints the records with the programs that took part and how many facts are missing."""
    if not records:
        console.print("no records yet; `annot record new NAME` makes one", markup=False)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("record", "date", "software", "model", "accelerators", "findings"):
        table.add_column(name)
    for name, record in records.items():
        software = (
            f"{program} {facts.release}"
            for program, facts in record.software.items()
            if facts.release != NOT_USED
        )
        gpus = f"{record.gpu.count} × {record.gpu.model}"
        cells = (name, record.date, ", ".join(software), record.model.repository, gpus)
        table.add_row(*(printable(cell) for cell in cells), str(open_facts[name] or "✓"))
    console.print(table)


def print_record_findings(console: Console, name: str, findings: Sequence[RecordFinding]) -> None:
    """Prints what is wrong in a record; one line if nothing is."""
    if not findings:
        console.print(Text(f"{name}: complete, pinned, consistent", style="green"))
        return
    for finding in findings:
        line = Text(f"{name}: ", style="dim")
        line.append(finding.level, style=_STYLE[finding.level])
        line.append(f": {finding.fact} {printable(finding.message)} ")
        line.append(f"[{finding.rule}]", style="dim")
        console.print(line, soft_wrap=True)
        if finding.hint:
            console.print(Text(f"    → {printable(finding.hint)}"), soft_wrap=True)


def print_differences(
    console: Console, names: tuple[str, str], differences: Sequence[FactDifference]
) -> None:
    """Prints in which facts two records differ."""
    if not differences:
        console.print("the two records say the same", markup=False)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("fact", overflow="fold")
    for name in names:
        table.add_column(name, overflow="fold", ratio=1)
    for one in differences:
        table.add_row(one.fact, printable(one.old) or "–", printable(one.new) or "–")
    console.print(table)
