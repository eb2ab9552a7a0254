"""What each commit did to given files: blob ids and changed line ranges, without reading a blob."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotator.upstream.commits import CommitInfo
from annotator.upstream.repository import Repository

_RAW = re.compile(r"^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\t(.*)$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_COMMIT = re.compile(r"^[0-9a-f]{40,64}$")


class Hunk(NamedTuple):
    """Lines that one commit replaced by others. With no old lines, new ones came behind `old_start`.

    Attributes:
        old_start: first old line, 1-based.
        old_count: number of old lines.
        new_start: first new line, 1-based.
        new_count: number of new lines.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int


class FileChange(NamedTuple):
    """What one commit did to one file, compared with its first parent.

    Attributes:
        commit: the commit.
        path: the file.
        status: `A` added, `M` modified, `D` deleted, `T` another type.
        old_blob: id before, zeros if there was none.
        new_blob: id after, zeros if there is none.
        hunks: changed line ranges, in file order; empty for binary files.
    """

    commit: CommitInfo
    path: str
    status: str
    old_blob: str
    new_blob: str
    hunks: tuple[Hunk, ...]


def file_changes(
    repository: Repository, base: str, target: str, paths: Sequence[str]
) -> list[FileChange]:
    """Every change to the given files in `base..target` along first parents, oldest first.

    Args:
        repository: the repository.
        base: full id of the older commit.
        target: full id of the newer commit.
        paths: the files.

    Raises:
        Incomplete: if history or an object is missing.
    """
    commits = repository.first_parent_commits(base, target, paths)
    by_id = {commit.id: commit for commit in commits}
    listing = repository.diff_against_parents(list(by_id), paths)
    return list(_parse(listing.decode("utf-8", "surrogateescape"), by_id))


def _parse(listing: str, commits: dict[str, CommitInfo]) -> Iterator[FileChange]:
    """Reads `git diff-tree --stdin --raw -p -U0`: per commit the raw lines, then a patch each."""
    commit: CommitInfo | None = None
    files: list[tuple[re.Match[str], list[Hunk]]] = []
    patch = -1

    def finished() -> Iterator[FileChange]:
        if commit is not None:
            for raw, hunks in files:
                old, new, status, path = raw.groups()
                yield FileChange(commit, path, status, old, new, tuple(hunks))

    for line in listing.split("\n"):
        if line[:1] in {"+", "-", " ", "\\"}:
            continue
        if _COMMIT.match(line) and line in commits:
            yield from finished()
            commit, files, patch = commits[line], [], -1
        elif raw := _RAW.match(line):
            files.append((raw, []))
        elif line.startswith("diff --git "):
            patch += 1
        elif (hunk := _HUNK.match(line)) and 0 <= patch < len(files):
            files[patch][1].append(
                Hunk(*(1 if text is None else int(text) for text in hunk.groups()))
            )
    yield from finished()
