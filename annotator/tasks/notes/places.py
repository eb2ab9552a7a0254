"""What a mention points at: which upstream, which commit, which lines or symbol there."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlsplit

from annotator.model.failures import AnnotError
from annotator.model.mention import Mention
from annotator.model.symbol import Outline, Symbol
from annotator.model.target import Target, check_path
from annotator.model.upstream import Upstream
from annotator.model.words import SymbolKind, Watch
from annotator.outline.engine import HEADED
from annotator.outline.lookup import enclosing, match_symbols
from annotator.outline.text import decode, split_lines
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.refs import is_id_or_prefix, is_version

_LONGEST_REF = 4
"""Most parts, divided by slashes, of a ref in a link."""

_LONGEST_STATEMENT = 40
"""Most lines of a statement that a link to its first line stands for."""

_NAMED_KIND = re.compile(r"^refs/(heads|tags)/")
NEAR = 4
"""Lines by which a range may miss a definition's first or last line and still mean the definition."""

_MOST = 0.75
"""Part of a definition from which a range inside it means the definition."""

_WHOLE = 0.9
"""Part of a file from which a range means the file."""


class Where(NamedTuple):
    """The ref and the path of a mention.

    Attributes:
        upstream: name of the upstream.
        ref: the ref as written, or the version that the note states.
        path: from the root of the tree.
        is_branch: whether `ref` is a branch.
        fork: owner and name of the repository, if it is not the upstream's own.
        revision: the commit that `ref` names, none if no source has it.
    """

    upstream: str
    ref: str
    path: str
    is_branch: bool
    fork: str
    revision: Revision | None


