"""A part of a sweep: some anchors at some commits that follow one another. What one worker does."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from annotator.model.anchor import Quote
from annotator.model.failures import AnnotError, Incomplete
from annotator.model.lock import LockEntry
from annotator.model.resolution import Resolution
from annotator.model.target import parse_target
from annotator.model.upstream import Upstream
from annotator.model.words import Outcome, Watch
from annotator.resolve.moving import MovingTarget, resolver_to
from annotator.resolve.readings import Readings
from annotator.resolve.resolver import Resolver
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.crew_source import fetch_where_missing
from annotator.tasks.drift_map import MapCell, cell_of
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.folders import cache_folder
from annotator.upstream.tree_changes import tree_changes

_TIDY_EVERY = 25
"""Commits after which what was read of other commits is dropped."""


class SweptAnchor(NamedTuple):
    """What a sweep has to know of an anchor.

    Attributes:
        key: what its answers are kept under.
        target: the target as written.
        watch: what counts as drift.
        quote: a statement inside it, if one is meant.
        recorded: what the lock says of it, if that was recorded from the baseline.
    """

    key: str
    target: str
    watch: Watch
    quote: Quote | None
    recorded: LockEntry | None


class SweepPart(NamedTuple):
    """Some anchors at some commits.

    Attributes:
        name: name of the upstream.
        upstream: what the study says of it, so that its source can be fetched.
        repo: a repository to read before the synced source, if one is given.
        base: ref of the baseline.
        base_commit: the commit that it names.
        commits: full ids along first parents, oldest first.
        anchors: the anchors.
    """

    name: str
    upstream: Upstream
    repo: str | None
    base: str
    base_commit: str
    commits: tuple[str, ...]
    anchors: tuple[SweptAnchor, ...]


def sweep_part(part: SweepPart) -> list[dict[str, MapCell]]:
    """Compares anchors with the baseline at each commit.

    Returns:
        For each commit the answers that differ from those at the commit before, by the anchors' keys.

    Raises:
        Incomplete: if a commit cannot be had here.
    """
    repo = Path(part.repo) if part.repo else None
    if repo is None:
        fetch_where_missing(part.name, part.upstream)
    with Workspace(cache_folder(), repo) as workspace:
        base, first = (workspace.revision(part.name, ref) for ref in (part.base, part.commits[0]))
        if base.commit != part.base_commit:
            raise Incomplete(
                f"{part.base} of {part.name} is {base.commit[:12]} here, not"
                f" {part.base_commit[:12]}",
                hint="give every worker the same source",
            )
        return list(_Sweeping(workspace, part, base, first).run())


class _Sweeping:
    """Anchors on their way through commits."""

    def __init__(
        self, workspace: Workspace, part: SweepPart, base: Revision, first: Revision
    ) -> None:
        self._workspace = workspace
        self._part = part
        self._base_revision = base
        self._base = workspace.snapshot(base.repository, base.commit)
        self._repository = first.repository
        self._one_repository = base.repository.git_dir == first.repository.git_dir
        self._target = MovingTarget(first.repository, first.commit, workspace.outlines)
        self._readings: dict[str, Readings] = {}
        self._cells: dict[str, MapCell] = {}

    def run(self) -> Iterator[dict[str, MapCell]]:
        """The answers that differ from those before, commit by commit."""
        for done, (commit, changed) in enumerate(
            tree_changes(self._repository, self._part.commits)
        ):
            if done:
                self._target.move(commit, changed)
            if done % _TIDY_EVERY == 0:
                self._workspace.forget(keep=[self._base_revision])
                self._target.forget(keep=self._base)
            yield self._turned()

    def _turned(self) -> dict[str, MapCell]:
        resolver = resolver_to(
            self._target,
            self._base,
            self._snapshot if self._one_repository else None,
            self._workspace.ladder,
        )
        turned = {}
        for anchor in self._part.anchors:
            known = self._readings.get(anchor.key)
            if known is not None and self._target.stands(known):
                continue
            with self._target.noting() as readings:
                cell = self._cell(anchor, resolver)
            self._readings[anchor.key] = readings
            if self._cells.get(anchor.key) != cell:
                self._cells[anchor.key] = turned[anchor.key] = cell
        return turned

    def _snapshot(self, commit: str) -> Snapshot:
        return self._workspace.snapshot(self._repository, commit)

    def _cell(self, anchor: SweptAnchor, resolver: Resolver) -> MapCell:
        place = parse_target(anchor.target)
        recorded = anchor.recorded
        if recorded and self._target.files.get(place.path) == recorded.blob:
            return MapCell(outcome=Outcome.OK)
        try:
            return cell_of(resolver.resolve(place, anchor.watch, anchor.quote, recorded))
        except AnnotError as error:
            reason = error.with_hint
            return cell_of(Resolution(outcome=Outcome.ERROR, confidence=0.0, reason=reason))
