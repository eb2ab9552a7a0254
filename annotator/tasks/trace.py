"""`annot trace`: the history of a place, commit by commit; and the commits to blame for a drift."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from annotator.model.failures import Incomplete, UserMistake
from annotator.model.history import History, Step
from annotator.model.resolution import Change, Place
from annotator.model.target import Target
from annotator.model.words import Outcome, Watch
from annotator.outline.lookup import find_symbol
from annotator.resolve.ladder import Ladder
from annotator.resolve.locating import NotLocated, locate
from annotator.resolve.snapshot import Snapshot
from annotator.resolve.tracker import Spot, Touch, Tracker, spot_text, whole_file
from annotator.resolve.verdict import outcome_of
from annotator.tasks.followed import Followed, FollowedPlaces, Following
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.file_history import FileChange, file_changes
from annotator.upstream.repository import Repository

if TYPE_CHECKING:  # loads pydantic, which most traces do without
    from annotator.model.anchor import Quote

_PULL_REQUEST = re.compile(r"\(#(\d+)\)\s*$")


class Traced(NamedTuple):
    """What to trace.

    Attributes:
        id: the anchor's id, or the target as written.
        target: the place at the beginning.
        watch: what counts as drift.
        quote: a statement inside it, if one is meant.
    """

    id: str
    target: Target
    watch: Watch = Watch.BODY
    quote: "Quote | None" = None


class OnTheWeb(Protocol):
    """What links are made from: an upstream, or its entry in a study's index."""

    @property
    def web(self) -> str:
        """Web address of its repository, empty if it has none."""


