"""How runs of probes are shown: one commit as a list, several as a table with a column each."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

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
from annotator.report.probe_style import STATUS_MARK, STATUS_STYLE, short, status_text
from annotator.report.style import printable

_VERDICT = {
    Verdict.CONFIRMED: ProbeStatus.CONFIRMED,
    Verdict.REFUTED: ProbeStatus.REFUTED,
    Verdict.NOT_APPLICABLE: ProbeStatus.SKIPPED,
}
_OUTPUT_LINES = 12
_CELL = 24
"""Longest observation in a table over commits, in characters; the JSON has all of it."""


def probe_json(report: ProbeReport) -> str:
    """The report as JSON."""
    data = msgspec.to_builtins(report)
    data["exit_code"] = report.exit_code
    return json.dumps(data, ensure_ascii=False, indent=2)


def print_probes(console: Console, report: ProbeReport, *, language: str) -> None:
    """Prints one commit as a list of checks, several as a table over them."""
    if len(report.labels) > 1:
        _print_history(console, report, language)
    else:
        for run in report.runs:
            _print_run(console, run, language)
    for warning in report.warnings:
        console.print(Text(f"warning: {printable(warning)}", style="yellow"))
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
        table.add_row(status_text(_VERDICT[verdict.verdict], verdict.verdict.value), text)
    for sentence in run.adaptations:
        table.add_row(Text("adapted", style="dim"), Text(printable(sentence), style="dim"))
    if run.output:
        tail = "\n".join(run.output.splitlines()[-_OUTPUT_LINES:])
        table.add_row(Text("output", style="dim"), Text(printable(tail), style="dim"))
    console.print(table)
    console.print()


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


def _print_history(console: Console, report: ProbeReport, language: str) -> None:
    """A block a probe: its checks, then the observations that are not the same everywhere."""
    for (name, reach), runs in _series(report.runs).items():
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column(f"{name} ({reach})", no_wrap=True)
        labels = [label for label in report.labels if label in runs]
        for label in labels:
            table.add_column(printable(label), overflow="fold")
        table.add_row("", *(_cell(runs[label]) for label in labels))
        for check in load_probe(name).checks:
            verdicts = [_verdict(runs[label], check.id) for label in labels]
            if any(verdicts):
                table.add_row(check.id, *verdicts)
        for key in _changed_keys(list(runs.values())):
            values = [_value(runs[label], key) for label in labels]
            table.add_row(Text(printable(key), style="cyan"), *_only_turns(values))
        console.print(table)
        for label in labels:
            run = runs[label]
            if run.reason:
                text = f"{label}: {run.reason}" + (f" → {run.hint}" if run.hint else "")
                console.print(Text(printable(text), style="dim"))
        console.print()


def _series(runs: Iterable[ProbeRun]) -> dict[tuple[str, str], dict[str, ProbeRun]]:
    series: dict[tuple[str, str], dict[str, ProbeRun]] = {}
    for run in runs:
        series.setdefault((run.probe, run.reach), {})[run.label] = run
    return series


def _cell(run: ProbeRun) -> Text:
    text = status_text(run.status)
    if run.tier != "source":
        text.append(f" {run.tier}", style="dim")
    return text


def _verdict(run: ProbeRun, check: str) -> Text:
    found = next((v for v in run.verdicts if v.check == check), None)
    if found is None:
        return Text("")
    status = _VERDICT[found.verdict]
    if found.verdict is Verdict.NOT_APPLICABLE:
        return Text("n/a", style=STATUS_STYLE[status])
    return Text(STATUS_MARK[status], style=STATUS_STYLE[status])


def _changed_keys(runs: Sequence[ProbeRun]) -> list[str]:
    seen = [run.observations for run in runs if run.is_complete]
    keys = sorted(set().union(*seen))
    return [key for key in keys if len({_canonical(each, key) for each in seen}) > 1]


def _canonical(observations: dict[str, Any], key: str) -> str:
    if key not in observations:
        return "–"
    return json.dumps(observations[key], ensure_ascii=False, sort_keys=True)


def _value(run: ProbeRun, key: str) -> str:
    if not run.is_complete:
        return ""
    return _canonical(run.observations, key)


def _only_turns(values: Sequence[str]) -> list[Text]:
    """The values, with a sign of repetition where one is the same as in the column before."""
    cells, before = [], ""
    for value in values:
        same = bool(value) and value == before
        cells.append(Text('"', style="dim") if same else Text(printable(short(value, _CELL))))
        before = value or before
    return cells


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
