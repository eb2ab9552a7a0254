"""SARIF 2.1.0 (OASIS), in the form that GitHub's code scanning accepts: every result at a line of the notes."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from annotator.model.finding import About, Finding, Rule, Spot, Suggestion
from annotator.report.formats.telling import sentence
from annotator.report.markdown import one_line

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"


def render(findings: Sequence[Finding], about: About) -> str:
    """One run. What is ok is left out; what is accepted is there as suppressed."""
    told = [finding for finding in findings if not finding.is_ok]
    rules = list({finding.rule.id: finding.rule for finding in told}.values())
    index = {rule.id: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "annot",
                "semanticVersion": about.version,
                "rules": [_rule(rule, about) for rule in rules],
            }
        },
        # Uploads replace earlier ones of the same category only.
        "automationDetails": {"id": f"{about.command.replace(' ', '-')}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The root of the repository that the notes are in."}}
        },
        "invocations": [
            {
                "executionSuccessful": about.exit_code in {0, 1},
                "exitCode": about.exit_code,
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": one_line(warning)}}
                    for warning in about.warnings
                ],
            }
        ],
        "results": [_result(finding, about, index[finding.rule.id]) for finding in told],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2)


def _rule(rule: Rule, about: About) -> dict[str, Any]:
    title, text = rule.title.in_language(about.language), rule.help.in_language(about.language)
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": f"{title} {text}"},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": ["documentation", "maintainability"]},
    }


def _result(finding: Finding, about: About, rule_index: int) -> dict[str, Any]:
    text = _plain(f"{one_line(finding.subject)}: {sentence(finding, about)}")
    if finding.link:
        word = "源码" if about.language == "zh" else "source"
        text = f"{text} ([{word}]({finding.link}))"
    result: dict[str, Any] = {
        "ruleId": finding.rule.id,
        "ruleIndex": rule_index,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [_location(finding)],
        # Code scanning tells alerts apart by the first; it is made from what drifted, not from lines.
        "partialFingerprints": {
            "primaryLocationLineHash": finding.id,
            "annotFinding/v1": finding.id,
        },
        "properties": {"outcome": finding.outcome.value, "fails": finding.fails},
    }
    if finding.suggestion is not None:
        result["fixes"] = [_fix(finding.suggestion)]
    if finding.accepted is not None:
        reason = one_line(finding.accepted.in_language(about.language))
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": reason}
        ]
    return result


def _plain(text: str) -> str:
    """Text in which nothing is a link (SARIF 2.1.0, section 3.11.6)."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _location(finding: Finding) -> dict[str, Any]:
    name = {"fullyQualifiedName": one_line(f"{finding.group}/{finding.subject}")}
    location: dict[str, Any] = {"logicalLocations": [name]}
    if finding.spot is not None:
        location["physicalLocation"] = {
            "artifactLocation": _artifact(finding.spot),
            "region": _region(finding.spot),
        }
    return location


def _artifact(spot: Spot) -> dict[str, str]:
    return {"uri": quote(spot.file, errors="surrogateescape"), "uriBaseId": _ROOT}


def _region(spot: Spot) -> dict[str, int]:
    region = {"startLine": spot.line, "endLine": spot.last_line}
    if spot.column:
        region |= {"startColumn": spot.column, "endColumn": spot.end_column}
    return region


def _fix(suggestion: Suggestion) -> dict[str, Any]:
    replacement = {
        "deletedRegion": _region(suggestion.spot),
        "insertedContent": {"text": suggestion.new},
    }
    return {
        "artifactChanges": [
            {"artifactLocation": _artifact(suggestion.spot), "replacements": [replacement]}
        ]
    }
