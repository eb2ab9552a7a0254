"""Answers of earlier commands that still stand.

An answer is kept with the state of everything it was made from, and stands while none of that is different
("verifying traces" in Mokhov et al., Build Systems à la Carte, ICFP 2018). A command with nothing new to say then
resolves nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from annotator.model.resolution import Answer
from annotator.model.version import ANSWERS
from annotator.store.answer_file import change, rows
from annotator.upstream.state import source_states

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, made_from TEXT, answer BLOB, at INTEGER)
"""
_INSERT = """
INSERT OR REPLACE INTO answers VALUES (?, ?, ?, (SELECT 1 + COALESCE(MAX(at), 0) FROM answers))
"""
_FORGET = "DELETE FROM answers WHERE at <= (SELECT MAX(at) FROM answers) - ?"

AnswerT = TypeVar("AnswerT", bound=Answer)


class Kept(Generic[AnswerT]):
    """One answer in the cache folder.

    Args:
        file: the database.
        kind: class of the answer.
        most: answers kept in the file; those kept longest ago go first.
        repo: repository that is read instead of the synced sources, if any.
        made_from: everything but the upstreams' source that the answer depends on; plain data.
    """

    def __init__(
        self,
        file: Path,
        kind: type[AnswerT],
        most: int,
        repo: Path | None,
        made_from: Sequence[object],
    ) -> None:
        self._file = file
        self._kind = kind
        self._most = most
        self._repo = repo.absolute() if repo is not None else None
        self._upstreams: tuple[str, ...] = ()
        self._states: dict[str, str] | None = None
        parts = [ANSWERS, str(file), str(self._repo), made_from]
        text = json.dumps(parts, sort_keys=True, default=str)
        self._key = hashlib.blake2b(text.encode(), digest_size=20).hexdigest()

    def get(self) -> AnswerT | None:
        """The answer to an equal question, if nothing that it was made from has changed."""
        query = "SELECT made_from, answer FROM answers WHERE key = ?"
        for kept_from, answer in rows(self._file, query, (self._key,)):
            with suppress(ValueError, KeyError, TypeError):
                made_from = json.loads(kept_from)
                if source_states(made_from["upstreams"], self._repo) == made_from["states"]:
                    return msgspec.json.decode(answer, type=self._kind)
        return None

    def begin(self, upstreams: Iterable[str]) -> None:
        """Notes the state of what an answer is going to be made from.

        It has to be called before the answer is made: what changes meanwhile must not be taken for what was read.

        Args:
            upstreams: names of the upstreams that are asked for.
        """
        self._upstreams = tuple(upstreams)
        self._states = source_states(self._upstreams, self._repo)

    def put(self, answer: AnswerT) -> None:
        """Keeps an answer that was made since `begin`."""
        if self._states is None:
            return
        made_from = json.dumps({"upstreams": self._upstreams, "states": self._states})
        with suppress(UnicodeEncodeError):
            encoded = msgspec.json.encode(answer)
            change(
                self._file,
                [
                    (_TABLE, ()),
                    (_INSERT, (self._key, made_from, encoded)),
                    (_FORGET, (self._most,)),
                ],
            )
