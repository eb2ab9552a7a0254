"""What all formats say of findings, and in which order."""

from collections import Counter
from collections.abc import Iterable, Sequence

from annotator.model.finding import About, Finding
from annotator.model.words import WORST_FIRST, Outcome, Severity
from annotator.report.markdown import one_line

_MATTERS = list(Severity)


def open_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with something to do and not accepted: what fails first, then by severity, then as they came."""
    return sorted(
        (finding for finding in findings if not finding.is_ok and finding.accepted is None),
        key=lambda finding: (not finding.fails, -_MATTERS.index(finding.severity)),
    )


def sentence(finding: Finding, about: About) -> str:
    """What happened and what changed, in one line without control characters."""
    text = finding.message.in_language(about.language)
    if not finding.detail:
        return one_line(text)
    colon = "：" if about.language == "zh" else ": "
    return one_line(f"{text.rstrip('.。')}{colon}{finding.detail}")


def tally(findings: Sequence[Finding]) -> str:
    """Numbers of findings by outcome, as `12 ok, 2 changed`."""
    counts: Counter[Outcome] = Counter(finding.outcome for finding in findings)
    return ", ".join(
        f"{counts[outcome]} {outcome.value}" for outcome in reversed(WORST_FIRST) if counts[outcome]
    )
