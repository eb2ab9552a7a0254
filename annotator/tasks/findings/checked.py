"""The result of `annot check` as findings: one an anchor, one a claim that a probe looked at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from annotator.model.finding import About, Finding, Wording, finding_id
from annotator.model.probe import ClaimResult, ProbeStatus
from annotator.model.report import AnchorResult, CheckReport
from annotator.model.resolution import Candidate, Resolution
from annotator.model.study import FileLine, Study
from annotator.model.words import Outcome
from annotator.tasks.findings.rules import ANCHOR_RULES, PROBE_RULES
from annotator.tasks.findings.spots import Mending, spot_in

_CANDIDATES = 3

CLAIM_OUTCOME = {
    ProbeStatus.CONFIRMED: Outcome.OK,
    ProbeStatus.REFUTED: Outcome.CHANGED,
    ProbeStatus.ERROR: Outcome.ERROR,
    ProbeStatus.SKIPPED: Outcome.SKIPPED,
}
"""What a reader has to do about a claim or check, by what running upstream's code says of it."""


def check_findings(report: CheckReport, study: Study, folder: Path) -> list[Finding]:
    """Every anchor of a check, also those that are ok, each followed by its claims.

    Args:
        report: what the check found.
        study: the study checked.
        folder: the study's folder.
    """
    mending = Mending(folder)
    labels = {upstream.name: upstream.label for upstream in report.upstreams}
    found: list[Finding] = []
    for result in report.anchors:
        found.append(_anchor(report, result, labels.get(result.upstream, ""), folder, mending))
        found += _claims(report, result, study, folder)
    return found


def about_check(report: CheckReport, language: Literal["zh", "en"]) -> About:
    """What the findings of a check are the result of."""
    settled = ", ".join(report.settled)
    over = [f"known drift is over: {settled}; drop it with --update-debt"] if settled else []
    return About(
        command="annot check",
        version=report.version,
        language=language,
        compared=tuple(
            f"{upstream.name} {upstream.baseline} → {upstream.label}"
            for upstream in report.upstreams
        ),
        warnings=(*report.warnings, *over),
        exit_code=report.exit_code,
    )


def _anchor(
    report: CheckReport, result: AnchorResult, label: str, folder: Path, mending: Mending
) -> Finding:
    resolution = result.resolution
    outcome = resolution.outcome
    suggestion = None
    if outcome is Outcome.MOVED and resolution.new is not None and not result.known_since:
        suggestion = mending.suggestion(result.file, result.id, resolution.new)
    return Finding(
        id=result.finding,
        rule=ANCHOR_RULES[outcome],
        severity=result.severity,
        outcome=outcome,
        subject=result.id,
        group=result.owner,
        message=_message(outcome, result.baseline, label),
        detail=_detail(resolution),
        spot=spot_in(folder, result.file, result.line),
        upstream=result.upstream,
        place=resolution.new or resolution.old,
        link=result.new_link or result.old_link,
        suggestion=suggestion,
        blame=result.blame,
        fails=report.fails(result),
        accepted=_accepted(result),
    )


def _message(outcome: Outcome, old: str, new: str) -> Wording:
    rule = ANCHOR_RULES[outcome].title
    if not old or not new:
        return rule
    return Wording(
        zh=f"{rule.zh.removesuffix('。')}（{old} → {new}）",
        en=f"{rule.en.removesuffix('.')} ({old} → {new})",
    )


def _detail(resolution: Resolution) -> str:
    if resolution.reason:
        return resolution.reason
    if resolution.outcome in {Outcome.GONE, Outcome.AMBIGUOUS} and resolution.candidates:
        return "; ".join(map(_candidate, resolution.candidates[:_CANDIDATES]))
    if resolution.outcome is Outcome.OK:
        return ""
    return "; ".join(map(str, resolution.loud_changes))


def _candidate(candidate: Candidate) -> str:
    return f"{candidate.path}::{candidate.symbol}? {candidate.score:.2f} {candidate.reason}"


def _accepted(result: AnchorResult) -> Wording | None:
    since = result.known_since
    return Wording(zh=f"自 {since} 起已知", en=f"known since {since}") if since else None


def _claims(
    report: CheckReport, result: AnchorResult, study: Study, folder: Path
) -> Iterator[Finding]:
    for claim in result.claims:
        outcome = CLAIM_OUTCOME[claim.status]
        rule = PROBE_RULES[claim.status]
        written = study.where.get(("claim", claim.id), FileLine(result.file, result.line))
        yield Finding(
            id=finding_id(f"claim {claim.id}", outcome, [claim.probe, claim.check]),
            rule=rule,
            severity=result.own_severity or rule.severity,
            outcome=outcome,
            subject=claim.id,
            group=result.owner,
            message=rule.title,
            detail=_evidence(claim),
            spot=spot_in(folder, *written),
            upstream=result.upstream,
            fails=outcome is Outcome.CHANGED and report.fails(result),
            accepted=_accepted(result) if outcome is Outcome.CHANGED else None,
        )


def _evidence(claim: ClaimResult) -> str:
    if claim.status is ProbeStatus.CONFIRMED:
        return ""
    return f"{claim.evidence}; {claim.hint}" if claim.hint else claim.evidence
