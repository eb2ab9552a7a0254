"""The Reviewdog Diagnostic Format (rdjson), whose columns count bytes of UTF-8 and whose ends are exclusive."""

import json
from collections.abc import Sequence
from typing import Any

from annotator.model.finding import About, Finding, Suggestion
from annotator.model.words import Severity
from annotator.report.formats.telling import open_findings, sentence
from annotator.report.markdown import one_line
from annotator.report.style import printable

_SEVERITY = {Severity.NOTE: "INFO", Severity.WARNING: "WARNING", Severity.ERROR: "ERROR"}


def render(findings: Sequence[Finding], about: About) -> str:
    """What has something to do and is not accepted, with the correction where a machine can make it."""
    result = {
        "source": {"name": about.command},
        "diagnostics": [_diagnostic(finding, about) for finding in open_findings(findings)],
    }
    return json.dumps(result, ensure_ascii=False, indent=2)


def _diagnostic(finding: Finding, about: About) -> dict[str, Any]:
    # Reviewdog posts a suggestion only where it is told the finding is.
    spot = finding.suggestion.spot if finding.suggestion else finding.spot
    location: dict[str, Any] = {"path": printable(spot.file) if spot else "."}
    if spot is not None:
        # Without columns the range is the lines from start to end, both whole.
        location["range"] = {"start": {"line": spot.line}, "end": {"line": spot.last_line}}
    code = {"value": finding.rule.id}
    if finding.link:
        code["url"] = finding.link
    diagnostic: dict[str, Any] = {
        "message": f"{one_line(finding.subject)}: {sentence(finding, about)}",
        "location": location,
        "severity": _SEVERITY[finding.severity],
        "code": code,
    }
    if finding.suggestion is not None:
        diagnostic["suggestions"] = [_suggestion(finding.suggestion)]
    return diagnostic


def _suggestion(suggestion: Suggestion) -> dict[str, Any]:
    start = len(suggestion.lead.encode("utf-8", "surrogateescape")) + 1  # as in the file
    line = suggestion.spot.line
    return {
        "range": {
            "start": {"line": line, "column": start},
            "end": {"line": line, "column": start + len(suggestion.old.encode())},
        },
        "text": suggestion.new,
    }
