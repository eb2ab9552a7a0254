"""How far places were followed by earlier traces: a trace goes on where another one ended.

What a commit did to a place never changes. So a history that ends at one commit is the beginning of that which ends at a
later one, and after a sync only the new commits are looked at.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.history import Step
from annotator.model.resolution import Answer, Place
from annotator.model.version import ANSWERS
from annotator.store.answer_file import change, rows
from annotator.upstream.repository import Repository
from annotator.upstream.state import history_limit

_KEPT = 4000
"""Histories kept, some 10 kB each for a place that is often changed."""

_TABLE = """
CREATE TABLE IF NOT EXISTS followed
    (key TEXT, end TEXT, followed BLOB, at INTEGER, PRIMARY KEY (key, end))
"""
_SUPERSEDE = "DELETE FROM followed WHERE key = ? AND end = ?"
_INSERT = """
INSERT OR REPLACE INTO followed
    VALUES (?, ?, ?, (SELECT 1 + COALESCE(MAX(at), 0) FROM followed))
"""
_FORGET = "DELETE FROM followed WHERE at <= (SELECT MAX(at) FROM followed) - ?"


class Followed(Answer, frozen=True, kw_only=True):
    """A place's way up to some commit.

    Attributes:
        end: full id of that commit.
        place: the place there, none if it is gone.
        steps: the commits that touched it, oldest first.
    """

    end: str
    place: Place | None
    steps: tuple[Step, ...]


class Following(NamedTuple):
    """What is followed, and how it is told.

    Attributes:
        start: full id of the commit where following begins.
        place: the place there.
        watch: what counts as drift.
        quote: the statement meant inside it, as exact text, prefix and suffix.
        web: web address that links begin with.
    """

    start: str
    place: Place
    watch: str
    quote: tuple[str, str, str] | None
    web: str


class FollowedPlaces:
    """Ways of places in one repository, in the cache folder.

    Args:
        cache: the cache folder.
        repository: the repository.
    """

    def __init__(self, cache: Path, repository: Repository) -> None:
        self._file = cache / "histories.sqlite"
        self._of = (ANSWERS, repository.is_release_import, history_limit(repository.git_dir))

    def find(self, following: Following, position: Mapping[str, int]) -> Followed | None:
        """The way of a place to the latest commit that lies on a line of commits, if one is known.

        Args:
            following: the place.
            position: where on the line each of its commits is.
        """
        query = "SELECT end, followed FROM followed WHERE key = ?"
        known = dict(rows(self._file, query, (self._key(following),)))
        latest = max(known.keys() & position.keys(), key=position.__getitem__, default=None)
        try:
            return msgspec.json.decode(known[latest], type=Followed) if latest else None
        except (ValueError, TypeError):  # damaged, or no text at all
            return None

    def keep(self, following: Following, followed: Followed, superseded: str | None) -> None:
        """Remembers a way.

        Args:
            following: the place.
            followed: its way.
            superseded: end of a way that this one continues.
        """
        key = self._key(following)
        with suppress(UnicodeEncodeError):
            encoded = msgspec.json.encode(followed)
            change(
                self._file,
                [
                    (_TABLE, ()),
                    (_SUPERSEDE, (key, superseded)),
                    (_INSERT, (key, followed.end, encoded)),
                    (_FORGET, (_KEPT,)),
                ],
            )

    def _key(self, following: Following) -> str:
        text = json.dumps([self._of, following], default=str)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
