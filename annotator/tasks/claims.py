"""What running upstream's code says of the claims of checked anchors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from annotator.model.anchor import Anchor, Claim
from annotator.model.failures import AnnotError
from annotator.model.probe import ClaimResult, ObservationDrift, ProbeRun, ProbeStatus, Verdict
from annotator.model.report import AnchorResult
from annotator.model.resolution import Change
from annotator.model.study import Study
from annotator.model.words import ChangeKind, Outcome
from annotator.probes.contract import Probe
from annotator.probes.known import load_probe
from annotator.probes.runner import Runner, Source
from annotator.tasks.probe import Engine, drifts_between, reaches, source_of
from annotator.tasks.workspace import Workspace

Progress = Callable[[str, int, int], None]


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
    runner: Runner,
    anchors: Iterable[Anchor],
    ref: str,
    *,
    engine: Engine = "auto",
    progress: Progress = lambda what, done, total: None,
) -> Probed:
    """Runs the probes that the claims of these anchors name, on the commit checked and on the baseline.

    Args:
        workspace: open sources.
        study: the study, which knows the baselines.
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
            target = source_of(workspace, probe.upstream, ref)
        except AnnotError as error:
            warnings.append(f"probe {name} was not run: {error}")
            continue
        here = [runner.run(probe, target, reach) for reach in reaches(probe, engine)]
        runs += here
        if any(run.is_complete for run in here):
            before, unseen = _baseline_runs(workspace, study, runner, probe, target, engine)
            warnings += unseen
            drifts += drifts_between([*before, *here])
    progress("", len(names), len(names))
    return Probed(tuple(runs), tuple(drifts), tuple(warnings))


def _baseline_runs(
    workspace: Workspace,
    study: Study,
    runner: Runner,
    probe: Probe,
    target: Source,
    engine: Engine,
) -> tuple[list[ProbeRun], list[str]]:
    """The same probe at the baseline of its upstream, and why it cannot be compared there."""
    upstream = study.upstreams.get(probe.upstream)
    if upstream is None:
        return [], []
    try:
        base = workspace.baseline(probe.upstream, upstream)
    except AnnotError as error:
        return [], [f"behaviour of {probe.name} was not compared: {error}"]
    if base.commit == target.commit:
        return [], []
    source = Source(base.repository, base.commit, base.label)
    runs = [runner.run(probe, source, reach) for reach in reaches(probe, engine)]
    unseen = [
        f"behaviour of {probe.name} ({run.tier}) was not compared with {run.label}: {run.reason}"
        for run in runs
        if not run.is_complete
    ]
    return runs, unseen


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
        resolution = resolution.model_copy(
            update={"outcome": Outcome.CHANGED, "changes": (*resolution.changes, *changes)}
        )
    return result.model_copy(update={"resolution": resolution, "claims": claims})


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
