"""Reads a git repository through its objects: commits, trees, blobs, renames. Never a checkout."""

import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.blobs import BLOB_LIMIT, WINDOW, BlobReader, Oversize
from annotator.upstream.commits import COMMIT_FORMAT, CommitInfo, parse_commits, upstream_trailer
from annotator.upstream.git_program import complaint, try_git
from annotator.upstream.partial_clone import LeftOut
from annotator.upstream.refs import check_ref, is_full_id, is_id_or_prefix, spellings
from annotator.upstream.tree import (
    Tree,
    changed_blobs,
    changed_paths,
    parse_renames,
    parse_tree,
)
from annotator.upstream.unknown_ref import unknown_ref

UPSTREAM_REFS = "refs/annot/upstream/"
"""Refs of a release import, named by upstream's (abbreviated) commit id, onto the imported commit."""

_COMMAND_LINE = 20_000
"""Characters of paths in one command; systems allow 32,000 and more."""

RENAME_LIMIT = 0
"""Git's limit on how many files it compares for renames; 0 is none."""


class Repository:
    """A git repository that is only read. Use it as a context manager, or call `close`.

    Attributes:
        path: where it was opened.
        git_dir: its git folder.
        is_shallow: whether history is cut off.
    """

    def __init__(self, path: Path, git_dir: Path, *, is_shallow: bool) -> None:
        self.path = path
        self.git_dir = git_dir
        self.is_shallow = is_shallow
        self._blobs = BlobReader(git_dir)
        self._left_out = LeftOut(git_dir)
        self._trees: dict[str, Tree] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Repository({str(self.path)!r})"

    def close(self) -> None:
        """Ends the child process that reads blobs."""
        self._blobs.close()

    @property
    def is_partial(self) -> bool:
        """Whether objects may have been left out, to be fetched when needed."""
        return self._left_out.may_exist

    @cached_property
    def is_release_import(self) -> bool:
        """Whether its commits are source releases taken from a package index, not upstream's own."""
        listing = self._git(
            "for-each-ref", "--count=1", "--format=%(refname)", "refs/annot/releases/"
        )
        return bool(listing.strip())

    @property
    def head(self) -> str:
        """Full id of the commit at HEAD: of a synced source the newest of its default branch."""
        return self.resolve("HEAD")

    def resolve(self, ref: str) -> str:
        """The full id of the commit that `ref` names.

        Args:
            ref: a commit id or the beginning of one, a tag, a branch, HEAD, HEAD~5, or a version:
                `0.25.0` also finds the tag `v0.25.0` and the other way round. In a release import
                upstream's own commit id finds the release made from it.

        Raises:
            UserMistake: if it is no ref or unknown; close names are listed.
            Incomplete: if it is a full commit id that is not in this repository.
        """
        check_ref(ref)
        reasons = b""
        for spelling in spellings(ref):
            done = self._try("rev-parse", "--verify", "--end-of-options", f"{spelling}^{{commit}}")
            found = done.stdout.decode("ascii", "replace").strip()
            if done.returncode == 0 and is_full_id(found):
                return found
            reasons += done.stderr
        if is_id_or_prefix(ref) and (imported := self._imported_from(ref)):
            return imported
        raise unknown_ref(ref, reasons, self.path, is_shallow=self.is_shallow, names=self.names)

    def tags(self) -> Mapping[str, str]:
        """Tag name → full id of what it points to, annotated tags peeled; read once. Names are UTF-8 or left out."""
        return self._tags

    @cached_property
    def _tags(self) -> Mapping[str, str]:
        listing = self._git(
            "for-each-ref",
            "--format=%(refname:lstrip=2)%00%(objectname)%00%(*objectname)",
            "refs/tags/",
        )
        found = {}
        for line in listing.split(b"\n")[:-1]:
            with suppress(UnicodeDecodeError):
                name, target, peeled = line.decode("utf-8").split("\0")
                found[name] = peeled or target
        return found

    def names(self) -> list[str]:
        """Names of all tags and branches."""
        listing = self._git(
            "for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags/", "refs/heads/"
        )
        return listing.decode("utf-8", "replace").splitlines()

    def commit(self, commit: str) -> CommitInfo:
        """What the commit with this full id says about itself."""
        return self._commits("--no-walk", _full(commit))[0]

    def upstream_commit(self, commit: str) -> str:
        """Upstream's id for the commit with this full id.

        That is the commit itself, or in a release import as much of the original's id as the release
        names: maybe only its first digits, maybe nothing.
        """
        if not self.is_release_import:
            return _full(commit)
        return upstream_trailer(self.commit(commit).body)

    def tree(self, commit: str) -> Tree:
        """All files of the commit with this full id.

        Raises:
            Incomplete: if the commit or one of its trees is not in this repository.
        """
        if commit not in self._trees:
            listing = self._git("ls-tree", "-r", "-z", "--full-tree", _full(commit))
            self._trees[commit] = parse_tree(commit, listing)
        return self._trees[commit]

    def files_at(self, commit: str, paths: Sequence[str]) -> Mapping[str, str]:
        """Path → blob id of those of the given files that the commit with this full id has.

        For a few files this is much cheaper than listing the whole tree, unless that has been done already.

        Raises:
            Incomplete: as `tree` does.
        """
        if commit in self._trees or sum(map(len, paths)) > _COMMAND_LINE:
            files = self.tree(commit).files
        else:
            listing = self._git("ls-tree", "-z", "--full-tree", _full(commit), "--", *paths)
            files = parse_tree(commit, listing).files  # beside what was asked for, if a folder was
        return {path: files[path] for path in paths if path in files}

    def read(
        self, blobs: Iterable[str], *, size_limit: int = BLOB_LIMIT
    ) -> Iterator[tuple[str, bytes]]:
        """Yields each blob's id and content, in the given order.

        What a partial clone left out is fetched first, all in one request. Several loops over `read` may be
        open at the same time.

        Args:
            blobs: full blob ids; the same one may come twice.
            size_limit: a larger blob comes as `Oversize`, an empty text that knows its size.

        Raises:
            Incomplete: if a blob cannot be had.
        """
        wanted = [_full(blob) for blob in blobs]
        if self.is_partial:
            self._left_out.fetch(wanted)
        remaining = iter(wanted)
        while window := list(islice(remaining, WINDOW)):
            contents = self._blobs.exchange(window, size_limit)
            for blob, content in zip(window, contents, strict=True):
                if content is None:
                    raise Incomplete(
                        f"{self.path} has no object {blob}",
                        hint=f"look at it with: git -C {self.path} fsck --connectivity-only",
                    )
                yield blob, content

    def read_one(self, blob: str, *, size_limit: int = BLOB_LIMIT) -> bytes:
        """The content of one blob; see `read`."""
        return next(self.read([blob], size_limit=size_limit))[1]

    def changed_paths(self, old_commit: str, new_commit: str) -> Mapping[str, str]:
        """Path → `A`, `M` or `D` for each file whose content differs between two commits.

        Modes do not count and renames are not looked for.
        """
        return changed_paths(self.tree(old_commit), self.tree(new_commit))

    def renames(self, old_commit: str, new_commit: str) -> Mapping[str, tuple[str, float]]:
        """Git's rename detection between two commits: old path → (new path, similarity 0 to 1).

        Where contents are missing that git would compare, only files moved without change are told.
        """
        if self.is_partial:
            old, new = self.tree(old_commit).files, self.tree(new_commit).files
            left = {old[path] for path in old.keys() - new.keys()}
            came = {new[path] for path in new.keys() - old.keys()}
            self._left_out.fetch(left | came)
        between = (_full(old_commit), _full(new_commit))
        done = self._diff_tree("-M50%", *between)
        if done.returncode != 0:
            done = self._diff_tree("-M100%", *between)
        if done.returncode != 0:
            raise Incomplete(f"{self.path}: git diff-tree failed: {complaint(done.stderr)}")
        return parse_renames(done.stdout)

    def first_parent_commits(
        self, base: str, target: str, paths: Sequence[str] = ()
    ) -> list[CommitInfo]:
        """The commits of `base..target` along first parents that touch `paths`, newest last.

        Where history between the two is cut off (`merge_base` gives None), the answer holds the
        commits up to the cut.

        Args:
            base: full id of the older commit, which is left out.
            target: full id of the newer commit.
            paths: files or folders; every commit counts if there are none.
        """
        return self._commits(
            "--first-parent", "--reverse", _full(target), f"^{_full(base)}", "--", *paths
        )

    def first_parent_line(self, base: str, target: str) -> tuple[str, list[str]]:
        """The ids of all commits of `first_parent_commits`, and of the one that they are built on.

        Args:
            base: full id of the older commit.
            target: full id of the newer commit.

        Returns:
            The first parent of the oldest commit, empty if it has none or there is no commit; and all, newest last.
        """
        listing = self._git(
            *("rev-list", "--first-parent", "--reverse", "--parents"),
            *(_full(target), f"^{_full(base)}", "--"),
        )
        lines = listing.decode("ascii").splitlines()
        _, _, parents = lines[0].partition(" ") if lines else ("", "", "")
        return parents.partition(" ")[0], [line.partition(" ")[0] for line in lines]

    def diff_against_parents(self, commits: Sequence[str], paths: Sequence[str]) -> bytes:
        """Git's raw and unified output, without context lines, for each commit against its first parent.

        What a partial clone left out is fetched, all in one request.

        Args:
            commits: full ids.
            paths: the files to compare.

        Raises:
            Incomplete: if an object is missing and cannot be had.
        """
        listing = "".join(f"{_full(commit)}\n" for commit in commits).encode("ascii")
        raw = ["diff-tree", "--stdin", "--root", "-r", "--raw", "--no-abbrev", "--no-renames"]
        raw += ["--diff-merges=first-parent"]
        patch = ("-p", "-U0", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv")
        done = self._try(*raw, *patch, "--", *paths, stdin=listing)
        if done.returncode == 0:
            return done.stdout
        if self.is_partial:
            self._left_out.fetch(changed_blobs(self._git(*raw, "--", *paths, stdin=listing)))
        return self._git(*raw, *patch, "--", *paths, stdin=listing)

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, or None if history at hand shows none."""
        done = self._try("merge-base", _full(one), _full(other))
        if done.returncode > 1:
            raise Incomplete(f"{self.path}: git merge-base failed: {complaint(done.stderr)}")
        return done.stdout.decode("ascii").strip() or None

    def _diff_tree(self, similarity: str, *between: str) -> subprocess.CompletedProcess[bytes]:
        return self._try(
            *("diff-tree", "-r", "-z", similarity, f"-l{RENAME_LIMIT}", "--diff-filter=R"),
            *("--no-ext-diff", "--no-textconv", *between),
        )

    def _imported_from(self, upstream_id: str) -> str:
        """The imported release whose trailer names `upstream_id`, if it is exactly one."""
        listing = self._git("for-each-ref", "--format=%(refname) %(objectname)", UPSTREAM_REFS)
        found = set()
        for line in listing.decode("utf-8", "replace").splitlines():
            name, _, commit = line.partition(" ")
            known = name.removeprefix(UPSTREAM_REFS)
            if upstream_id.startswith(known) or known.startswith(upstream_id):
                found.add(commit)
        return found.pop() if len(found) == 1 else ""

    def _commits(self, *arguments: str) -> list[CommitInfo]:
        # rev-list rather than log: log's configuration can start programs (signature checks).
        return parse_commits(
            self._git("rev-list", "--encoding=UTF-8", f"--format={COMMIT_FORMAT}", *arguments)
        )

    def _try(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return try_git([f"--git-dir={self.git_dir}", *arguments], stdin=stdin)

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = self._try(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise Incomplete(
                f"{self.path}: git {arguments[0]} failed: {complaint(done.stderr)}",
                hint=f"look at the repository with: git -C {self.path} fsck --connectivity-only",
            )
        return done.stdout


def open_repository(path: Path, *, search_upward: bool = True) -> Repository:
    """Opens the git repository at `path`: ordinary, bare, shallow, partial, or a worktree.

    Ownership is git's own check: a repository of another user is refused until the user trusts it.

    Args:
        path: its folder, or a folder inside its working tree.
        search_upward: whether a folder inside a working tree will do.

    Raises:
        UserMistake: if there is no repository, or one that git refuses to trust.
    """
    folder = path.expanduser().absolute()
    if folder.is_file() and folder.name == ".git":
        folder = folder.parent
    if not folder.is_dir():
        raise UserMistake(f"{path} is no folder", hint="give the folder of a git repository")
    done = try_git(
        ["rev-parse", "--absolute-git-dir", "--is-shallow-repository"]
        if search_upward
        else [f"--git-dir={folder}", "rev-parse", "--absolute-git-dir", "--is-shallow-repository"],
        folder=folder,
        # The folder is the user's own choice, not something that happened to lie around.
        settings={"safe.bareRepository": "all"},
    )
    answer = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    if done.returncode == 0 and len(answer) == 2:
        return Repository(folder, Path(answer[0]), is_shallow=answer[1] == "true")
    if b"dubious ownership" in done.stderr:
        raise UserMistake(
            f"{path} belongs to another user, and git does not trust it",
            hint=f"if you trust it: git config --global --add safe.directory {folder}",
        )
    raise UserMistake(
        f"{path} is no git repository: {complaint(done.stderr)}",
        hint="give a folder that `git clone` or `annot sync` made",
    )


def _full(object_id: str) -> str:
    if not is_full_id(object_id):
        raise ValueError(f"{object_id!r} is no full object id; resolve it first")
    return object_id


__all__ = [
    "BLOB_LIMIT",
    "UPSTREAM_REFS",
    "CommitInfo",
    "Oversize",
    "Repository",
    "Tree",
    "open_repository",
]
