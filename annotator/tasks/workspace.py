"""What requests share: sources of upstreams, outlines, resolvers between two commits."""

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from annotator.model.failures import AnnotError, Incomplete
from annotator.outline.cache import OutlineCache
from annotator.tasks.selection import refuse_unknown
from annotator.upstream.repository import Repository, open_repository
from annotator.upstream.sources import Sources, open_sources

if (
    TYPE_CHECKING
):  # the models load pydantic and the resolver libcst, which many commands do without
    from annotator.model.study import Study
    from annotator.model.upstream import Upstream
    from annotator.resolve.ladder import Ladder
    from annotator.resolve.resolver import Resolver
    from annotator.resolve.snapshot import Snapshot


class Revision(NamedTuple):
    """One commit of one repository.

    Attributes:
        repository: where it is.
        commit: its full id there.
        ref: the ref that named it.
    """

    repository: Repository
    commit: str
    ref: str

    @property
    def label(self) -> str:
        """A tag or a short id, for people."""
        if re.fullmatch(r"[0-9a-f]{7,64}", self.ref) or "HEAD" in self.ref:
            tag = next(
                (name for name, commit in self.repository.tags().items() if commit == self.commit),
                "",
            )
            return tag or self.commit[:12]
        return self.ref

    @property
    def link_ref(self) -> str:
        """What the upstream's own web site calls this commit: its id, for an imported release its tag."""
        return self.label if self.repository.is_release_import else self.commit

    def permalink(self, web: str, path: str, start: int, end: int) -> str:
        """Web address of lines of a file at this commit; empty for an upstream without one."""
        if not web:
            return ""
        lines = f"#L{start}" if start == end else f"#L{start}-L{end}"
        return f"{web}/blob/{_quoted(self.link_ref)}/{_quoted(path)}{lines if start else ''}"


