"""JSON forms of results and their published schemas."""

import json
from typing import Any

from annotator.model.report import CheckReport, WhereAnswer


def check_json(report: CheckReport) -> str:
    """The report as JSON: everything the table has, and more."""
    data = report.model_dump(mode="json", by_alias=True)
    data["summary"] = {outcome.value: count for outcome, count in sorted(report.counts.items())}
    data["exit_code"] = report.exit_code
    return json.dumps(data, ensure_ascii=False, indent=2)


def where_json(answer: WhereAnswer) -> str:
    """One answer as one line of JSON."""
    return answer.model_dump_json(exclude_none=True)


def report_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schemas of the machine formats, by name."""
    check = CheckReport.model_json_schema(by_alias=True, mode="serialization")
    check["properties"]["summary"] = {
        "type": "object",
        "description": "Number of anchors by outcome.",
        "additionalProperties": {"type": "integer", "minimum": 0},
    }
    check["properties"]["exit_code"] = {
        "type": "integer",
        "enum": [0, 1, 3],
        "description": "Exit code of the check.",
    }
    check["required"] = [*check.get("required", []), "summary", "exit_code"]
    where = WhereAnswer.model_json_schema(mode="serialization")
    for schema in (check, where):
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return {"check": check, "where": where}
