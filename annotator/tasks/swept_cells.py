"""Answers of earlier sweeps: between a baseline and a commit they never change."""

import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from annotator.model.version import ANSWERS
from annotator.tasks.drift_map import MapCell

Cells = Mapping[str, MapCell]
"""Answers at one commit, by the anchors' keys."""

_decode = msgspec.json.Decoder(dict[str, MapCell]).decode


class SweptCells:
    """Answers of many anchors at many commits. Losing them costs time only, so every database error is ignored.

    Args:
        cache: the cache folder.
        baseline: what all of them are compared with, and everything else that they depend on.
    """

    def __init__(self, cache: Path, baseline: str) -> None:
        self._file = cache / "sweeps.sqlite"
        self._baseline = f"{ANSWERS} {baseline}"

    def find(self, commit: str) -> Cells:
        """The answers that are known at a commit."""
        try:
            with closing(sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)) as database:
                query = "SELECT cells FROM swept WHERE baseline = ? AND target = ?"
                row = database.execute(query, (self._baseline, commit)).fetchone()
            return _decode(zlib.decompress(row[0])) if row else {}
        except (sqlite3.Error, zlib.error, ValueError):
            return {}

    def keep(self, answers: Iterable[tuple[str, Cells]]) -> None:
        """Keeps answers, commit by commit, beside those that are known."""
        rows = [
            (
                self._baseline,
                commit,
                zlib.compress(msgspec.json.encode({**self.find(commit), **cells})),
            )
            for commit, cells in answers
        ]
        try:
            with closing(sqlite3.connect(self._file, timeout=5)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS swept"
                    " (baseline TEXT, target TEXT, cells BLOB, PRIMARY KEY (baseline, target))"
                )
                database.executemany("INSERT OR REPLACE INTO swept VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError):
            return
