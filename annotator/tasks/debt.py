"""Known drift: lets it pass, tells what of it is over, and records what there is now."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from annotator.model.debt import DebtFile, Known
from annotator.model.report import AnchorResult, CheckReport
from annotator.model.words import DRIFT, Outcome


def with_debt(report: CheckReport, debt: DebtFile) -> CheckReport:
    """The report with known drift marked as such, and with what is recorded but not there any more.

    What could not be checked is no sign that it is over.
    """
    known = {each.subject: each for each in debt.known}
    marked = tuple(_marked(result, known) for result in report.anchors)
    settled = tuple(
        result.id
        for result in report.anchors
        if result.id in known and result.resolution.outcome is Outcome.OK
    )
    return replace(report, anchors=marked, settled=settled)


def updated_debt(report: CheckReport, debt: DebtFile, study_anchors: Iterable[str]) -> DebtFile:
    """What is known after a check: its drift, and the entries of anchors that it says nothing of.

    Args:
        report: what the check found.
        debt: what was known before; entries that still hold stay as they are.
        study_anchors: ids of all anchors there are; entries of others are dropped.
    """
    existing = set(study_anchors)
    before = {each.subject: each for each in debt.known if each.subject in existing}
    labels = {upstream.name: upstream.label for upstream in report.upstreams}
    for result in report.anchors:
        if result.resolution.outcome in DRIFT:
            known = before.get(result.id)
            if known is None or known.finding != result.finding:
                before[result.id] = Known(
                    subject=result.id,
                    outcome=result.resolution.outcome,
                    finding=result.finding,
                    since=labels.get(result.upstream) or "unknown",
                )
        elif result.resolution.outcome is Outcome.OK:
            before.pop(result.id, None)
    return DebtFile(schema=1, known=tuple(before.values()))


def _marked(result: AnchorResult, known: Mapping[str, Known]) -> AnchorResult:
    entry = known.get(result.id)
    if entry is None or result.resolution.outcome not in DRIFT or entry.finding != result.finding:
        return result
    return replace(result, known_since=entry.since)
