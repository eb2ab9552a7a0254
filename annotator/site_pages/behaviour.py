"""What upstream's code does: the probes with what they saw, and the reference models with their source."""

import ast
import importlib.resources
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.failures import UserMistake
from annotator.model.lock import Behaviour, Lock
from annotator.model.probe import CheckVerdict, ProbeReport, ProbeRun, ProbeStatus, Verdict
from annotator.probes.contract import Probe
from annotator.probes.known import load_probe, probe_names

_REFERENCE = "annotator.probes.reference"


class Seen(NamedTuple):
    """What probes saw.

    Attributes:
        runs: their runs, the oldest commit first.
        recorded: whether they are those that the locks recorded at the baselines, and not a report's.
    """

    runs: tuple[ProbeRun, ...] = ()
    recorded: bool = False

    def at(self, labels: Sequence[str]) -> dict[str, list[ProbeRun]]:
        """By probe, the runs that speak of the given commits; recorded ones speak of the baselines all the same."""
        found: dict[str, list[ProbeRun]] = {}
        for run in self.runs:
            if run.verdicts if self.recorded else run.label in labels:
                found.setdefault(run.probe, []).append(run)
        return found


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


def read_probe_report(file: Path) -> Seen:
    """The result of `annot probe --format json`, which has some keys more than the report itself.

    Raises:
        UserMistake: if it is something else.
    """
    try:
        data = json.loads(file.read_bytes())
        data.pop("exit_code", None)
        return Seen(msgspec.convert(data, ProbeReport).runs)
    except (ValueError, AttributeError, TypeError) as error:
        raise UserMistake(f"{file} is no result of `annot probe --format json`: {error}") from error


def recorded_runs(locks: Mapping[str, Lock]) -> Seen:
    """What the locks recorded of probes, as runs at the baselines."""
    runs = (
        _recorded_run(lock, series.partition("/")[0], behaviour)
        for lock in locks.values()
        for series, behaviour in sorted(lock.behaviour.items())
    )
    return Seen(tuple(runs), recorded=True)


def _recorded_run(lock: Lock, probe: str, behaviour: Behaviour) -> ProbeRun:
    refuted = Verdict.REFUTED in behaviour.verdicts.values()
    data = {
        "probe": probe,
        "version": behaviour.version,
        "upstream": lock.upstream,
        "commit": lock.commit,
        "label": lock.recorded_from,
        "tier": behaviour.tier,
        "device": behaviour.device,
        "status": ProbeStatus.REFUTED if refuted else ProbeStatus.CONFIRMED,
        "verdicts": [
            CheckVerdict(check=check, verdict=verdict)
            for check, verdict in behaviour.verdicts.items()
        ],
        "observations": behaviour.observations,
    }
    return msgspec.convert(data, ProbeRun)


def probe_tables(seen: Iterable[ProbeRun]) -> list[ProbeTable]:
    """All probes there are, with their runs."""
    seen = tuple(seen)
    tables = []
    for name in probe_names():
        probe = load_probe(name)
        runs = tuple(run for run in seen if run.probe == name)
        columns = tuple(Column(run.label, run.tier, run.device) for run in runs)
        rows = tuple(
            CheckRow(check.id, check.zh, check.en, tuple(_verdict(run, check.id) for run in runs))
            for check in probe.checks
        )
        tables.append(ProbeTable(probe, columns, runs, rows))
    return tables


def _verdict(run: ProbeRun, check: str) -> CheckVerdict | None:
    return next((each for each in run.verdicts if each.check == check), None)


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
