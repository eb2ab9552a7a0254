"""SQLite files of answers in the cache folder. Losing one costs time only, so no error of the database is told."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeAlias

_BUSY_SECONDS = 5.0

Statement: TypeAlias = tuple[str, Sequence[object]]
"""An SQL statement with the values of its question marks."""


def rows(file: Path, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """What a query finds; nothing where the file is not there or cannot be read."""
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error:
        return []


def change(file: Path, statements: Sequence[Statement]) -> None:
    """Runs statements, all of them or none. A damaged file is deleted, so that a later command begins anew."""
    try:
        with closing(sqlite3.connect(file, timeout=_BUSY_SECONDS)) as database, database:
            database.execute("PRAGMA synchronous = OFF")
            for statement, values in statements:
                database.execute(statement, values)
    except (sqlite3.OperationalError, OSError, UnicodeEncodeError):
        return  # another process has it, the disk is full or is not ours to write
    except sqlite3.DatabaseError:
        with suppress(OSError):
            file.unlink()
