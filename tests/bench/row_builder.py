"""Rows of known truth for tests."""

from bench.accuracy.rows import Row


def a_row(*kinds: str, to: str | None = "a.py::f", **fields: object) -> Row:
    path, _, symbol = (to or "").partition("::")
    data = {
        "id": "T1",
        "from_ref": "v1",
        "from_path": "a.py",
        "from_symbol": "f",
        "to_ref": "v2",
        "to_path": path or None,
        "to_symbol": symbol or None,
        "kind": kinds,
        "primary_kind": kinds[0],
        "confidence": "high",
        "lang": "python",
    }
    return Row.model_validate(data | fields)
