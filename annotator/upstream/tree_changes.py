"""Which files each of many commits changed, told by one git process, without listing a single tree."""

from collections.abc import Iterator, Mapping, Sequence

from annotator.model.failures import Incomplete
from annotator.upstream.git_program import complaint, try_git
from annotator.upstream.repository import Repository

Changed = Mapping[str, str | None]
"""Path → blob id after a commit, None for a file that is no longer there."""


def tree_changes(repository: Repository, commits: Sequence[str]) -> Iterator[tuple[str, Changed]]:
    """Yields each commit with the regular files that it changed, compared with its first parent.

    Args:
        repository: the repository.
        commits: full ids, in the order wanted.

    Raises:
        Incomplete: if a commit or one of its trees is not there.
    """
    done = try_git(
        [
            *(f"--git-dir={repository.git_dir}", "diff-tree", "--stdin", "--root", "-r", "-z"),
            *("--raw", "--no-renames", "--no-abbrev", "--diff-merges=first-parent"),
            *("--no-ext-diff", "--always"),
        ],
        stdin="".join(f"{commit}\n" for commit in commits).encode("ascii"),
    )
    if done.returncode != 0:
        raise Incomplete(
            f"{repository.path}: git diff-tree failed: {complaint(done.stderr)}",
            hint=f"look at it with: git -C {repository.path} fsck --connectivity-only",
        )
    yield from _parse(done.stdout)


def _parse(listing: bytes) -> Iterator[tuple[str, Changed]]:
    """Reads `git diff-tree --stdin -z --raw`: a commit's id, then two words for each file.

    The words of a file are `:100644 100644 OLDID NEWID M` and its path.
    """
    commit = ""
    changed: dict[str, str | None] = {}
    words = iter(listing.decode("utf-8", "surrogateescape").split("\0")[:-1])
    for word in words:
        if not word.startswith(":"):
            if commit:
                yield commit, changed
            commit, changed = word, {}
            continue
        _, mode, _, new, _ = word.split(" ")
        changed[next(words)] = new if mode.startswith("100") else None
    if commit:
        yield commit, changed
