"""Outlines of many files: what is remembered from the cache, the rest parsed, here or in other processes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from annotator.model.failures import Incomplete
from annotator.model.symbol import Outline
from annotator.outline.cache_file import CacheFile, Key
from annotator.outline.codec import decode, encode
from annotator.outline.engine import language_of, outline_blob, place
from annotator.outline.worker import Task, encode_tasks

ReadBlobs = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Gives the contents of blobs, by id, in any order."""

Progress = Callable[[int, int], None]
"""Is told how many files of how many are done."""

_BATCH = 128
"""Files looked up, parsed and written at a time: some 2 MB of source."""

_AHEAD = 8
"""Batches given to other processes before the first must be done; bounds the memory."""


class _Made(NamedTuple):
    """An outline that was just made, in both its forms."""

    outline: Outline
    encoded: bytes


_Wait = Callable[[], list[_Made]]


class _Batch(NamedTuple):
    """Files on their way through.

    Attributes:
        items: path and blob id of each.
        known: outlines from the cache.
        keys: what is being made.
        made: waits for it.
    """

    items: list[tuple[str, str]]
    known: dict[Key, Outline]
    keys: list[Key]
    made: _Wait


class OutlineCache:
    """Outlines by blob id. Use it as a context manager and from one thread.

    Args:
        folder: where the cache file is or will be; None remembers nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = CacheFile(folder) if folder is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the cache file."""
        if self._file is not None:
            self._file.close()

    def outlines(
        self, items: Iterable[tuple[str, str]], read: ReadBlobs
    ) -> Iterator[tuple[str, str, Outline]]:
        """The outlines of files, in the order given.

        Args:
            items: path and blob id of each file.
            read: gives contents; asked for what is not remembered only, in batches.

        Yields:
            Path, blob id and outline.

        Raises:
            Incomplete: if `read` does not give a content.
        """
        return self._run(items, read, _make_here, ahead=0)

    def _run(
        self,
        items: Iterable[tuple[str, str]],
        read: ReadBlobs,
        make: Callable[[list[Task]], _Wait],
        ahead: int,
    ) -> Iterator[tuple[str, str, Outline]]:
        waiting: deque[_Batch] = deque()
        rest = iter(items)
        while part := list(islice(rest, _BATCH)):
            waiting.append(self._start(part, read, make))
            if len(waiting) > ahead:
                yield from self._finish(waiting.popleft())
        while waiting:
            yield from self._finish(waiting.popleft())

    def _start(
        self,
        items: list[tuple[str, str]],
        read: ReadBlobs,
        make: Callable[[list[Task]], _Wait],
    ) -> _Batch:
        wanted = {Key(blob, language_of(path)): path for path, blob in items}
        known = self._known(wanted)
        missing = [key for key in wanted if key not in known]
        contents = dict(read(dict.fromkeys(key.blob for key in missing))) if missing else {}
        for key in missing:
            if key.blob not in contents:
                raise Incomplete(
                    f"{wanted[key]}: its content (blob {key.blob}) is not there",
                    hint="run `annot sync` to fetch it",
                )
        return _Batch(
            items, known, missing, make([(key.language, contents[key.blob]) for key in missing])
        )

    def _known(self, keys: Iterable[Key]) -> dict[Key, Outline]:
        known: dict[Key, Outline] = {}
        for key, encoded in (self._file.find(keys) if self._file is not None else {}).items():
            try:
                known[key] = decode(encoded)
            except ValueError:
                continue
        return known

    def _finish(self, batch: _Batch) -> Iterator[tuple[str, str, Outline]]:
        try:
            made = dict(zip(batch.keys, batch.made(), strict=True))
        except BrokenExecutor as error:
            path = batch.items[0][0]
            raise Incomplete(
                f"a worker process ended while it parsed {len(batch.items)} files from {path} on",
                hint="run again with one worker",
            ) from error
        if self._file is not None:
            self._file.keep({key: made[key].encoded for key in batch.keys})
        for path, blob in batch.items:
            key = Key(blob, language_of(path))
            outline = batch.known[key] if key in batch.known else made[key].outline
            yield path, blob, place(path, outline)


def outline_tree(
    cache: OutlineCache,
    items: Sequence[tuple[str, str]],
    read: ReadBlobs,
    executor: Executor,
    progress: Progress | None = None,
) -> Iterator[tuple[str, str, Outline]]:
    """The outlines of a whole tree, parsed by the workers of an executor.

    Workers get contents and give encoded outlines, so they may be processes started by `spawn` or on other
    machines. This process alone reads blobs and the cache.

    Args:
        cache: where outlines are remembered.
        items: path and blob id of each file.
        read: gives contents; asked for what is not remembered only, in batches.
        executor: any `concurrent.futures` executor; not shut down here.
        progress: told how many files of how many are done, after each.

    Yields:
        Path, blob id and outline, in the order given.

    Raises:
        Incomplete: if `read` does not give a content or a worker process dies.
    """

    def make_there(tasks: list[Task]) -> _Wait:
        if not tasks:
            return list
        future = executor.submit(encode_tasks, tasks)
        return lambda: [_Made(decode(encoded), encoded) for encoded in future.result()]

    total = len(items)
    for done, result in enumerate(cache._run(items, read, make_there, _AHEAD), start=1):
        if progress is not None:
            progress(done, total)
        yield result


def _make_here(tasks: list[Task]) -> _Wait:
    outlines = [outline_blob(language, data) for language, data in tasks]
    made = [_Made(outline, encode(outline)) for outline in outlines]
    return lambda: made
