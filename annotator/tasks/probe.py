"""`annot probe`: runs probes on commits and says what differs between them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from annotator import __version__
from annotator.model.anchor import Claim
from annotator.model.failures import AnnotError, UserMistake
from annotator.model.probe import (
    ClaimResult,
    ObservationDrift,
    ProbeReport,
    ProbeRun,
    ProbeStatus,
    Verdict,
    observation_drifts,
)
from annotator.probes.contract import Probe
from annotator.probes.known import load_probe, probe_names
from annotator.probes.runner import Reach, Runner, Source
from annotator.tasks.workspace import Workspace

Progress = Callable[[str, int, int], None]
Engine = Literal["auto", "none", "cpu", "gpu"]


def probe(
    workspace: Workspace,
    runner: Runner,
    names: Iterable[str],
    refs: Sequence[str],
    *,
    engine: Engine = "auto",
    gate: bool = False,
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
        progress: told before each run.

    Raises:
        UserMistake: if a probe or a commit is unknown.
        Incomplete: if there is no source.
    """
    chosen = list(dict.fromkeys(names))
    wanted = list(dict.fromkeys(refs))
    warnings: list[str] = []
    work: list[tuple[Probe, Reach, Source]] = []
    for each in [load_probe(name) for name in chosen or probe_names()]:
        try:
            sources = [source_of(workspace, each.upstream, ref) for ref in wanted]
        except AnnotError as error:
            if chosen:
                raise
            warnings.append(f"{each.name} was not run: {error}")
            continue
        work += [(each, reach, s) for reach in reaches(each, engine) for s in sources]
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
        warnings=tuple(warnings),
    )


def source_of(workspace: Workspace, upstream: str, ref: str) -> Source:
    """The commit that a ref names in an upstream.

    Raises:
        UserMistake: if no source knows the ref.
        Incomplete: if there is no source.
    """
    revision = workspace.revision(upstream, ref)
    return Source(revision.repository, revision.commit, revision.label)


def reaches(each: Probe, engine: Engine) -> Iterator[Reach]:
    """How a probe is to be run: as a bare tree, with compiled code, or both."""
    if "source" in each.tiers:
        yield "source"
    if engine != "none" and {"overlay", "engine"} & set(each.tiers):
        yield "compiled"


def drifts_between(runs: Iterable[ProbeRun]) -> Iterator[ObservationDrift]:
    """What differs between neighbouring commits, of runs given oldest first."""
    series: dict[tuple[str, str], list[ProbeRun]] = {}
    for run in runs:
        if run.is_complete:
            series.setdefault((run.probe, run.reach), []).append(run)
    for column in series.values():
        for old, new in pairwise(column):
            yield from observation_drifts(old, new)


def claim_result(claim: Claim, runs: Mapping[str, Sequence[ProbeRun]]) -> ClaimResult | None:
    """What runs of the probe that a claim names say of it; none if it names none.

    Args:
        claim: the claim.
        runs: by name of the probe.
    """
    if claim.probe is None:
        return None
    said = {"id": claim.id, "probe": claim.probe, "check": claim.check or ""}
    own = runs.get(claim.probe, ())
    found = [
        (verdict, run)
        for run in own
        for verdict in run.verdicts
        if claim.check is None or verdict.check == claim.check
    ]
    for wanted, status in (
        (Verdict.REFUTED, ProbeStatus.REFUTED),
        (Verdict.CONFIRMED, ProbeStatus.CONFIRMED),
        (Verdict.NOT_APPLICABLE, ProbeStatus.SKIPPED),
    ):
        for verdict, run in found:
            if verdict.verdict is wanted:
                evidence = verdict.evidence
                return ClaimResult(**said, status=status, tier=run.tier, evidence=evidence)
    for status in (ProbeStatus.ERROR, ProbeStatus.SKIPPED):
        for run in own:
            if run.status is status:
                return ClaimResult(
                    **said, status=status, tier=run.tier, evidence=run.reason, hint=run.hint
                )
    return ClaimResult(**said, status=ProbeStatus.ERROR, evidence="no run spoke of this check")
