"""How runs of probes are shown: one commit as a list, several as a table of what turns."""

import json
from collections.abc import Iterable

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.probe import (
    ProbeReport,
    ProbeRun,
    ProbeStatus,
    Verdict,
)
from annotator.probes.contract import Check, Probe
from annotator.probes.known import load_probe
from annotator.report.probe_history import print_probe_history
from annotator.report.probe_style import STATUS_STYLE, status_text
from annotator.report.style import printable

_VERDICT = {
    Verdict.CONFIRMED: ProbeStatus.CONFIRMED,
    Verdict.REFUTED: ProbeStatus.REFUTED,
    Verdict.NOT_APPLICABLE: ProbeStatus.SKIPPED,
}
_WORD = {verdict: verdict.value for verdict in Verdict} | {Verdict.NOT_APPLICABLE: "no case"}
"""What fits beside the text of a check."""
_OUTPUT_LINES = 12


def probe_json(report: ProbeReport) -> str:
    """The report as JSON."""
    data = msgspec.to_builtins(report)
    data["exit_code"] = report.exit_code
    return json.dumps(data, ensure_ascii=False, indent=2)


def print_probes(console: Console, report: ProbeReport, *, language: str) -> None:
    """Prints one commit as a list of checks, several as a table over them."""
    if len(report.labels) > 1:
        print_probe_history(console, report)
    else:
        for run in report.runs:
            _print_run(console, run, language)
    for warning in report.warnings:
        console.print(Text(f"warning: {printable(warning)}", style="yellow"))
    for run in report.runs if len(report.labels) == 1 else ():
        _print_faults(console, run)
    console.print(_summary(report))


def _print_run(console: Console, run: ProbeRun, language: str) -> None:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, expand=True)
    table.add_column(width=13, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    heading = Text(f"{run.probe}  ", style="bold")
    heading.append(printable(_described(run)), style="not bold dim")
    table.add_row(status_text(run.status), heading)
    if run.reason:
        table.add_row("", Text(printable(run.reason), style="italic"))
    if run.hint:
        table.add_row("", Text(f"→ {run.hint}"))
    texts = {check.id: _claim(check, language) for check in load_probe(run.probe).checks}
    for verdict in run.verdicts:
        text = Text(texts.get(verdict.check, verdict.check))
        text.append(f"\n{verdict.check}: {printable(verdict.evidence)}", style="dim")
        table.add_row(status_text(_VERDICT[verdict.verdict], _WORD[verdict.verdict]), text)
    for sentence in run.adaptations:
        table.add_row(Text("adapted", style="dim"), Text(printable(sentence), style="dim"))
    if run.output:
        tail = "\n".join(run.output.splitlines()[-_OUTPUT_LINES:])
        table.add_row(Text("output", style="dim"), Text(printable(tail), style="dim"))
    console.print(table)
    console.print()


def _print_faults(console: Console, run: ProbeRun) -> None:
    """Says at the end, where the eye is, what is wrong."""
    where = f"{run.probe} on {run.upstream} {run.label}"
    faults = [
        (f"{where}, {verdict.check}: ", verdict.evidence)
        for verdict in run.verdicts
        if verdict.verdict is Verdict.REFUTED
    ]
    if run.status is ProbeStatus.ERROR:
        faults.append((f"{where}: ", run.reason))
    for what, why in faults:
        line = Text(f"{run.status.value}: ", style=STATUS_STYLE[run.status])
        console.print(line.append(printable(what + why), style="not bold default"))


def _described(run: ProbeRun) -> str:
    parts = [f"{run.upstream} {run.label}", run.tier, run.device]
    parts += [f"model runner {run.runner}"] if run.runner else []
    if run.remembered:
        parts.append("remembered")
    elif run.seconds:
        parts.append(f"{run.seconds:.0f} s, {run.megabytes} MB")
    if run.isolation:
        parts.append(f"network {run.isolation.get('network', 'unknown')}")
    return " · ".join(parts)


def _summary(report: ProbeReport) -> Text:
    line = Text(f"{len(report.runs)} runs: ", style="bold")
    statuses = [run.status for run in report.runs]
    parts = [
        Text(f"{statuses.count(status)} {status.value}", style=STATUS_STYLE[status])
        for status in ProbeStatus
        if status in statuses
    ]
    line.append_text(Text(", ").join(parts))
    if len(report.labels) > 1:
        line.append(f"; {len(report.drifts)} behaviour drifts")
    return line


def print_probe_list(console: Console, probes: Iterable[Probe], *, language: str) -> None:
    """Prints every probe with its checks."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("probe", no_wrap=True)
    table.add_column("tiers", no_wrap=True)
    table.add_column("what it looks at, and its checks", overflow="fold")
    for probe in probes:
        about = probe.zh if language == "zh" else probe.en
        table.add_row(Text(probe.name, style="bold"), ", ".join(probe.tiers), Text(about))
        for check in probe.checks:
            text = Text(f"{check.id}: ", style="cyan")
            table.add_row("", "", text.append(_claim(check, language), style="not bold default"))
    console.print(table)


def _claim(check: Check, language: str) -> str:
    return check.zh if language == "zh" else check.en