def _quoted(text: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - only output with links needs it

    return quote(text, safe="/@+~", errors="surrogateescape")


class Anchored(Protocol):
    """What tells one upstream's repository from another's: a study, or its index."""

    @property
    def upstreams(self) -> Mapping[str, object]:
        """The upstreams, by name."""

    def paths_in(self, upstream: str) -> Collection[str]:
        """The files of one upstream that anchors point into."""


class Workspace:
    """Opens sources on demand and keeps them open; use as a context manager.

    Args:
        cache_folder: folder of the outline cache and of synced sources.
        repo: repository to read before synced sources, if any.
        study: the study, which says what the repository can be a clone of; without one it is of any upstream.
    """

    def __init__(
        self, cache_folder: Path, repo: Path | None = None, study: Anchored | None = None
    ) -> None:
        self.cache_folder = cache_folder
        self._repo = repo
        self._study = study
        self._stack = ExitStack()
        self.outlines = self._stack.enter_context(OutlineCache(cache_folder))
        self._sources: dict[str, Sources] = {}
        self._snapshots: dict[tuple[Path, str], Snapshot] = {}
        self._ladders: dict[tuple[Path, str, Path, str], Ladder] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def sources(self, upstream: str) -> Sources:
        """The repositories at hand for an upstream."""
        if upstream not in self._sources:
            opened = open_sources(upstream, self.repo_of(upstream))
            self._sources[upstream] = self._stack.enter_context(opened)
        return self._sources[upstream]

    def repo_of(self, upstream: str) -> Path | None:
        """The given repository, unless it is another upstream's."""
        return None if upstream in self._of_others else self._repo

    def passed_over(self, upstream: str, read: Revision) -> list[str]:
        """What to say where a repository was given and another one was read."""
        if self._repo is None or self.sources(upstream).is_given(read.repository):
            return []
        why = (
            f"{self._repo} has no {read.ref}"
            if self.repo_of(upstream) is not None
            else f"{self._repo} is taken for another upstream's"
        )
        return [f"{upstream} was read from {read.repository.path}: {why}"]

    @cached_property
    def _of_others(self) -> frozenset[str]:
        """The upstreams whose anchored files the given repository has less of than of another's."""
        if self._repo is None or self._study is None or len(self._study.upstreams) < 2:
            return frozenset()
        try:
            anchored = {name: self._study.paths_in(name) for name in self._study.upstreams}
            every = sorted({path for paths in anchored.values() for path in paths})
            with open_repository(self._repo) as repository:
                files = repository.files_at(repository.head, every)
        except AnnotError:  # whoever reads it says so
            return frozenset()
        parts = {
            name: sum(path in files for path in paths) / len(paths)
            for name, paths in anchored.items()
            if paths
        }
        most = max(parts.values(), default=0.0)
        return frozenset(name for name, part in parts.items() if part < most)

    def revision(self, upstream: str, ref: str) -> Revision:
        """The commit that a ref names in the first source that has it.

        Raises:
            UserMistake: if no source knows the ref.
            Incomplete: if there is no source.
        """
        repository, commit = self.sources(upstream).find(ref)
        return Revision(repository, commit, ref)

    def baseline(self, name: str, upstream: "Upstream") -> Revision:
        """The pin if a source has it, else its stand-in.

        Raises:
            Incomplete: if no source has either.
        """
        return self.first_of(name, upstream.pin.refs)

    def first_of(self, name: str, refs: Collection[str]) -> Revision:
        """The first of some refs that a source of an upstream has.

        Raises:
            Incomplete: if no source has any.
        """
        for ref in refs:
            try:
                return self.revision(name, ref)
            except AnnotError:
                continue
        wanted = " or ".join(refs)
        raise Incomplete(
            f"no source of {name} has {wanted}, so there is nothing to compare with",
            hint=f"run `annot sync {name}`",
        )

    def snapshot(self, repository: Repository, commit: str) -> "Snapshot":
        """The view of one commit, shared by all resolvers."""
        from annotator.resolve.snapshot import Snapshot  # noqa: PLC0415

        key = (repository.git_dir, commit)
        if key not in self._snapshots:
            self._snapshots[key] = Snapshot(repository, commit, self.outlines)
        return self._snapshots[key]

    def ladder(self, base: "Snapshot", target: "Snapshot") -> "Ladder":
        """The direct search between two commits, shared by all resolvers."""
        from annotator.resolve.ladder import Ladder  # noqa: PLC0415

        key = (base.repository.git_dir, base.commit, target.repository.git_dir, target.commit)
        if key not in self._ladders:
            self._ladders[key] = Ladder(base, target)
        return self._ladders[key]

    def resolver(self, base: Revision, target: Revision) -> "Resolver":
        """The resolver between two commits, with the commits in between where both are at hand."""
        from annotator.resolve.finder import Finder  # noqa: PLC0415
        from annotator.resolve.hops import Hops  # noqa: PLC0415
        from annotator.resolve.resolver import Resolver  # noqa: PLC0415

        old = self.snapshot(base.repository, base.commit)
        new = self.snapshot(target.repository, target.commit)
        hops = None
        if base.repository.git_dir == target.repository.git_dir:
            hops = Hops(lambda commit: self.snapshot(target.repository, commit), self.ladder)
        return Resolver(Finder(old, new, self.ladder(old, new), hops))

    def forget(self, keep: Iterable[Revision] = ()) -> None:
        """Drops texts and trees read so far, to keep memory flat over many pairs of commits.

        Args:
            keep: commits that are needed again.
        """
        kept = {(revision.repository.git_dir, revision.commit) for revision in keep}
        self._snapshots = {key: self._snapshots[key] for key in self._snapshots.keys() & kept}
        self._ladders.clear()


def chosen_upstreams(study: "Study", names: Iterable[str] = ()) -> "dict[str, Upstream]":
    """The named upstreams, or without names all that have anchors.

    Raises:
        UserMistake: if the study has none of a name.
    """
    wanted = list(names) or [name for name in study.upstreams if any(study.of_upstream(name))]
    for name in wanted:
        refuse_unknown(study.upstreams, name)
    return {name: study.upstreams[name] for name in wanted}
