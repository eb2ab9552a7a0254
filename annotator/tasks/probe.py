"""`annot probe`: runs probes on commits and says what differs between them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.probe import (
    ObservationDrift,
    ProbeReport,
    ProbeRun,
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


def probe(
    workspace: Workspace,
    runner: Runner,
    names: Iterable[str],
    refs: Sequence[str],
    *,
    engine: Engine = "auto",
    gate: bool = False,
    allow_skipped: bool = False,
    progress: Progress = lambda what, done, total: None,
) -> ProbeReport:
    """Runs probes on commits, the oldest first, and compares neighbouring commits.

    Args:
        workspace: open sources.
        runner: runs them.
        names: the probes; all of them without a name.
        refs: the commits, in each probe's upstream.
        engine: whether probes that want compiled code are run.
        gate: whether a difference counts as a failure.
        allow_skipped: whether what cannot be run here counts as nothing.
        progress: told before each run.

    Raises:
        UserMistake: if a probe or a commit is unknown.
        Incomplete: if there is no source.
    """
    chosen = list(dict.fromkeys(names))
    wanted = list(dict.fromkeys(refs))
    unknown: dict[str, list[str]] = {}
    work: list[tuple[Probe, Reach, Source]] = []
    for each in [load_probe(name) for name in chosen or probe_names()]:
        try:
            sources = [source_of(workspace, runner, each, ref) for ref in wanted]
        except AnnotError as error:
            if chosen:
                raise
            unknown.setdefault(str(error), []).append(each.name)
            continue
        work += [(each, reach, s) for reach in reaches(each, engine) for s in sources]
    warnings = [f"not run: {', '.join(names)}: {error}" for error, names in unknown.items()]
    if not work and warnings:
        raise UserMistake(f"no upstream has {' and '.join(wanted)}", hint="; ".join(warnings))
    runs: list[ProbeRun] = []
    for done, (each, reach, source) in enumerate(work):
        progress(f"{each.name} {source.label}", done, len(work))
        runs.append(runner.run(each, source, reach))
    progress("", len(work), len(work))
    return ProbeReport(
        version=__version__,
        labels=tuple(dict.fromkeys(source.label for _, _, source in work)),
        runs=tuple(runs),
        drifts=tuple(drifts_between(runs)),
        gate=gate,
        allow_skipped=allow_skipped,
        warnings=tuple(warnings),
    )


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
    series: dict[str, list[ProbeRun]] = {}
    for run in runs:
        if run.is_complete:
            series.setdefault(run.series, []).append(run)
    for column in series.values():
        for old, new in pairwise(column):
            yield from observation_drifts(
                old.label, old.observations, new, same_tier=old.tier == new.tier
            )
