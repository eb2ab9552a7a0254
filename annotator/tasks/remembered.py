"""Resolutions of earlier checks: two commits never change, so neither does an answer between them."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.anchor import Anchor, Quote
from annotator.model.resolution import Resolution
from annotator.model.version import ANSWERS
from annotator.model.words import Watch
from annotator.store.answer_file import change, rows
from annotator.tasks.workspace import Revision
from annotator.upstream.state import history_limit

_TABLE = """
CREATE TABLE IF NOT EXISTS answers
    (pair TEXT, anchor TEXT, answer TEXT, PRIMARY KEY (pair, anchor))
"""


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
    """Answers between two commits.

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
        query = "SELECT anchor, answer FROM answers WHERE pair = ?"
        self._known: dict[str, str] = dict(rows(self._file, query, (self._pair,)))
        self._new: dict[str, str] = {}

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
        if self._new:
            insert = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)"
            inserts = [(insert, (self._pair, key, answer)) for key, answer in self._new.items()]
            change(self._file, [(_TABLE, ()), *inserts])


def _key(anchor: Anchor | Asked) -> str:
    quote = anchor.quote.model_dump_json() if anchor.quote else ""
    text = f"{anchor.target}\0{anchor.watches}\0{quote}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
