"""Reads many blobs of one repository through a single `git cat-file --batch` child process."""

import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from annotator.model.failures import Incomplete
from annotator.upstream.git_program import git_command, git_environment

BLOB_LIMIT = 32 * 1024 * 1024
"""Largest blob that is read, in bytes; source text is far below."""

WINDOW = 56
"""Requests under way at once.

56 requests of 65 bytes (a SHA-256 id and a newline) stay below 4096 bytes, which every system's pipes
hold, so that writing them never blocks while git waits for its answers to be read.
"""


class Oversize(bytes):
    """Stands for a blob above the limit: an empty text that knows the real `size` in bytes."""

    size: int

    def __new__(cls, size: int) -> Self:
        """An empty text for a blob of `size` bytes."""
        oversize = super().__new__(cls)
        oversize.size = size
        return oversize


class BlobReader:
    """A `git cat-file --batch` child, started at the first request and kept until `close`.

    Thread safe: whole windows of requests are exchanged under a lock.
    """

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def exchange(self, ids: Sequence[str], limit: int = BLOB_LIMIT) -> list[bytes | None]:
        """The contents of at most `WINDOW` blobs, in order; None for one that is missing.

        Args:
            ids: full object ids.
            limit: a blob of more bytes than this comes as `Oversize`.

        Raises:
            ValueError: if there are too many ids.
            Incomplete: if git ends or answers out of turn.
        """
        if len(ids) > WINDOW:
            raise ValueError(f"{len(ids)} requests at once; at most {WINDOW} fit into a pipe")
        with self._lock:
            requests, answers = self._streams()
            try:
                requests.write("".join(f"{blob}\n" for blob in ids).encode("ascii"))
                requests.flush()
                return [_read_answer(answers, blob, limit) for blob in ids]
            except BaseException as error:
                self._stop()  # the stream is out of step: the next request starts a fresh child
                if isinstance(error, OSError):
                    raise Incomplete(f"git cat-file ended early in {self._git_dir}") from error
                raise

    def close(self) -> None:
        """Ends the child process. The reader can be used again afterwards."""
        with self._lock:
            self._stop()

    def _streams(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._child is None or self._child.poll() is not None:
            self._stop()
            self._child = subprocess.Popen(
                git_command([f"--git-dir={self._git_dir}", "cat-file", "--batch"]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=git_environment(),
                bufsize=1024 * 1024,
            )
        if self._child.stdin is None or self._child.stdout is None:
            raise Incomplete("git cat-file has no pipes")
        return self._child.stdin, self._child.stdout

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()  # it only reads, so nothing is lost
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with suppress(OSError):  # unsent requests of a child that died
                    stream.close()
        child.wait()


def _read_answer(answers: IO[bytes], blob: str, limit: int) -> bytes | None:
    header = answers.readline().decode("utf-8", "replace").split()
    if header == [blob, "missing"]:
        return None
    if len(header) != 3 or header[0] != blob or header[1] != "blob":
        raise Incomplete(f"git cat-file answered {' '.join(header)!r} for blob {blob}")
    size = int(header[2])
    if size > limit:
        _skip(answers, size + 1)
        return Oversize(size)
    content = answers.read(size + 1)
    if len(content) != size + 1:
        raise Incomplete(f"git cat-file ended in the middle of blob {blob}")
    return content[:-1]


def _skip(answers: IO[bytes], count: int) -> None:
    while count > 0:
        piece = answers.read(min(count, 1024 * 1024))
        if not piece:
            raise Incomplete("git cat-file ended in the middle of a large blob")
        count -= len(piece)
