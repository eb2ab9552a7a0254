"""How `annot lint` is printed."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from annotator.report.style import printable
from annotator.tasks.lint import Finding, Level, Summary
from annotator.tasks.lint.source import Unchecked

_STYLE = {Level.ERROR: "bold red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def print_lint(
    console: Console,
    folder: Path,
    findings: Sequence[Finding],
    unchecked: Sequence[Unchecked],
    summary: Summary,
) -> None:
    """Prints findings as `file:line: level: message`, what was not checked, what the study holds."""
    for finding in findings:
        line = Text(f"{folder.name}/{finding.file}:{finding.line}: ", style="dim")
        line.append(finding.level.value, style=_STYLE[finding.level])
        line.append(f": {printable(finding.message)} ")
        line.append(f"[{finding.rule}]", style="dim")
        console.print(line, soft_wrap=True)
    for one in unchecked:
        text = f"names of {one.upstream} were not checked: {one.reason}; {one.hint}"
        console.print(Text(printable(text), style="dim"), soft_wrap=True)
    for label, value in summary._asdict().items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        console.print(Text(f"{label.replace('_', ' '):<24}{shown or '–'}"), soft_wrap=True)