class Tracing:
    """Traces places between two commits of one repository; all of them share one walk over history.

    Args:
        workspace: open sources.
        upstream: the upstream, for links.
        name: its name.
        start: where histories begin.
        end: where they end.

    Raises:
        UserMistake: if `start` does not lie before `end`.
        Incomplete: if the two are not in one repository, or history between them is cut off.
    """

    def __init__(
        self, workspace: Workspace, upstream: OnTheWeb, name: str, start: Revision, end: Revision
    ) -> None:
        self._workspace = workspace
        self._upstream = upstream
        self._name = name
        self._repository = _common_repository(name, start, end)
        self._start = start
        self._end = end
        self._below, self._commits = self._repository.first_parent_line(start.commit, end.commit)
        self._changes: dict[str, list[FileChange]] = {}
        self._read_after: dict[str, int] = {}
        self._position = {commit: at for at, commit in enumerate(self._commits)}
        self._blobs: dict[tuple[str, str], str] = {}
        self._views: dict[tuple[str, str], Snapshot] = {}
        self._refuse_gaps()
        self._tracker = Tracker(
            self._repository, workspace.outlines, self._changes_since, self._ladder
        )

    @cached_property
    def _labels(self) -> Mapping[str, str]:
        return {commit: tag for tag, commit in self._repository.tags().items()}

    @cached_property
    def _followed(self) -> FollowedPlaces:
        return FollowedPlaces(self._workspace.cache_folder, self._repository)

    def load(self, paths: Iterable[str]) -> None:
        """Reads the history of several files in one walk."""
        self._load(set(paths), self._start.commit)

    def _load(self, paths: Collection[str], since: str) -> None:
        """Reads what came after a commit of the histories of files, where that has not been done."""
        after = self._position.get(since, -1)
        wanted = sorted(
            path for path in paths if self._read_after.get(path, len(self._commits)) > after
        )
        for path in wanted:
            self._changes[path] = []
            self._read_after[path] = after
        if wanted and after < len(self._commits) - 1:
            base = since if after >= 0 else self._start.commit
            for change in file_changes(self._repository, base, self._end.commit, wanted):
                self._changes.setdefault(change.path, []).append(change)
                if change.status == "M" and change.commit.parents:
                    self._blobs[change.commit.parents[0], change.path] = change.old_blob
                    self._blobs[change.commit.id, change.path] = change.new_blob

    def trace(self, traced: Traced) -> History:
        """The history of one place.

        Raises:
            UserMistake: if the place is not there at the beginning.
        """
        first = self._view(self._below or self._start.commit, traced.target.path)
        try:
            located = locate(first, traced.target)
        except NotLocated as error:
            raise UserMistake(
                str(error),
                hint="begin where it is there (--from), or name it as it was called then",
            ) from error
        start = Spot(located.path, located.symbol or whole_file(first, located.path))
        followed = self._follow(traced, first, start)
        web = self._upstream.web
        return History(
            id=traced.id,
            upstream=self._name,
            from_ref=self._start.ref,
            to_ref=self._end.ref,
            compare_link=_link(web, f"compare/{self._start.link_ref}...{self._end.link_ref}"),
            start=self._place(first, start),
            end=followed.place,
            steps=followed.steps,
            commits=len(self._commits),
        )

    def blame(self, traced: Traced) -> tuple[Step, ...]:
        """The commits that made a place drift, oldest first."""
        return tuple(step for step in self.trace(traced).steps if step.outcome is not Outcome.OK)

    def _follow(self, traced: Traced, first: Snapshot, start: Spot) -> Followed:
        """The way of a place to the end; it goes on where an earlier trace has followed it to."""
        said = traced.quote
        quote = (said.exact, said.prefix, said.suffix) if said else None
        place = self._place(first, start)
        following = Following(first.commit, place, traced.watch, quote, self._upstream.web)
        known = self._followed.find(following, self._position)
        since, here = first.commit, start
        steps: tuple[Step, ...] = ()
        if known is not None and (reached := self._reached(known)):
            since, here, steps = known.end, reached, tuple(map(self._relabelled, known.steps))
        elif known is not None and known.place is None:
            return msgspec.structs.replace(known, steps=tuple(map(self._relabelled, known.steps)))
        follow = self._tracker.follow if here.symbol.name else self._tracker.follow_file
        way = follow(since, here.path, here.symbol)
        steps += tuple(self._step(touch, traced) for touch in way.touches)
        end = self._end.commit
        place_there = way.end and self._place(self._view(end, way.end.path), way.end)
        followed = Followed(end=end, place=place_there, steps=steps)
        if known is None or known.end != end:
            self._followed.keep(following, followed, known.end if known else None)
        return followed

    def _reached(self, known: Followed) -> Spot | None:
        """Where an earlier trace ended, if the place is found there again."""
        if known.place is None:
            return None
        view = self._view(known.end, known.place.path)
        spot = _spot(view, known.place.path, known.place.symbol)
        return spot if spot and self._place(view, spot) == known.place else None

    def _changes_since(self, path: str, commit: str) -> Sequence[FileChange]:
        self._load([path], commit)
        after = self._position.get(commit, -1)
        return [c for c in self._changes[path] if self._position[c.commit.id] > after]

    def _ladder(self, old: str, new: str) -> Ladder:
        return self._workspace.ladder(self._snapshot(old), self._snapshot(new))

    def _snapshot(self, commit: str) -> Snapshot:
        return self._workspace.snapshot(self._repository, commit)

    def _view(self, commit: str, path: str) -> Snapshot:
        """A commit as far as one file goes, where it has that; a whole tree has some thousand."""
        at = (commit, path)
        if at not in self._views:
            known = self._blobs.get(at)
            files = {path: known} if known else self._repository.files_at(commit, [path])
            self._views[at] = (
                Snapshot(self._repository, commit, self._workspace.outlines, files)
                if files
                else self._snapshot(commit)
            )
        return self._views[at]

    def _refuse_gaps(self) -> None:
        if self._start.commit == self._end.commit:
            return
        if self._start.commit == self._below:
            return  # the walk came down to `start`
        base = self._repository.merge_base(self._start.commit, self._end.commit)
        if base == self._end.commit:
            raise UserMistake(
                f"{self._start.ref} comes after {self._end.ref}",
                hint="give the older one with --from",
            )
        if base is None and self._repository.is_shallow:
            raise Incomplete(
                f"{self._repository.path} is shallow: it has no history between"
                f" {self._start.ref} and {self._end.ref}",
                hint=f"run `annot sync {self._name} --history`, or: git fetch --unshallow",
            )

    def _step(self, touch: Touch, traced: Traced) -> Step:
        commit = touch.commit
        known = self._repository.upstream_commit(commit.id)
        found = _PULL_REQUEST.search(commit.subject)
        number = int(found[1]) if found else None
        label, link = self._names(commit.id, number)
        old = self._view(commit.parents[0] if commit.parents else commit.id, touch.old.path)
        new = self._view(commit.id, touch.new.path) if touch.new else None
        changes = touch.changes + self._quote_changes(touch, traced, old, new)
        return Step(
            commit=commit.id,
            upstream_commit=known,
            label=label,
            date=commit.date,
            author=commit.author,
            subject=commit.subject,
            pull_request=number,
            link=link,
            outcome=Outcome.GONE if touch.new is None else outcome_of(changes, traced.watch),
            changes=changes,
            old=self._place(old, touch.old),
            new=self._place(new, touch.new) if new and touch.new else None,
        )

    def _names(self, commit: str, pull_request: int | None) -> tuple[str, str]:
        """What a commit is called, and the web address of its pull request or its own; tags come and go."""
        label = self._labels.get(commit, commit[:10])
        imported = self._repository.is_release_import
        page = f"releases/tag/{label}" if imported else f"commit/{commit}"
        return label, _link(self._upstream.web, f"pull/{pull_request}" if pull_request else page)

    def _relabelled(self, step: Step) -> Step:
        label, link = self._names(step.commit, step.pull_request)
        return msgspec.structs.replace(step, label=label, link=link)

    @staticmethod
    def _quote_changes(
        touch: Touch, traced: Traced, old: Snapshot, new: Snapshot | None
    ) -> tuple[Change, ...]:
        """What a commit did to the quoted statement; what it did to the rest is in the other changes."""
        if traced.quote is None or touch.new is None or new is None:
            return ()
        from annotator.resolve.passages import find_passage  # noqa: PLC0415 - loads pydantic

        texts = spot_text(old, touch.old), spot_text(new, touch.new)
        lines = touch.old.symbol.start, touch.new.symbol.start
        language = old.language(touch.old.path)
        return find_passage(language, texts[0], lines[0], texts[1], lines[1], traced.quote).changes

    @staticmethod
    def _place(snapshot: Snapshot, spot: Spot) -> Place:
        return Place(
            path=spot.path,
            symbol=spot.symbol.name,
            start=spot.symbol.start,
            end=spot.symbol.end,
            blob=snapshot.files.get(spot.path, ""),
        )


def _spot(snapshot: Snapshot, path: str, name: str) -> Spot | None:
    """A symbol in its file, or the whole file where there is no name."""
    if path not in snapshot.files:
        return None
    symbol = find_symbol(snapshot.outline(path), name) if name else whole_file(snapshot, path)
    return Spot(path, symbol) if symbol else None


def _link(web: str, page: str) -> str:
    """Address of a page of the upstream's web site; empty for an upstream without one."""
    return f"{web}/{page}" if web else ""


def _common_repository(name: str, start: Revision, end: Revision) -> Repository:
    if start.repository.git_dir != end.repository.git_dir:
        raise Incomplete(
            f"{start.ref} of {name} is in {start.repository.path}, {end.ref} in"
            f" {end.repository.path}: there is no history between two repositories",
            hint="give a --from that the second one has",
        )
    return end.repository
