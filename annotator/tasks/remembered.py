"""Resolutions of earlier checks: two commits never change, so neither does an answer between them."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.anchor import Anchor, Quote
from annotator.model.resolution import Resolution
from annotator.model.version import ANSWERS
from annotator.model.words import Watch
from annotator.tasks.workspace import Revision
from annotator.upstream.state import history_limit


class Asked(NamedTuple):
    """A place that no anchor stands for.

    Attributes:
        target: the place, as `path::name` or `path:START-END`.
        watches: what of it counts.
        quote: a statement inside it.
    """

    target: str
    watches: Watch
    quote: Quote | None = None


class Remembered:
    """Answers between two commits. Losing them costs time only, so every database error is ignored.

    Args:
        folder: folder of the database.
        base: the baseline.
        target: the commit checked.
    """

    def __init__(self, folder: Path, base: Revision, target: Revision) -> None:
        self._file = folder / "answers.sqlite"
        same = base.repository.git_dir == target.repository.git_dir
        limit = history_limit(target.repository.git_dir) if target.repository.is_shallow else ""
        self._pair = f"{ANSWERS} {base.commit} {target.commit} {same} {limit}"
        self._known = self._load()
        self._new: dict[str, str] = {}

    def _load(self) -> dict[str, str]:
        try:
            with closing(sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)) as database:
                rows = database.execute(
                    "SELECT anchor, answer FROM answers WHERE pair = ?", (self._pair,)
                )
                return dict(rows)
        except sqlite3.Error:
            return {}

    @property
    def is_empty(self) -> bool:
        """Whether no answer between the two commits is known."""
        return not self._known

    def get(self, anchor: Anchor | Asked) -> Resolution | None:
        """The answer for an anchor with the same target, quote and watch, if there is one."""
        answer = self._known.get(_key(anchor))
        try:
            return msgspec.json.decode(answer, type=Resolution) if answer else None
        except ValueError:
            return None

    def put(self, anchor: Anchor | Asked, resolution: Resolution) -> None:
        """Remembers an answer once `save` is called."""
        self._new[_key(anchor)] = msgspec.json.encode(resolution).decode()

    def save(self) -> None:
        """Writes the new answers."""
        if not self._new:
            return
        try:
            with closing(sqlite3.connect(self._file, timeout=5)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS answers"
                    " (pair TEXT, anchor TEXT, answer TEXT, PRIMARY KEY (pair, anchor))"
                )
                database.executemany(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)",
                    [(self._pair, key, answer) for key, answer in self._new.items()],
                )
        except (sqlite3.Error, OSError):
            return


def _key(anchor: Anchor | Asked) -> str:
    quote = anchor.quote.model_dump_json() if anchor.quote else ""
    text = f"{anchor.target}\0{anchor.watches}\0{quote}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