class Paths:
    """The files and folders of a tree, found by what a note writes.

    Args:
        files: paths of the tree's files.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self.files = frozenset(files)

    @cached_property
    def _folders(self) -> frozenset[str]:
        folders = {""}
        for file in self.files:
            folder = file.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(folders)

    @cached_property
    def _by_last_part(self) -> Mapping[str, list[str]]:
        paths = defaultdict[str, list[str]](list)
        for file in self.files:
            paths[file.rpartition("/")[2]].append(file)
        return paths

    def has_folder(self, path: str) -> bool:
        """Whether a path is the root or a folder."""
        return path.rstrip("/") in self._folders

    def meant(self, written: str, *, whole: bool = False) -> str:
        """The file that a note means: the path itself, or the only one that fits its last parts.

        Notes write paths from wherever they stand: from the root, from their own folder, from a folder of a machine.

        Args:
            written: the path as written.
            whole: whether the path from the root must be a part of it.

        Returns:
            The path, empty if there is none or no only one.
        """
        parts = [part for part in written.split("/") if part not in {"", ".", ".."}]
        for index in range(len(parts) - 1):
            path = "/".join(parts[index:])
            if path in self.files:
                return path
        if whole:
            return ""
        tail = "/" + "/".join(parts)
        named = self._by_last_part.get(parts[-1], ()) if parts else ()
        found = [path for path in named if f"/{path}".endswith(tail)]
        return found[0] if len(found) == 1 else ""


class Upstreams:
    """The upstreams of a study, as links name them, and the commits of theirs that are at hand.

    Args:
        workspace: open sources.
        upstreams: by name.
    """

    def __init__(self, workspace: Workspace, upstreams: Mapping[str, Upstream]) -> None:
        self._workspace = workspace
        self._upstreams = upstreams
        self._revisions: dict[tuple[str, str], Revision | None] = {}
        self._paths: dict[Revision, Paths] = {}

    @cached_property
    def _repositories(self) -> dict[str, str]:
        """Owner and name in lower case → upstream."""
        return {
            urlsplit(upstream.web).path.strip("/").lower(): name
            for name, upstream in self._upstreams.items()
        }

    def names_of(self, upstream: str) -> set[str]:
        """What people call an upstream."""
        described = self._upstreams[upstream]
        repository = urlsplit(described.web).path.rpartition("/")[2]
        return {upstream, described.title, repository, described.package or upstream}

    def of_repository(self, repository: str) -> str:
        """The upstream whose repository it is, or whose repository has the same name; empty if there is none."""
        wanted = repository.lower()
        if wanted in self._repositories:
            return self._repositories[wanted]
        name = wanted.rpartition("/")[2]
        same = {
            upstream
            for known, upstream in self._repositories.items()
            if known.rpartition("/")[2] == name
        }
        return same.pop() if len(same) == 1 else ""

    def revision(self, upstream: str, ref: str) -> Revision | None:
        """The commit that a ref names; none if no source at hand has it."""
        key = (upstream, ref)
        if key not in self._revisions:
            try:
                self._revisions[key] = self._workspace.revision(upstream, ref)
            except AnnotError:
                self._revisions[key] = None
        return self._revisions[key]

    def is_branch(self, upstream: str, ref: str) -> bool:
        """Whether a ref names no fixed commit: neither an id nor a version nor a tag at hand."""
        if is_id_or_prefix(ref) or is_version(ref):
            return False
        sources = self._workspace.sources(upstream).describe()
        return not any(ref in source.repository.tags() for source in sources)

    def where_link(self, mention: Mention) -> Where | None:
        """The ref and path of a link; none if it is of no upstream."""
        upstream = self.of_repository(mention.repository)
        if not upstream:
            return None
        fork = "" if mention.repository.lower() in self._repositories else mention.repository
        kind = _NAMED_KIND.match(mention.words)
        words = mention.words[kind.end() :] if kind else mention.words
        ref, path, revision = self._divided(upstream, words)
        is_branch = kind[1] == "heads" if kind else self.is_branch(upstream, ref)
        return Where(upstream, ref, path, is_branch, fork, revision)

    def _divided(self, upstream: str, words: str) -> tuple[str, str, Revision | None]:
        """Ref and path of a route: the shortest beginning that names a commit is the ref.

        Where none does, the ref ends where a path of the newest commit begins.
        """
        parts = words.strip("/").split("/")
        for count in range(1, min(_LONGEST_REF, len(parts)) + 1):
            ref = "/".join(parts[:count])
            revision = self.revision(upstream, ref)
            if revision is not None:
                return ref, "/".join(parts[count:]), revision
        newest = self.revision(upstream, "HEAD")
        tops = {path.partition("/")[0] for path in self.paths(newest).files} if newest else set()
        for count in range(1, min(_LONGEST_REF, len(parts) - 1) + 1):
            if parts[count] in tops:
                return "/".join(parts[:count]), "/".join(parts[count:]), None
        return parts[0], "/".join(parts[1:]), None

    def paths(self, revision: Revision) -> Paths:
        """The files and folders of a commit, listed once."""
        if revision not in self._paths:
            self._paths[revision] = Paths(revision.repository.tree(revision.commit).files)
        return self._paths[revision]


class Pointed(NamedTuple):
    """A place in the tree of a commit.

    Attributes:
        target: what is looked for; none for a folder or the root.
        watch: what of it counts.
    """

    target: Target | None
    watch: Watch


def pointed_at(
    snapshot: Snapshot, paths: Paths, path: str, mention: Mention, watch: Watch
) -> Pointed:
    """What a mention with this path points at.

    A file without lines is watched for its existence alone. A range that is a definition but for a line or two, such
    as its decorators or a blank line behind it, means the definition, as does one that is most of it. One that
    lies in no definition means the definition that is at least half of it; one that is nearly all of a file means the
    file.

    Args:
        snapshot: the tree.
        paths: its files and folders.
        path: the path, from the root.
        mention: the mention.
        watch: what counts where it means a definition.

    Raises:
        TargetError: if it is no path.
    """
    if path not in snapshot.files and paths.has_folder(path):
        return Pointed(None, Watch.EXISTENCE)
    check_path(path)
    if mention.symbol:
        return Pointed(Target(path, mention.symbol), watch)
    if path not in snapshot.files:
        return Pointed(Target(path), Watch.EXISTENCE)
    if mention.lines is None:
        if mention.fragment and snapshot.language(path) in HEADED:
            return Pointed(Target(path, mention.fragment, heading=True), Watch.EXISTENCE)
        return Pointed(Target(path), Watch.EXISTENCE)
    first, last = mention.lines
    outline = snapshot.outline(path)
    if last == 1 and not any(symbol.start == 1 for symbol in outline.symbols):
        return Pointed(Target(path), Watch.EXISTENCE)  # the first line stands for the file
    meant = _meant(outline, first, last)
    if meant is not None:
        return Pointed(Target(path, meant.name, heading=meant.kind is SymbolKind.HEADING), watch)
    if first <= outline.lines and last - first + 1 >= _WHOLE * outline.lines > 1:
        return Pointed(Target(path), Watch.EXISTENCE)
    return Pointed(Target(path, start=first, end=last), watch)


def _meant(outline: Outline, first: int, last: int) -> Symbol | None:
    """The definition that a range of lines means, if it is not just some of its statements."""
    if first == last:
        return None
    near: list[tuple[int, Symbol]] = []
    for symbol in outline.symbols:
        above, below = abs(symbol.start - first), abs(symbol.end - last)
        length = symbol.end - symbol.start + 1
        if length > 1 and max(above, below) <= NEAR and above + below <= max(2, length // 10):
            near.append((above + below, symbol))
    if near:
        return min(near, key=lambda item: item[0])[1]
    count = last - first + 1
    around = enclosing(outline, first, last)
    if around is not None:
        return around if count >= _MOST * (around.end - around.start + 1) else None
    shared = [
        (min(symbol.end, last) - max(symbol.start, first) + 1, symbol) for symbol in outline.symbols
    ]
    best = max(shared, key=lambda item: item[0], default=None)
    return best[1] if best and 2 * best[0] >= count else None


def whole_statement(snapshot: Snapshot, target: Target) -> Target | None:
    """A single line with the lines below it up to the bracket that it opens; none if it opens none."""
    if target.start != target.end:
        return None
    lines = split_lines(decode(snapshot.data(target.path)))
    depth = 0
    for number in range(target.start, min(target.start + _LONGEST_STATEMENT, len(lines)) + 1):
        line = lines[number - 1]
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if depth <= 0:
            return target._replace(end=number) if number > target.start else None
    return None


def dotted_place(snapshot: Snapshot, name: str) -> tuple[str, str] | None:
    """The file and symbol that a dotted Python name stands for; none if the tree does not have them."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        stem = "/".join(parts[:count])
        for path in (f"{stem}.py", f"{stem}/__init__.py"):
            if path in snapshot.files:
                symbol = ".".join(parts[count:])
                return (path, symbol) if match_symbols(snapshot.outline(path), symbol) else None
    return None
