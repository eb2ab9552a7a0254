"""Scores `annot where --batch` on rows of known truth.

    python bench/accuracy.py ROWS.jsonl [--repo CLONE] [--upstream vllm] [--misses]

Each row says where a symbol is at `from_ref` and where it went at `to_ref` (null: deleted). Rows whose refs
are not at hand (neither in the synced releases nor in the clone) are left out and counted. Rows of medium
confidence count half. Nothing but the command line is used, so the score is what a user gets.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

CONFIDENT = 0.9
REARRANGED = {"signature-changed", "body-changed", "split", "merged/inlined"}
PLACED_ANEW = {"moved-file", "renamed", "moved-and-renamed", "moved-into-class-or-out"}


class Scored(NamedTuple):
    """One row with its answer: weight 1 or ½, and whether location and outcome are right."""

    row: dict[str, Any]
    answer: dict[str, Any]
    weight: float
    location: bool
    outcome: bool


def expected_outcome(row: dict[str, Any]) -> str:
    """The outcome that a row's kinds of change amount to."""
    kinds = set(row["kind"])
    if "deleted" in kinds:
        return "gone"
    if kinds & REARRANGED:
        return "changed"
    return "moved" if kinds & PLACED_ANEW else "ok"


def score(row: dict[str, Any], answer: dict[str, Any]) -> Scored:
    """Compares an answer with the truth."""
    place = f"{answer['path']}::{answer['symbol']}"
    if row["to_path"] is None:
        location = answer["outcome"] == "gone"
    else:
        truth = f"{row['to_path']}::{row['to_symbol']}"
        location = answer["outcome"] != "gone" and place in {truth, *row["successors"]}
    weight = 0.5 if row["confidence"] == "medium" else 1.0
    return Scored(row, answer, weight, location, answer["outcome"] == expected_outcome(row))


def ask(rows: Iterable[dict[str, Any]], upstream: str, repo: str | None) -> list[dict[str, Any]]:
    """Puts all rows to `annot where --batch`; returns its answers in order."""
    fields = ("id", "from_ref", "from_path", "from_symbol", "to_ref")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps({key: row[key] for key in fields}) + "\n" for row in rows)
        file.flush()
        command = [sys.executable, "-m", "annotator", "where", "--batch", file.name]
        command += ["--upstream", upstream, *(["--repo", repo] if repo else [])]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def print_table(console: Console, title: str, groups: dict[str, list[Scored]]) -> None:
    """Prints one line a group."""
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in ("", "rows", "location", "outcome", "confident and wrong", "ambiguous"):
        table.add_column(name, justify="left" if not name else "right")
    for name, group in groups.items():
        total = sum(item.weight for item in group)
        confident = [item for item in group if item.answer["confidence"] >= CONFIDENT]
        wrong = sum(not item.location for item in confident)
        table.add_row(
            name,
            f"{total:g}",
            f"{sum(item.weight for item in group if item.location) / total:.1%}",
            f"{sum(item.weight for item in group if item.outcome) / total:.1%}",
            f"{wrong} of {len(confident)}",
            str(sum(item.answer["outcome"] == "ambiguous" for item in group)),
        )
    console.print(table)


def main() -> None:
    """Reads the rows, asks, prints the score."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=Path)
    parser.add_argument("--repo", help="clone that has the commits which no release has")
    parser.add_argument("--upstream", default="vllm")
    parser.add_argument("--misses", action="store_true", help="show each wrong answer")
    arguments = parser.parse_args()
    lines = arguments.rows.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    answers = ask(rows, arguments.upstream, arguments.repo)
    pairs = list(zip(rows, answers, strict=True))
    known = [score(row, answer) for row, answer in pairs if answer["outcome"] != "error"]
    console = Console(width=120)
    if arguments.misses:
        for item in known:
            if not (item.location and item.outcome):
                row, answer = item.row, item.answer
                console.print(
                    f"{row['id']} {row['primary_kind']}: {row['from_path']}::{row['from_symbol']}"
                    f" → {row['to_path']}::{row['to_symbol']} ({expected_outcome(row)});"
                    f" got {answer['outcome']} {answer['path']}::{answer['symbol']}"
                    f" at {answer['confidence']}"
                )
    if not known:
        sys.exit(f"none of {len(rows)} rows could be asked: {answers[0]['reason']}")
    by_kind: dict[str, list[Scored]] = {}
    by_language: dict[str, list[Scored]] = {}
    for item in known:
        by_kind.setdefault(item.row["primary_kind"], []).append(item)
        by_language.setdefault(item.row["lang"], []).append(item)
    print_table(console, "by kind", dict(sorted(by_kind.items())))
    print_table(console, "\nby language", dict(sorted(by_language.items())))
    print_table(console, "\nall", {"all": known})
    if len(known) < len(rows):
        console.print(f"{len(rows) - len(known)} rows left out: their refs are not at hand")


if __name__ == "__main__":
    main()
