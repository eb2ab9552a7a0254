"""What turns from commit to commit: one table over all probes, a row for each value with the commit it begins at."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.probe import ProbeReport, ProbeRun, Verdict, comparable
from annotator.report.probe_style import WHOLE, compact, difference, short, status_text
from annotator.report.style import printable


class Turn(NamedTuple):
    """A value and where it begins.

    Attributes:
        label: the first of the commits that have it.
        shown: the value, or what is different in it; may be empty for the first.
    """

    label: str
    shown: str


def print_probe_history(console: Console, report: ProbeReport) -> None:
    """Prints what is not the same at all commits, and what came to no end; the JSON has the rest."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    table.add_column("observation", overflow="fold", width=max(26, console.width * 3 // 8))
    table.add_column("from", no_wrap=True)
    table.add_column("seen", overflow="fold", ratio=1)
    columns = comparable(report.runs)
    kinds = Counter(runs[0].series for runs in columns)
    for runs in columns:
        first = runs[0]
        on = f", {first.device}" if kinds[first.series] > 1 else ""
        name = Text(f"{first.probe} ({first.reach}{on})", style="bold")
        table.add_row(name, "", _statuses(runs))
        complete = [run for run in runs if run.is_complete]
        for turns, keys in _alike([*_checks(complete), *_observations(complete)]):
            names = Text("\n".join(map(printable, keys)), style="cyan")
            for turn in filter(lambda each: each.shown, turns):
                table.add_row(names, printable(turn.label), Text(printable(turn.shown)))
                names = Text("")
        table.add_row("", "", "")
    console.print(table)


def _statuses(runs: Sequence[ProbeRun]) -> Text:
    """What became of the runs, neighbours of one kind together."""
    lines = []
    for (status, tier, why), group in groupby(runs, lambda run: (run.status, run.tier, _why(run))):
        labels = [run.label for run in group]
        line = status_text(status)
        line.append(f" {printable(' … '.join(dict.fromkeys((labels[0], labels[-1]))))}")
        line.append("" if tier == "source" else f" {tier}")
        lines.append(line.append(f": {printable(why)}" if why else ""))
    return Text("\n").join(lines)


def _why(run: ProbeRun) -> str:
    return run.reason + (f" → {run.hint}" if run.hint else "")


def _checks(runs: Sequence[ProbeRun]) -> Iterator[tuple[str, tuple[Turn, ...]]]:
    """Checks that a run refutes, or of which not all say the same."""
    said = [(run, verdict) for run in runs for verdict in run.verdicts]
    for check in dict.fromkeys(verdict.check for _, verdict in said):
        about = [(run, verdict) for run, verdict in said if verdict.check == check]
        # A tier in which nothing applies at any commit says nothing of the commits.
        tiers = {run.tier for run, each in about if each.verdict is not Verdict.NOT_APPLICABLE}
        own = [(run.label, verdict) for run, verdict in about if run.tier in tiers]
        turns = []
        for verdict, group in groupby(own, lambda pair: pair[1].verdict):
            label, first = next(group)
            evidence = "" if verdict is Verdict.CONFIRMED else f": {short(first.evidence, WHOLE)}"
            turns.append(Turn(label, f"{verdict.value}{evidence}"))
        if len(turns) > 1 or any(verdict.verdict is Verdict.REFUTED for _, verdict in own):
            yield f"check {check}", tuple(turns)


def _observations(runs: Sequence[ProbeRun]) -> Iterator[tuple[str, tuple[Turn, ...]]]:
    """Observations that are not the same everywhere."""
    for key in sorted(set().union(*(run.observations for run in runs))):
        turns = tuple(_turns(key, runs))
        if len(turns) > 1:
            yield key, turns


def _turns(key: str, runs: Sequence[ProbeRun]) -> Iterator[Turn]:
    tiers = {run.tier for run in runs if key in run.observations}
    looked = [
        run for run in runs if run.tier in tiers
    ]  # not looked at is not the same as not there
    before: list[Any] | None = None
    for run in looked:
        now = [run.observations[key]] if key in run.observations else []
        if now != before:
            yield Turn(run.label, _shown(before, now))
        before = now


def _shown(before: list[Any] | None, now: list[Any]) -> str:
    """A value, or if it is too long what differs in it; nothing of the first one if that is too long."""
    if not now:
        return "–"
    text = compact(now[0])
    if len(text) <= WHOLE:
        return text
    return difference(before[0], now[0]) if before else ""


def _alike(
    rows: Iterable[tuple[str, tuple[Turn, ...]]],
) -> Iterable[tuple[tuple[Turn, ...], list[str]]]:
    """Keys that turn in the same way, together."""
    together: dict[tuple[Turn, ...], list[str]] = {}
    for key, turns in rows:
        together.setdefault(turns, []).append(key)
    return together.items()
