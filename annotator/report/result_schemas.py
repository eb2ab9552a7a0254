"""Published JSON Schemas of the machine formats."""

from typing import Any

import msgspec

from annotator.model.mention import MentionResult, NotesReport
from annotator.model.report import AnchorResult, CheckReport, WhereAnswer
from annotator.model.resolution import Answer
from annotator.model.words import Severity
from annotator.store.json_schema import attributes_of

_FAILS = {"type": "boolean", "description": "Whether it makes the check fail."}


def report_schemas() -> dict[str, dict[str, Any]]:
    """JSON Schemas of the machine formats, by name."""
    check = _with_totals(result_schema(CheckReport), "anchors")
    anchor = check["$defs"][AnchorResult.__name__]
    anchor["properties"] |= {
        "finding": {
            "type": "string",
            "description": "Id of what is said here; a further change of the place has another.",
        },
        "severity": {
            "enum": [severity.value for severity in Severity],
            "description": "How much it matters.",
        },
        "fails": _FAILS,
    }
    anchor["required"] += ["finding", "severity", "fails"]
    notes = _with_totals(result_schema(NotesReport), "places")
    mention = notes["$defs"][MentionResult.__name__]
    mention["properties"]["fails"] = _FAILS
    mention["required"] += ["fails"]
    return {"check": check, "where": result_schema(WhereAnswer), "notes": notes}


def _with_totals(schema: dict[str, Any], what: str) -> dict[str, Any]:
    """A report's schema with what its JSON form adds."""
    schema["properties"]["summary"] = {
        "type": "object",
        "description": f"Number of {what} by outcome.",
        "additionalProperties": {"type": "integer", "minimum": 0},
    }
    schema["properties"]["exit_code"] = {
        "type": "integer",
        "enum": [0, 1, 3],
        "description": "Exit code of the check.",
    }
    schema["required"] += ["summary", "exit_code"]
    return schema


def result_schema(result: type[Answer]) -> dict[str, Any]:
    """The JSON Schema of a machine-written result, draft 2020-12."""
    schema = msgspec.json.schema(result)
    parts = schema.pop("$defs")
    for part in parts.values():
        summary, attributes = attributes_of(part.get("description", ""))
        part["description"] = summary
        for name, entry in part.get("properties", {}).items():
            about = attributes.get(name) or attributes.get(f"{name}_")
            if about:
                entry["description"] = about
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **parts.pop(schema["$ref"].rpartition("/")[2]),
        "$defs": parts,
    }
