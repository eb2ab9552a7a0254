"""What a tool answers about a row; and how annot is asked."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.accuracy.rows import Row


class Answer(NamedTuple):
    """What a tool says became of a symbol.

    Attributes:
        outcome: ok, moved, changed, gone or ambiguous.
        place: where it is, as `path::symbol`; empty if it is gone.
        changes: kinds of change in annot's words; none from a tool that does not tell kinds.
        confidence: how sure the tool says it is; none from a tool that does not say.
    """

    outcome: str
    place: str = ""
    changes: frozenset[str] | None = None
    confidence: float | None = None


def ask_annot(rows: Sequence[Row], upstream: str, repo: Path | None) -> list[Answer | None]:
    """Puts all rows to `annot where --batch`, the command that users have.

    Returns:
        An answer each, none where a row's refs are not at hand.
    """
    fields = {"id", "from_ref", "from_path", "from_symbol", "to_ref"}
    with tempfile.TemporaryDirectory() as folder:
        batch = Path(folder, "rows.jsonl")
        lines = (row.model_dump_json(include=fields) + "\n" for row in rows)
        batch.write_text("".join(lines), encoding="utf-8")
        command = [sys.executable, "-m", "annotator", "where", "--batch", str(batch)]
        command += ["--upstream", upstream, *(["--repo", str(repo)] if repo else [])]
        done = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
    return [_answer(json.loads(line)) for line in done.stdout.splitlines()]


def _answer(line: dict[str, object]) -> Answer | None:
    outcome = str(line["outcome"])
    if outcome in {"error", "skipped"}:
        return None
    place = "" if outcome == "gone" else f"{line['path']}::{line['symbol']}"
    changes, confidence = line["changes"], line["confidence"]
    assert isinstance(changes, list)
    assert isinstance(confidence, int | float)
    return Answer(outcome, place, frozenset(changes), float(confidence))
