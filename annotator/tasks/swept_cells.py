"""Answers of earlier sweeps: between a baseline and a commit they never change."""

import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from annotator.model.version import ANSWERS
from annotator.store.answer_file import change, rows
from annotator.tasks.drift_map import MapCell

Cells = Mapping[str, MapCell]
"""Answers at one commit, by the anchors' keys."""

_TABLE = """
CREATE TABLE IF NOT EXISTS swept (baseline TEXT, target TEXT, cells BLOB, PRIMARY KEY (baseline, target))
"""
_decode = msgspec.json.Decoder(dict[str, MapCell]).decode


class SweptCells:
    """Answers of many anchors at many commits. Losing them costs time only.

    Args:
        cache: the cache folder.
        baseline: what all of them are compared with, and everything else that they depend on.
    """

    def __init__(self, cache: Path, baseline: str) -> None:
        self._file = cache / "sweeps.sqlite"
        self._baseline = f"{ANSWERS} {baseline}"

    def find(self, commit: str) -> Cells:
        """The answers that are known at a commit."""
        query = "SELECT cells FROM swept WHERE baseline = ? AND target = ?"
        for (cells,) in rows(self._file, query, (self._baseline, commit)):
            with suppress(zlib.error, ValueError, TypeError):  # damaged, or no bytes at all
                return _decode(zlib.decompress(cells))
        return {}

    def keep(self, answers: Iterable[tuple[str, Cells]]) -> None:
        """Keeps answers, commit by commit, beside those that are known."""
        insert = "INSERT OR REPLACE INTO swept VALUES (?, ?, ?)"
        inserts = []
        for commit, cells in answers:
            together = msgspec.json.encode({**self.find(commit), **cells})
            inserts.append((insert, (self._baseline, commit, zlib.compress(together))))
        change(self._file, [(_TABLE, ()), *inserts])
