"""Marks and sentences for what running upstream's code showed."""

import json

from rich.text import Text

from annotator.model.probe import ObservationDrift, ProbeRun, ProbeStatus
from annotator.model.report import CheckReport
from annotator.report.style import printable

STATUS_STYLE = {
    ProbeStatus.CONFIRMED: "green",
    ProbeStatus.REFUTED: "bold red",
    ProbeStatus.ERROR: "bold white on red",
    ProbeStatus.SKIPPED: "bright_black",
}
STATUS_MARK = {
    ProbeStatus.CONFIRMED: "✓",
    ProbeStatus.REFUTED: "✗",
    ProbeStatus.ERROR: "!",
    ProbeStatus.SKIPPED: "-",
}
_VALUE = 60
"""Longest observation in a line, in characters."""


def status_text(status: ProbeStatus, word: str = "") -> Text:
    """A status with its mark and colour."""
    return Text(f"{STATUS_MARK[status]} {word or status.value}", style=STATUS_STYLE[status])


def short(text: str, limit: int = _VALUE) -> str:
    """An observation, cut to what fits where it is shown."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def drift_text(drift: ObservationDrift) -> Text:
    """One behaviour drift in a line."""
    text = Text(f"{drift.probe} {printable(drift.key)}: ", style="yellow")
    old = short(json.dumps(drift.old, ensure_ascii=False))
    new = short(json.dumps(drift.new, ensure_ascii=False))
    if drift.change == "added":
        told = f"new in {drift.new_label}: {new}"
    elif drift.change == "removed":
        told = f"{old} in {drift.old_label}, no longer seen in {drift.new_label}"
    else:
        told = f"{old} in {drift.old_label}, {new} in {drift.new_label}"
    return text.append(printable(told), style="not bold")


def claims_line(report: CheckReport) -> Text:
    """How many claims were confirmed, refuted, and not looked at."""
    counts = report.claims
    line = Text(f"{sum(counts.values())} claims: ", style="bold")
    return line.append_text(
        Text(", ").join(
            Text(f"{counts[status]} {status.value}", style=f"not bold {STATUS_STYLE[status]}")
            for status in ProbeStatus
            if counts[status]
        )
    )


def incomplete_text(run: ProbeRun) -> Text:
    """Why a probe could not be run, and what would mend it."""
    line = status_text(run.status).append(f"  probe {run.probe} ({run.tier}, {run.label}): ")
    line.append(printable(run.reason))
    return line.append(f" → {run.hint}" if run.hint else "")
