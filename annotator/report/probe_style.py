"""Marks and sentences for what running upstream's code showed."""

import difflib
import json
import re
from typing import Any

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
WHOLE = 160
"""Longest observation that is shown whole, in characters; of a longer one what differs is."""
_VALUE = 60
"""Longest observation in a line, in characters."""
_LINES = 10
"""Most lines of a difference."""
_DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{16,}\b")


def status_text(status: ProbeStatus, word: str = "") -> Text:
    """A status with its mark and colour."""
    return Text(f"{STATUS_MARK[status]} {word or status.value}", style=STATUS_STYLE[status])


def short(text: str, limit: int = _VALUE) -> str:
    """An observation, cut to what fits where it is shown."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def compact(value: Any) -> str:
    """An observation in one line, with digests cut to their beginnings."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _DIGEST.sub(r"\1…", text)


def difference(old: Any, new: Any) -> str:
    """What differs between two values, with its neighbours; each difference once, however often it is there."""
    hunks: list[list[str]] = []
    for line in list(difflib.unified_diff(_lines(old), _lines(new), n=1, lineterm=""))[2:]:
        if line.startswith("@@"):
            hunks.append([])
        else:
            hunks[-1].append(f"{line[0]} {line[1:]}")
    distinct = dict.fromkeys("\n".join(hunk) for hunk in hunks)
    lines = "\n⋯\n".join(distinct).split("\n")
    more = len(lines) - _LINES
    return "\n".join([*lines[:_LINES], f"⋯ {more} more lines"] if more > 1 else lines)


def _lines(value: Any) -> list[str]:
    """A value with a line for everything in it."""
    if isinstance(value, dict):
        pairs = [(f"{key}: ", each) for key, each in value.items()]
    elif isinstance(value, list):
        pairs = [("", each) for each in value]
    else:
        return [compact(value)]
    return [
        line
        for name, each in pairs
        for line in (_lines(each) if isinstance(each, dict | list) else [name + compact(each)])
    ]


def drift_text(drift: ObservationDrift) -> Text:
    """One behaviour drift: in a line, or if that is too long what differs."""
    text = Text(f"{drift.probe} {printable(drift.key)}: ", style="yellow")
    old, new = short(compact(drift.old)), short(compact(drift.new))
    if drift.change == "added":
        told = f"new in {drift.new_label}: {new}"
    elif drift.change == "removed":
        told = f"{old} in {drift.old_label}, no longer seen in {drift.new_label}"
    elif max(len(compact(each)) for each in (drift.old, drift.new)) > WHOLE:
        told = f"{drift.old_label} → {drift.new_label}\n{difference(drift.old, drift.new)}"
    else:
        told = (
            f"{compact(drift.old)} in {drift.old_label}, {compact(drift.new)} in {drift.new_label}"
        )
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
