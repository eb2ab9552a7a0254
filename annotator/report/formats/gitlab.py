"""GitLab's code quality report: a JSON array with the fields that its merge request widget needs."""

import json
from collections.abc import Sequence

from annotator.model.finding import About, Finding
from annotator.model.words import Severity
from annotator.report.formats.telling import open_findings, sentence
from annotator.report.markdown import one_line
from annotator.report.style import printable

_SEVERITY = {Severity.NOTE: "info", Severity.WARNING: "major", Severity.ERROR: "critical"}


def render(findings: Sequence[Finding], about: About) -> str:
    """What has something to do and is not accepted, the worst first."""
    issues = [_issue(finding, about) for finding in open_findings(findings)]
    return json.dumps(issues, ensure_ascii=False, indent=2)


def _issue(finding: Finding, about: About) -> dict[str, object]:
    spot = finding.spot
    return {
        "description": f"{one_line(finding.subject)}: {sentence(finding, about)}",
        "check_name": finding.rule.id,
        "fingerprint": finding.id,
        "severity": _SEVERITY[finding.severity],
        "location": {
            "path": printable(spot.file) if spot else ".",
            "lines": {
                "begin": spot.line if spot else 1,
                "end": spot.last_line if spot else 1,
            },
        },
    }
