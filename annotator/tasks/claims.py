"""What running upstream's code says of the claims of checked anchors."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from annotator.model.anchor import Anchor, Claim
from annotator.model.failures import AnnotError, Incomplete
from annotator.model.lock import Behaviour, Lock
from annotator.model.probe import (
    ClaimResult,
    ObservationDrift,
    ProbeRun,
    ProbeStatus,
    Verdict,
    observation_drifts,
)
from annotator.model.report import AnchorResult
from annotator.model.resolution import Change
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.model.words import ChangeKind, Outcome
from annotator.probes.choice import Reach
from annotator.probes.contract import Probe
from annotator.probes.known import load_probe, probe_names
from annotator.probes.runner import Runner, Source
from annotator.tasks.probe import Engine, reaches, source_of
from annotator.tasks.progress import Progress
from annotator.tasks.workspace import Workspace


class Probed(NamedTuple):
    """What probes saw at the commit that is checked.

    Attributes:
        runs: every run there.
        drifts: observations that differ from the baseline's.
        warnings: what could not be compared.
    """

    runs: tuple[ProbeRun, ...] = ()
    drifts: tuple[ObservationDrift, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def by_probe(self) -> dict[str, list[ProbeRun]]:
        """The runs by name of their probe."""
        runs: dict[str, list[ProbeRun]] = {}
        for run in self.runs:
            runs.setdefault(run.probe, []).append(run)
        return runs


def probe_claims(
    workspace: Workspace,
    study: Study,
    locks: Mapping[str, Lock],
    runner: Runner,
    anchors: Iterable[Anchor],
    ref: str,
    *,
    engine: Engine = "auto",
    progress: Progress = lambda what, done, total: None,
) -> Probed:
    """Runs the probes that the claims of these anchors name, and compares what they see with the baseline.

    Args:
        workspace: open sources.
        study: the study, which knows the baselines.
        locks: what was observed at the baselines, by upstream; where that is not recorded, it is run again there.
        runner: runs probes.
        anchors: the anchors checked.
        ref: the commit checked.
        engine: whether probes that want compiled code are run.
        progress: told before each run.
    """
    names = sorted({claim.probe for anchor in anchors for claim in anchor.claims if claim.probe})
    runs: list[ProbeRun] = []
    drifts: list[ObservationDrift] = []
    warnings: list[str] = []
    for done, name in enumerate(names):
        progress(f"probe {name}", done, len(names))
        probe = load_probe(name)
        try:
            target = source_of(workspace, runner, probe, ref)
        except AnnotError as error:
            warnings.append(f"probe {name} was not run: {error}")
            continue
        lock = locks.get(probe.upstream)
        for reach in reaches(probe, engine):
            run = runner.run(probe, target, reach)
            runs.append(run)
            if run.is_complete:
                try:
                    drifts += _since_baseline(workspace, study, lock, runner, probe, reach, run)
                except AnnotError as error:
                    warnings.append(f"behaviour of {run.series} was not compared: {error}")
    progress("", len(names), len(names))
    return Probed(tuple(runs), tuple(drifts), tuple(warnings))


def _since_baseline(
    workspace: Workspace,
    study: Study,
    lock: Lock | None,
    runner: Runner,
    probe: Probe,
    reach: Reach,
    run: ProbeRun,
) -> Iterable[ObservationDrift]:
    """What a run saw otherwise than the baseline's.

    Raises:
        Incomplete: if the baseline's behaviour is not recorded, and the baseline is not at hand or the probe cannot
            be run there.
    """
    upstream = study.upstreams.get(probe.upstream)
    if upstream is None:
        return ()
    recorded = _recorded(lock, upstream, run)
    try:
        base = workspace.baseline(probe.upstream, upstream)
    except Incomplete:
        if recorded is None:
            raise
        return recorded
    if base.commit == run.commit:
        return ()
    if recorded is not None and lock is not None and lock.recorded_from == base.ref:
        return recorded
    before = runner.run(probe, Source(base.repository, base.commit, base.label), reach)
    if before.is_complete:
        same_tier = before.tier == run.tier
        return observation_drifts(before.label, before.observations, run, same_tier=same_tier)
    if recorded is None:
        raise Incomplete(f"at {before.label}: {before.reason}", hint=before.hint)
    return recorded


def _recorded(
    lock: Lock | None, upstream: Upstream, run: ProbeRun
) -> tuple[ObservationDrift, ...] | None:
    """What a run saw otherwise than the lock has it; none if the lock has nothing comparable of the pin."""
    if lock is None or lock.recorded_from not in upstream.pin.refs:
        return None
    before = lock.behaviour.get(run.series)
    if before is None or (before.version, before.device) != (run.version, run.device):
        return None
    same_tier = before.tier == run.tier
    drifts = observation_drifts(lock.recorded_from, before.observations, run, same_tier=same_tier)
    return tuple(drifts)


def record_behaviour(
    workspace: Workspace,
    name: str,
    upstream: Upstream,
    runner: Runner,
    *,
    engine: Engine = "auto",
    progress: Progress = lambda what, done, total: None,
) -> tuple[dict[str, Behaviour], list[str]]:
    """What every probe of an upstream observes at its baseline, for the lock; and why some observe nothing.

    Raises:
        Incomplete: if the baseline is not at hand.
    """
    base = workspace.baseline(name, upstream)
    source = Source(base.repository, base.commit, base.label)
    probes = [probe for probe in map(load_probe, probe_names()) if probe.upstream == name]
    recorded: dict[str, Behaviour] = {}
    problems: list[str] = []
    for done, probe in enumerate(probes):
        progress(f"probe {probe.name}", done, len(probes))
        for reach in reaches(probe, engine):
            run = runner.run(probe, source, reach)
            if run.is_complete:
                recorded[run.series] = Behaviour(
                    version=run.version,
                    tier=run.tier,
                    device=run.device,
                    observations=run.observations,
                    verdicts={each.check: each.verdict for each in run.verdicts},
                )
            else:
                hint = f"; {run.hint}" if run.hint else ""
                problems.append(f"{run.series} was not recorded: {run.reason}{hint}")
    progress("", len(probes), len(probes))
    return recorded, problems


def with_claims(
    result: AnchorResult, anchor: Anchor, runs: Mapping[str, Sequence[ProbeRun]]
) -> AnchorResult:
    """An anchor's result with what was seen of its claims. A refuted claim makes it `changed`.

    Args:
        result: what became of the anchor's place.
        anchor: the anchor.
        runs: by name of the probe.
    """
    claims = tuple(filter(None, (claim_result(claim, runs) for claim in anchor.claims)))
    if not claims:
        return result
    refuted = [claim for claim in claims if claim.status is ProbeStatus.REFUTED]
    resolution = result.resolution
    if refuted and resolution.outcome in {Outcome.OK, Outcome.MOVED}:
        changes = tuple(
            Change(kind=ChangeKind.BEHAVIOUR, detail=f"{claim.id}: {claim.evidence}")
            for claim in refuted
        )
        resolution = replace(
            resolution, outcome=Outcome.CHANGED, changes=(*resolution.changes, *changes)
        )
    return replace(result, resolution=resolution, claims=claims)


def claim_result(claim: Claim, runs: Mapping[str, Sequence[ProbeRun]]) -> ClaimResult | None:
    """What runs of the probe that a claim names say of it; none if it names none.

    A claim about something that this version does not have does not hold for it either.

    Args:
        claim: the claim.
        runs: by name of the probe.
    """
    if claim.probe is None:
        return None
    own = runs.get(claim.probe, ())

    def result(status: ProbeStatus, evidence: str, run: ProbeRun | None = None) -> ClaimResult:
        return ClaimResult(
            id=claim.id,
            probe=claim.probe or "",
            check=claim.check or "",
            status=status,
            tier=run.tier if run else "",
            evidence=evidence,
            hint=run.hint if run else "",
        )

    found = {
        verdict.verdict: (verdict.evidence, run)
        for run in reversed(own)
        for verdict in reversed(run.verdicts)
        if claim.check is None or verdict.check == claim.check
    }
    if Verdict.REFUTED in found:
        return result(ProbeStatus.REFUTED, *found[Verdict.REFUTED])
    if Verdict.CONFIRMED in found:
        return result(ProbeStatus.CONFIRMED, *found[Verdict.CONFIRMED])
    if Verdict.NOT_APPLICABLE in found:
        evidence, run = found[Verdict.NOT_APPLICABLE]
        return result(ProbeStatus.REFUTED, f"does not apply to this version: {evidence}", run)
    for status in (ProbeStatus.ERROR, ProbeStatus.SKIPPED):
        for run in own:
            if run.status is status:
                return result(status, run.reason, run)
    reason = "no run speaks of this check" if own else "the probe was not run"
    return result(ProbeStatus.ERROR if own else ProbeStatus.SKIPPED, reason)
