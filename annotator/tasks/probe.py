"""`annot probe`: runs probes on commits and says what differs between them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.probe import (
    ObservationDrift,
    ProbeReport,
    ProbeRun,
    comparable,
    observation_drifts,
)
from annotator.model.version import __version__
from annotator.probes.choice import Reach
from annotator.probes.contract import Probe
from annotator.probes.known import load_probe, probe_names
from annotator.probes.runner import Runner, Source
from annotator.tasks.progress import Progress
from annotator.tasks.workspace import Workspace

Engine = Literal["auto", "none", "cpu", "gpu"]


class ProbeWork(NamedTuple):
    """One run that is wanted.

    Attributes:
        probe: the probe.
        reach: whether with compiled code.
        source: the commit.
        ref: what it was asked for by.
        device: what compiled code is to run on, as `annot probe --device` says it.
    """

    probe: Probe
    reach: Reach
    source: Source
    ref: str
    device: str


RunAll = Callable[[Sequence[ProbeWork], Progress], Sequence[ProbeRun]]
"""Does all runs that are wanted, and gives them back in that order."""


def one_by_one(runner: Runner) -> RunAll:
    """Has a runner do the runs, one after another, in this process."""

    def run(work: Sequence[ProbeWork], progress: Progress) -> Sequence[ProbeRun]:
        runs = []
        for done, (each, reach, source, _, device) in enumerate(work):
            progress(f"{each.name} {source.label}", done, len(work))
            runs.append(runner.run(each, source, reach, device=device))
        return runs

    return run


def probe(
    workspace: Workspace,
    runner: Runner,
    names: Iterable[str],
    refs: Sequence[str],
    *,
    devices: Sequence[str] = ("auto",),
    engine: Engine = "auto",
    gate: bool = False,
    allow_skipped: bool = False,
    run_all: RunAll | None = None,
    progress: Progress = lambda what, done, total: None,
) -> ProbeReport:
    """Runs probes on commits, the oldest first, and compares neighbouring commits.

    Args:
        workspace: open sources.
        runner: knows this machine's environments; runs the probes if nobody else does.
        names: the probes; all of them without a name.
        refs: the commits, in each probe's upstream.
        devices: what compiled code is to run on: `cpu`, `cuda`, `auto` for a GPU where there is one; each of them.
        engine: whether probes that want compiled code are run.
        gate: whether a difference counts as a failure.
        allow_skipped: whether what cannot be run here counts as nothing.
        run_all: does the runs, if not the runner one after another.
        progress: told how many runs are done.

    Raises:
        UserMistake: if a probe or a commit is unknown.
        Incomplete: if there is no source, or whoever does the runs cannot go on.
    """
    chosen = list(dict.fromkeys(names))
    wanted = list(dict.fromkeys(refs))
    unknown: dict[str, list[str]] = {}
    work: list[ProbeWork] = []
    find = _finding(workspace, runner)
    for each in [load_probe(name) for name in chosen or probe_names()]:
        try:
            sources = [(find(each, ref), ref) for ref in wanted]
        except AnnotError as error:
            if chosen:
                raise
            unknown.setdefault(str(error), []).append(each.name)
            continue
        work += [
            ProbeWork(each, reach, source, ref, device)
            for reach in reaches(each, engine)
            for device in (devices if reach == "compiled" else ("cpu",))
            for source, ref in sources
        ]
    warnings = [f"not run: {', '.join(names)}: {error}" for error, names in unknown.items()]
    if not work and warnings:
        raise UserMistake(f"no upstream has {' and '.join(wanted)}", hint="; ".join(warnings))
    runs = (run_all or one_by_one(runner))(work, progress)
    progress("", len(work), len(work))
    return ProbeReport(
        version=__version__,
        labels=tuple(dict.fromkeys(run.label for run in runs)),
        runs=tuple(runs),
        drifts=tuple(drifts_between(runs)),
        gate=gate,
        allow_skipped=allow_skipped,
        warnings=tuple(warnings),
    )


def _finding(workspace: Workspace, runner: Runner) -> Callable[[Probe, str], Source]:
    """Like `source_of`, but asks git once for what many probes need."""
    known: dict[tuple[str, bool, str], Source] = {}

    def find(each: Probe, ref: str) -> Source:
        key = (each.upstream, bool(each.paths), ref)
        if key not in known:
            known[key] = source_of(workspace, runner, each, ref)
        return known[key]

    return find


def source_of(workspace: Workspace, runner: Runner, each: Probe, ref: str) -> Source:
    """The commit that a ref names in a probe's upstream.

    A probe that runs nothing of upstream's tree needs no source for the release that is installed; with none installed
    it has the run to say so.

    Raises:
        UserMistake: if no source knows the ref.
        Incomplete: if there is no source.
    """
    try:
        revision = workspace.revision(each.upstream, ref)
    except AnnotError:
        if each.paths:
            raise
        installed = runner.installed_version(each)
        if installed and ref.removeprefix("v") not in {"HEAD", installed}:
            raise
        return Source(None, "", f"v{installed}" if installed else ref)
    return Source(revision.repository, revision.commit, revision.label)


def reaches(each: Probe, engine: Engine) -> Iterator[Reach]:
    """How a probe is to be run: as a bare tree, with compiled code, or both."""
    if "source" in each.tiers:
        yield "source"
    if engine != "none" and {"overlay", "engine"} & set(each.tiers):
        yield "compiled"


def drifts_between(runs: Iterable[ProbeRun]) -> Iterator[ObservationDrift]:
    """What differs between neighbouring commits, of runs given oldest first. Runs that came to no end are passed over."""
    for column in comparable(run for run in runs if run.is_complete):
        for old, new in pairwise(column):
            yield from observation_drifts(
                old.label, old.observations, new, same_tier=old.tier == new.tier
            )
