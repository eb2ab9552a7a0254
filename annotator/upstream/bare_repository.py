"""The bare repositories in the cache that a sync writes to."""

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from annotator.model.failures import Incomplete
from annotator.upstream.git_program import complaint, try_git

LOCK_TIMEOUT = 1800.0
"""Seconds that a sync waits for another one to finish."""

_LEFTOVERS = (
    "objects/pack/tmp_*",
    "objects/pack/*.keep",  # of an import; with one of the same name git refuses to store that pack again
    "objects/??/tmp_*",
    "objects/info/**/*.lock",
    "fast_import_crash_*",
    "*.lock",
    "refs/**/*.lock",
)


class BareRepository:
    """A bare repository in the cache. Use it inside `locked`."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir

    def prepare(self, branch: str) -> None:
        """Makes the repository with `branch` at HEAD, or clears away what an interruption left."""
        if not (self.git_dir / "HEAD").is_file():
            # Aside, then renamed: half a repository would be in the way of readers, and of the next sync.
            fresh = BareRepository(self.git_dir.with_suffix(".new"))
            for folder in (fresh.git_dir, self.git_dir):
                shutil.rmtree(folder, ignore_errors=True)
            fresh.git_dir.mkdir(parents=True)
            fresh.run("init", "--quiet", "--bare", "--template=", str(fresh.git_dir))
            fresh.point_head(branch)
            fresh.git_dir.rename(self.git_dir)
        self.clear_leftovers()

    def point_head(self, branch: str) -> None:
        """Makes HEAD stand for `branch`."""
        self.run("symbolic-ref", "HEAD", f"refs/heads/{branch}")

    def clear_leftovers(self) -> None:
        """Deletes what an interrupted git left behind; whoever holds the lock is the only writer."""
        for pattern in _LEFTOVERS:
            for leftover in self.git_dir.glob(pattern):
                leftover.unlink(missing_ok=True)

    def attempt(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Runs git here and returns how it went."""
        return try_git([f"--git-dir={self.git_dir}", *arguments], stdin=stdin)

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Runs git here and returns its standard output.

        Raises:
            Incomplete: if it fails.
        """
        done = self.attempt(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise Incomplete(
                f"{self.git_dir}: git {arguments[0]} failed: {complaint(done.stderr)}",
                hint=f"look at the free space of the disk; if that is not it, delete {self.git_dir}",
            )
        return done.stdout

    def refs(self) -> dict[str, str]:
        """All refs: full name → object id."""
        listing = self.run("for-each-ref", "--format=%(refname) %(objectname)").decode("utf-8")
        return dict(line.rsplit(" ", 1) for line in listing.splitlines())

    def move_refs(self, updates: Mapping[str, str], deletes: Iterable[str] = ()) -> None:
        """Moves and deletes refs in one transaction: all of them or none."""
        lines = [f"update {ref} {object_id}\n" for ref, object_id in updates.items()]
        lines += [f"delete {ref}\n" for ref in deletes]
        self.run("update-ref", "--stdin", stdin="".join(lines).encode("utf-8"))


@contextmanager
def locked(git_dir: Path, timeout: float = LOCK_TIMEOUT) -> Iterator[None]:
    """Holds the lock beside `git_dir`, so that two syncs queue; it goes when the process ends.

    Raises:
        Incomplete: if another sync holds it for longer than `timeout` seconds.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only a sync pays for it

    try:
        git_dir.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(git_dir.with_suffix(".lock"), timeout=timeout):
            yield
    except Timeout as error:
        raise Incomplete(
            f"another sync has been working on {git_dir} for {timeout:g} s",
            hint="wait for it to end, then sync again",
        ) from error
