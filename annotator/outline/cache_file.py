"""The SQLite file of the outline cache: encoded outlines by blob id and language."""

import importlib.metadata
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from annotator.outline.engine import LANGUAGES, OUTLINE_VERSION

TABLE_VERSION = 2
"""Raised with every change of the table; a file of another version is emptied."""

FILE_NAME = "outlines.sqlite3"
SIZE_LIMIT = 512 * 2**20
"""Content in bytes beyond which the file is emptied when it is opened next."""

_BUSY_SECONDS = 10.0
_PAUSE_SECONDS = 0.02
_LOG = logging.getLogger(__name__)


class Key(NamedTuple):
    """What an outline is remembered under.

    Attributes:
        blob: id of the content in git.
        language: name of its language, or an empty string.
    """

    blob: str
    language: str


class CacheFile:
    """Encoded outlines on disk, shared by any number of processes.

    Every failure of the file is harmless: damage and foreign versions empty it, and where it cannot be opened,
    read or written nothing is remembered, which one log message says.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None
        self._attempt(self._open)

    def close(self) -> None:
        """Closes the file; nothing is found or kept afterwards."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def find(self, keys: Iterable[Key]) -> dict[Key, bytes]:
        """The encoded outlines that are there, made by this version of the program and the grammar."""
        wanted = set(keys)
        found: dict[Key, bytes] = {}

        def select(connection: sqlite3.Connection) -> None:
            rows = connection.execute(
                "SELECT blob, language, version, outline FROM outlines"
                " WHERE blob IN (SELECT value FROM json_each(?))",
                (json.dumps([key.blob for key in wanted]),),
            )
            for blob, language, version, outline in rows:
                key = Key(blob, language)
                if key in wanted and version == language_version(language):
                    found[key] = outline

        self._use(select)
        return found

    def keep(self, outlines: Mapping[Key, bytes]) -> None:
        """Remembers encoded outlines, all in one transaction."""
        rows = [
            (key.blob, key.language, language_version(key.language), outline)
            for key, outline in outlines.items()
        ]

        def insert(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO outlines VALUES (?, ?, ?, ?)", rows)

        if rows:
            self._use(insert)

    def _use(self, action: Callable[[sqlite3.Connection], None]) -> None:
        connection = self._connection
        if connection is not None:
            self._attempt(lambda: action(connection))

    def _attempt(self, action: Callable[[], None]) -> None:
        """Runs an action. If the file proves damaged it starts anew; on any other failure it is left alone."""
        try:
            action()
        except (OSError, sqlite3.OperationalError) as error:
            self._give_up(error)
        except sqlite3.DatabaseError as error:
            _LOG.info("%s is damaged (%s) and starts anew", self._path, error)
            self.close()
            try:
                self._delete()
                self._open()
            except (OSError, sqlite3.Error) as second:
                self._give_up(second)

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            _once_free(lambda: connection.execute("PRAGMA journal_mode = WAL"))
            connection.execute("PRAGMA synchronous = NORMAL")
            if not _is_usable(connection):
                _create(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _delete(self) -> None:
        # The journal goes first: a new file must never meet the journal of an old one.
        for suffix in ("-wal", "-shm", ""):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _give_up(self, error: Exception) -> None:
        self.close()
        _LOG.warning("outlines are not remembered: %s: %s", self._path, error)


@cache
def language_version(language: str) -> str:
    """What an outline in this language depends on besides the text."""
    grammar = LANGUAGES[language].grammar if language else ""
    release = importlib.metadata.version(grammar) if grammar else ""
    return f"{OUTLINE_VERSION}/{release}"


def _once_free(action: Callable[[], object]) -> None:
    """Runs an action when other processes let it: SQLite does not wait for them to change the journal's mode."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            action()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _is_usable(connection: sqlite3.Connection) -> bool:
    version = _pragma(connection, "user_version")
    pages = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
    return version == TABLE_VERSION and pages * _pragma(connection, "page_size") <= SIZE_LIMIT


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def _create(connection: sqlite3.Connection) -> None:
    """Makes an empty table, unless another process has done so meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        if not _is_usable(connection):
            connection.execute("DROP TABLE IF EXISTS outlines")
            connection.execute(
                "CREATE TABLE outlines (blob TEXT NOT NULL, language TEXT NOT NULL,"
                " version TEXT NOT NULL, outline BLOB NOT NULL, PRIMARY KEY (blob, language))"
            )
            connection.execute(f"PRAGMA user_version = {TABLE_VERSION:d}")
