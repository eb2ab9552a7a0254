"""Workflow commands of GitHub Actions: each finding as an annotation at its line of the notes."""

from collections.abc import Sequence

from annotator.model.finding import About, Finding
from annotator.model.words import Severity
from annotator.report.formats.telling import open_findings, sentence
from annotator.report.markdown import one_line

_COMMAND = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(findings: Sequence[Finding], about: About) -> str:
    """A line a finding, the worst first, since GitHub shows ten of each kind a step; then the warnings."""
    lines = [_annotation(finding, about) for finding in open_findings(findings)]
    lines += [f"::warning title={_property(about.command)}::{_data(w)}" for w in about.warnings]
    return "\n".join(lines)


def _annotation(finding: Finding, about: About) -> str:
    properties = {}
    if spot := finding.spot:
        properties = {"file": spot.file, "line": str(spot.line), "endLine": str(spot.last_line)}
        if spot.column and spot.last_line == spot.line:
            properties |= {"col": str(spot.column), "endColumn": str(spot.end_column)}
    properties["title"] = f"{finding.subject}: {finding.outcome.value}"
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = sentence(finding, about)
    if finding.link:
        text = f"{text} {finding.link}"
    return f"::{_COMMAND[finding.severity]} {shown}::{_data(text)}"


def _data(text: str) -> str:
    """A message from which nothing can break out: one line, with `%` escaped."""
    return one_line(text).replace("%", "%25")


def _property(text: str) -> str:
    """The same for the value of a property, which `:` and `,` would end."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
