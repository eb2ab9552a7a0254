"""JSON forms of results."""

import json

import msgspec

from annotator.model.report import CheckReport, WhereAnswer


def check_json(report: CheckReport) -> str:
    """The report as JSON: everything the table has, and more."""
    data = msgspec.to_builtins(report)
    for anchor, result in zip(data["anchors"], report.anchors, strict=True):
        anchor["finding"] = result.finding
        anchor["severity"] = result.severity.value
        anchor["fails"] = report.fails(result)
    data["summary"] = {outcome.value: count for outcome, count in sorted(report.counts.items())}
    data["exit_code"] = report.exit_code
    return json.dumps(data, ensure_ascii=False, indent=2)


def where_json(answer: WhereAnswer) -> str:
    """One answer as one line of JSON."""
    data = msgspec.to_builtins(answer)
    present = {key: value for key, value in data.items() if value is not None}
    return json.dumps(present, ensure_ascii=False)
