"""Results of earlier runs: the same probe on the same files in the same environment sees the same."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from annotator.model.probe import ProbeRun
from annotator.store.answer_file import change, rows

_TABLE = "CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, run TEXT)"


class Memory(Protocol):
    """Where a runner looks for an earlier run, and leaves a new one."""

    def get(self, key: str) -> ProbeRun | None:
        """The run of that key, if there is one."""

    def put(self, key: str, run: ProbeRun) -> None:
        """Remembers a run."""


class Results:
    """Remembered runs. Losing them costs time only.

    Args:
        folder: folder of the database.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "probes" / "results.sqlite"

    def get(self, key: str) -> ProbeRun | None:
        """The run of that key, if there is one."""
        for (run,) in rows(self._file, "SELECT run FROM runs WHERE key = ?", (key,)):
            with suppress(ValueError, TypeError):  # damaged, or no text at all
                return msgspec.json.decode(run, type=ProbeRun)
        return None

    def runs(self) -> Iterator[tuple[str, ProbeRun]]:
        """All runs with their keys."""
        for key, run in rows(self._file, "SELECT key, run FROM runs", ()):
            with suppress(ValueError, TypeError):
                yield key, msgspec.json.decode(run, type=ProbeRun)

    def put(self, key: str, run: ProbeRun) -> None:
        """Remembers a run."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
        row = (key, msgspec.json.encode(run).decode())
        change(self._file, [(_TABLE, ()), ("INSERT OR REPLACE INTO runs VALUES (?, ?)", row)])


class TravellingResults:
    """Results of the machine that a task came to, and those that came with it.

    Attributes:
        key: what was asked for last; empty before that.

    Args:
        brought: results of the machine that gave out the task, by key.
        own: those of this machine.
    """

    def __init__(self, brought: Mapping[str, ProbeRun], own: Results) -> None:
        self._brought = brought
        self._own = own
        self.key = ""

    def get(self, key: str) -> ProbeRun | None:
        """The run of that key, from wherever it is."""
        self.key = key
        return self._brought.get(key) or self._own.get(key)

    def put(self, key: str, run: ProbeRun) -> None:
        """Remembers a run on this machine."""
        self._own.put(key, run)


def result_key(
    code: Iterable[tuple[str, bytes]], files: Mapping[str, str], **settings: object
) -> str:
    """What a result depends on, as one word.

    Args:
        code: name and content of each file of the probe's own code.
        files: path → blob id of upstream's files.
        **settings: everything else, as JSON.
    """
    hashed = hashlib.blake2b(digest_size=20)
    for name, content in sorted(code):
        hashed.update(f"{name}\0{len(content)}\0".encode() + content)
    hashed.update(json.dumps(sorted(files.items())).encode())
    hashed.update(json.dumps(settings, sort_keys=True).encode())
    return hashed.hexdigest()
