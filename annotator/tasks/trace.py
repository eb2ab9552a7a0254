"""`annot trace`: the history of a place, commit by commit; and the commits to blame for a drift."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from annotator.model.anchor import Quote
from annotator.model.failures import Incomplete, UserMistake
from annotator.model.history import History, Step
from annotator.model.resolution import Change, Place
from annotator.model.target import Target
from annotator.model.upstream import Upstream
from annotator.model.words import Outcome, Watch
from annotator.resolve.ladder import Ladder
from annotator.resolve.locating import NotLocated, locate
from annotator.resolve.passages import find_passage
from annotator.resolve.snapshot import Snapshot
from annotator.resolve.tracker import Spot, Touch, Tracker, spot_text, whole_file
from annotator.resolve.verdict import outcome_of
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.file_history import FileChange, file_changes
from annotator.upstream.repository import Repository

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
    quote: Quote | None = None


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
        self, workspace: Workspace, upstream: Upstream, name: str, start: Revision, end: Revision
    ) -> None:
        self._workspace = workspace
        self._upstream = upstream
        self._name = name
        self._repository = _common_repository(name, start, end)
        self._start = start
        self._end = end
        self._commits = self._repository.first_parent_commits(start.commit, end.commit)
        self._changes: dict[str, list[FileChange]] = {}
        self._position = {commit.id: at for at, commit in enumerate(self._commits)}
        self._refuse_gaps()
        self._tracker = Tracker(
            self._repository, workspace.outlines, self._changes_since, self._ladder
        )

    @cached_property
    def _labels(self) -> Mapping[str, str]:
        return {commit: tag for tag, commit in self._repository.tags().items()}

    def load(self, paths: Iterable[str]) -> None:
        """Reads the history of several files in one walk."""
        wanted = sorted(set(paths) - self._changes.keys())
        for path in wanted:
            self._changes[path] = []
        if wanted and self._commits:
            for change in file_changes(
                self._repository, self._start.commit, self._end.commit, wanted
            ):
                self._changes.setdefault(change.path, []).append(change)

    def trace(self, traced: Traced) -> History:
        """The history of one place.

        Raises:
            UserMistake: if the place is not there at the beginning.
        """
        first = self._snapshot(self._first_commit())
        try:
            located = locate(first, traced.target)
        except NotLocated as error:
            raise UserMistake(
                str(error),
                hint="begin where it is there (--from), or name it as it was called then",
            ) from error
        start = Spot(located.path, located.symbol or whole_file(first, located.path))
        self.load([start.path])
        follow = self._tracker.follow if located.symbol else self._tracker.follow_file
        steps = [
            self._step(touch, traced) for touch in follow(first.commit, start.path, start.symbol)
        ]
        end: Place | None = self._place(first, start)
        if steps:
            end = steps[-1].new
        web = self._upstream.web
        return History(
            id=traced.id,
            upstream=self._name,
            from_ref=self._start.ref,
            to_ref=self._end.ref,
            compare_link=_link(web, f"compare/{self._start.link_ref}...{self._end.link_ref}"),
            start=self._place(first, start),
            end=end,
            steps=tuple(steps),
            commits=len(self._commits),
        )

    def blame(self, traced: Traced) -> tuple[Step, ...]:
        """The commits that made a place drift, oldest first."""
        return tuple(step for step in self.trace(traced).steps if step.outcome is not Outcome.OK)

    def _first_commit(self) -> str:
        """The commit that the first one of the walk builds on; not `start` where that is on a branch."""
        if self._commits and self._commits[0].parents:
            return self._commits[0].parents[0]
        return self._start.commit

    def _changes_since(self, path: str, commit: str) -> Sequence[FileChange]:
        self.load([path])
        after = self._position.get(commit, -1)
        return [c for c in self._changes[path] if self._position[c.commit.id] > after]

    def _ladder(self, old: str, new: str) -> Ladder:
        return self._workspace.ladder(self._snapshot(old), self._snapshot(new))

    def _snapshot(self, commit: str) -> Snapshot:
        return self._workspace.snapshot(self._repository, commit)

    def _refuse_gaps(self) -> None:
        if self._start.commit == self._end.commit:
            return
        if self._commits and self._start.commit in self._commits[0].parents[:1]:
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
        label = self._labels.get(commit.id, commit.id[:10])
        found = _PULL_REQUEST.search(commit.subject)
        number = int(found[1]) if found else None
        web = self._upstream.web
        imported = self._repository.is_release_import
        page = f"releases/tag/{label}" if imported else f"commit/{commit.id}"
        link = _link(web, f"pull/{number}" if number else page)
        old = self._snapshot(commit.parents[0]) if commit.parents else self._snapshot(commit.id)
        changes = touch.changes + self._quote_changes(touch, traced, old)
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
            new=self._place(self._snapshot(commit.id), touch.new) if touch.new else None,
        )

    def _quote_changes(self, touch: Touch, traced: Traced, old: Snapshot) -> tuple[Change, ...]:
        """What a commit did to the quoted statement; what it did to the rest is in the other changes."""
        if traced.quote is None or touch.new is None:
            return ()
        new = self._snapshot(touch.commit.id)
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


def _link(web: str, page: str) -> str:
    """Address of a page of the upstream's web site; empty for an upstream without one."""
    return f"{web}/{page}" if web else ""


def first_turn(history: History) -> Step | None:
    """The first commit at which the place drifted, if any did."""
    return next((step for step in history.steps if step.outcome is not Outcome.OK), None)


def _common_repository(name: str, start: Revision, end: Revision) -> Repository:
    if start.repository.git_dir != end.repository.git_dir:
        raise Incomplete(
            f"{start.ref} of {name} is in {start.repository.path}, {end.ref} in"
            f" {end.repository.path}: there is no history between two repositories",
            hint="give a --from that the second one has",
        )
    return end.repository
