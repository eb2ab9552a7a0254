"""What upstream's code does: the probes with what they saw, and the reference models with their source."""

import ast
import importlib.resources
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.failures import UserMistake
from annotator.model.probe import CheckVerdict, ProbeReport, ProbeRun
from annotator.probes.contract import Probe
from annotator.probes.known import load_probe, probe_names

_REFERENCE = "annotator.probes.reference"


class Column(NamedTuple):
    """What a run of a probe is called in a table.

    Attributes:
        label: the commit.
        tier: how it ran.
        device: on what.
    """

    label: str
    tier: str
    device: str


class CheckRow(NamedTuple):
    """One claim of a probe over all runs.

    Attributes:
        id: the check.
        zh: the claim in Chinese.
        en: the claim in English.
        cells: verdicts in the order of the columns, none where a run does not speak of it.
    """

    id: str
    zh: str
    en: str
    cells: tuple[CheckVerdict | None, ...]


class ProbeTable(NamedTuple):
    """One probe: claims × releases.

    Attributes:
        probe: the probe.
        columns: its runs.
        runs: the same, with why one could not be done.
        rows: its claims.
    """

    probe: Probe
    columns: tuple[Column, ...]
    runs: tuple[ProbeRun, ...]
    rows: tuple[CheckRow, ...]


class ReferenceModel(NamedTuple):
    """A model that probes compare upstream with.

    Attributes:
        name: name of its module.
        summary: the first line of its description.
        description: the rest of it, paragraph by paragraph.
        lines: its source after the description.
        start: number of the first of these lines.
    """

    name: str
    summary: str
    description: tuple[str, ...]
    lines: tuple[str, ...]
    start: int


def read_probe_report(file: Path) -> ProbeReport:
    """The result of `annot probe --format json`, which has some keys more than the report itself.

    Raises:
        UserMistake: if it is something else.
    """
    try:
        data = json.loads(file.read_bytes())
        data.pop("exit_code", None)
        return msgspec.convert(data, ProbeReport)
    except (ValueError, AttributeError) as error:
        raise UserMistake(f"{file} is no result of `annot probe --format json`: {error}") from error


def probe_tables(report: ProbeReport | None) -> list[ProbeTable]:
    """All probes there are, with the runs of a report."""
    tables = []
    for name in probe_names():
        probe = load_probe(name)
        runs = tuple(run for run in report.runs if run.probe == name) if report else ()
        columns = tuple(Column(run.label, run.tier, run.device) for run in runs)
        rows = tuple(
            CheckRow(check.id, check.zh, check.en, tuple(_verdict(run, check.id) for run in runs))
            for check in probe.checks
        )
        tables.append(ProbeTable(probe, columns, runs, rows))
    return tables


def _verdict(run: ProbeRun, check: str) -> CheckVerdict | None:
    return next((each for each in run.verdicts if each.check == check), None)


def runs_at(report: ProbeReport | None, labels: Sequence[str]) -> dict[str, list[ProbeRun]]:
    """The runs at the given commits, by probe."""
    found: dict[str, list[ProbeRun]] = {}
    for run in report.runs if report else ():
        if run.label in labels:
            found.setdefault(run.probe, []).append(run)
    return found


def reference_models() -> Iterator[ReferenceModel]:
    """The reference models in the order of the alphabet."""
    entries = sorted(importlib.resources.files(_REFERENCE).iterdir(), key=lambda each: each.name)
    for entry in entries:
        if not entry.name.endswith(".py") or entry.name == "__init__.py":
            continue
        text = entry.read_text(encoding="utf-8")
        module = ast.parse(text)
        summary, _, rest = (ast.get_docstring(module) or "").partition("\n")
        start = (module.body[0].end_lineno or 0) + 1 if module.body else 1
        lines = text.split("\n")
        while start < len(lines) and not lines[start - 1].strip():
            start += 1
        paragraphs = tuple(part for part in rest.strip().split("\n\n") if part.strip())
        yield ReferenceModel(
            entry.name.removesuffix(".py").replace("_", "-"),
            summary,
            paragraphs,
            tuple(lines[start - 1 :]),
            start,
        )
