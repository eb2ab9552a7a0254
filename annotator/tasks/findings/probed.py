"""The result of `annot probe` as findings: one a check of each run, one a difference in behaviour."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from annotator.model.finding import About, Finding, Spot, Wording, finding_id
from annotator.model.probe import (
    ObservationDrift,
    ProbeReport,
    ProbeRun,
    ProbeStatus,
    Verdict,
    comparable,
)
from annotator.model.study import Study
from annotator.model.words import Outcome, Severity
from annotator.probes.known import load_probe
from annotator.tasks.findings.checked import CLAIM_OUTCOME
from annotator.tasks.findings.rules import BEHAVIOUR_RULE, PROBE_RULES
from annotator.tasks.findings.spots import spot_in

_STATUS = {
    Verdict.CONFIRMED: ProbeStatus.CONFIRMED,
    Verdict.REFUTED: ProbeStatus.REFUTED,
    # What this version does not have can neither hold nor fail; a claim about it is `annot check --probes`' to judge.
    Verdict.NOT_APPLICABLE: ProbeStatus.CONFIRMED,
}
_NOT_APPLICABLE = Wording(
    zh="这个版本没有该检查所说的东西。", en="This version has nothing that the check speaks of."
)
_VALUE = 80
"""Longest observation shown, in characters."""


def probe_findings(report: ProbeReport, study: Study | None, folder: Path | None) -> list[Finding]:
    """Every check of every run, also those that are confirmed, then what behaves differently.

    Each stands where the study speaks of it: at a claim that names the check, else at the upstream's entry.

    Args:
        report: what the probes found.
        study: the study whose claims name the checks, if there is one.
        folder: its folder.
    """
    spots = _Spots(study, folder)
    several = len(report.labels) > 1
    columns = Counter(runs[0].series for runs in comparable(report.runs))
    found: list[Finding] = []
    for run in report.runs:
        group = f"{run.series}@{run.label}" if several else run.series
        if columns[run.series] > 1:
            group += f" on {run.device}"
        found += _run(run, group, spots)
    found += (_drift(drift, report.gate, spots) for drift in report.drifts)
    return found


def about_probe(report: ProbeReport, language: Literal["zh", "en"]) -> About:
    """What the findings of probes are the result of."""
    return About(
        command="annot probe",
        version=report.version,
        language=language,
        compared=tuple(dict.fromkeys(f"{run.upstream} {run.label}" for run in report.runs)),
        warnings=report.warnings,
        exit_code=report.exit_code,
    )


class _Spots:
    """Where a study speaks of checks of probes."""

    def __init__(self, study: Study | None, folder: Path | None) -> None:
        self._folder = folder
        self._study = study
        self._claims: dict[tuple[str, str], str] = {}
        for placed in study.anchors if study else ():
            for claim in placed.anchor.claims:
                if claim.probe:
                    self._claims.setdefault((claim.probe, claim.check or ""), claim.id)

    def of(self, probe: str, check: str, upstream: str) -> Spot | None:
        if self._study is None or self._folder is None:
            return None
        claim = self._claims.get((probe, check)) or self._claims.get((probe, ""))
        written = self._study.where.get(("claim", claim)) if claim else None
        written = written or self._study.where.get(("upstream", upstream))
        return spot_in(self._folder, *written) if written else None


def _run(run: ProbeRun, group: str, spots: _Spots) -> Iterator[Finding]:
    if not run.is_complete:
        outcome = CLAIM_OUTCOME[run.status]
        rule = PROBE_RULES[run.status]
        yield Finding(
            id=finding_id(f"probe {group}", outcome),
            rule=rule,
            severity=rule.severity,
            outcome=outcome,
            subject=run.probe,
            group=group,
            message=rule.title,
            detail=f"{run.reason}; {run.hint}" if run.hint else run.reason,
            spot=spots.of(run.probe, "", run.upstream),
            upstream=run.upstream,
            seconds=run.seconds,
        )
        return
    checks = {check.id: check for check in load_probe(run.probe).checks}
    for verdict in run.verdicts:
        status = _STATUS[verdict.verdict]
        rule = PROBE_RULES[status]
        message = rule.title
        if verdict.verdict is Verdict.NOT_APPLICABLE:
            message = _NOT_APPLICABLE
        elif check := checks.get(verdict.check):
            message = Wording(zh=f"{message.zh}{check.zh}", en=f"{message.en} {check.en}")
        yield Finding(
            id=finding_id(f"check {group}/{verdict.check}", CLAIM_OUTCOME[status]),
            rule=rule,
            severity=rule.severity,
            outcome=CLAIM_OUTCOME[status],
            subject=verdict.check,
            group=group,
            message=message,
            detail=verdict.evidence if status is ProbeStatus.REFUTED else "",
            spot=spots.of(run.probe, verdict.check, run.upstream),
            upstream=run.upstream,
            fails=status is ProbeStatus.REFUTED,
            seconds=run.seconds / len(run.verdicts),
        )


def _drift(drift: ObservationDrift, gate: bool, spots: _Spots) -> Finding:
    upstream = load_probe(drift.probe).upstream
    new = _shown(drift.new)
    return Finding(
        id=finding_id(f"observation {drift.probe}/{drift.key}", Outcome.CHANGED, [new]),
        rule=BEHAVIOUR_RULE,
        severity=BEHAVIOUR_RULE.severity if gate else Severity.NOTE,
        outcome=Outcome.CHANGED,
        subject=drift.key,
        group=f"{drift.probe}/{drift.tier}",
        message=Wording(
            zh=f"行为有变化（{drift.old_label} → {drift.new_label}）",
            en=f"Behaves differently ({drift.old_label} → {drift.new_label})",
        ),
        detail=f"{_short(_shown(drift.old))} → {_short(new)}",
        spot=spots.of(drift.probe, "", upstream),
        upstream=upstream,
        fails=gate,
    )


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _short(text: str) -> str:
    return text if len(text) <= _VALUE else text[: _VALUE - 1] + "…"
