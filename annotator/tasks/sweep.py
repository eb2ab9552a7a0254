"""`annot map --commits A..B`: every anchor at every commit of upstream's main line between two of them."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from annotator.model.commit_map import CommitMap, SweepRow, SweptCommit, Turn, UpstreamSweep
from annotator.model.failures import AnnotError, Incomplete, UserMistake
from annotator.model.lock import Lock
from annotator.model.study import PlacedAnchor, Study
from annotator.model.upstream import Upstream
from annotator.model.version import __version__
from annotator.tasks.crew import Crew, run_parts
from annotator.tasks.drift_map import DriftMap, MapCell, MapRow, UpstreamMap
from annotator.tasks.sweep_part import SweepPart, SweptAnchor, sweep_part
from annotator.tasks.swept_cells import Cells, SweptCells
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.commits import CommitInfo
from annotator.upstream.repository import Repository

_LARGEST = 250
"""Most commits in a part. The first commit of a part costs as much as a whole check, so a part should have many."""
_PARTS_EACH = 3
"""Parts for each worker, so that none waits long for the last one."""
_SMALLEST = 25
_ON_CLUSTER = 100
"""Commits in a part where it is not known how many workers there will be."""

Progress = Callable[[str, int, int], None]
_ALONE = Crew()


class CommitRange(NamedTuple):
    """Commits of the main line behind one and up to another.

    Attributes:
        start: a ref; left out itself.
        end: a ref.
    """

    start: str
    end: str


def parse_range(text: str) -> CommitRange:
    """Reads `A..B`; without B it is HEAD.

    Raises:
        UserMistake: if it is nothing of the kind.
    """
    start, dots, end = text.partition("..")
    if not dots or not start or end.startswith("."):
        raise UserMistake(f"{text!r} is no range of commits", hint="write it like v0.27.0..HEAD")
    return CommitRange(start, end or "HEAD")


def sweep(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    commits: CommitRange,
    *,
    repo: Path | None = None,
    crew: Crew = _ALONE,
    progress: Progress = lambda what, done, total: None,
) -> CommitMap:
    """Compares every anchor with its baseline at each commit of a range.

    Answers are kept as parts of the work come to an end: a sweep that was broken off goes on where it was, and later only
    new commits and new anchors cost anything.

    Args:
        workspace: open sources.
        study: the study.
        upstreams: the upstreams to look at.
        locks: what anchors were at the pin, by upstream.
        commits: the range, in each upstream.
        repo: the repository that the workspace reads before the synced sources, if any.
        crew: who does the work.
        progress: told how many commits are done.

    Raises:
        UserMistake: if the only upstream does not know a ref, or the refs are in the wrong order.
        Incomplete: if the only upstream has no source or no history at hand, or workers cannot go on.
    """
    sweeps = []
    for name, upstream in upstreams.items():
        try:
            swept = _Sweep(workspace, study, name, upstream, locks.get(name), commits)
        except AnnotError as error:
            if len(upstreams) == 1:
                raise
            reason = error.with_hint
            sweeps.append(UpstreamSweep(upstream=name, reason=reason))
            continue
        given = str(repo.absolute()) if repo and workspace.repo_of(name) else None
        swept.run(given, crew, progress)
        sweeps.append(swept.result())
    return CommitMap(version=__version__, upstreams=tuple(sweeps))


class _Sweep:
    """The sweep of one upstream: what is known, what is to be done, what came of it."""

    def __init__(
        self,
        workspace: Workspace,
        study: Study,
        name: str,
        upstream: Upstream,
        lock: Lock | None,
        commits: CommitRange,
    ) -> None:
        self._name = name
        self._upstream = upstream
        self._base = workspace.baseline(name, upstream)
        end = workspace.revision(name, commits.end)
        self._commits = _main_line(workspace.revision(name, commits.start), end)
        self._labels = {commit: tag for tag, commit in end.repository.tags().items()}
        self._numbers = {question.id: question.number for question in study.questions}
        self._placed = list(study.of_upstream(name))
        self._anchors = [_swept(placed, lock, self._base) for placed in self._placed]
        self._kept = SweptCells(workspace.cache_folder, _baseline_key(self._base, end.repository))
        self._known = {commit.id: dict(self._kept.find(commit.id)) for commit in self._commits}

    def run(self, repo: str | None, crew: Crew, progress: Progress) -> None:
        """Finds the answers that are not known yet."""
        parts = [
            SweepPart(
                self._name,
                self._upstream,
                repo,
                self._base.ref,
                self._base.commit,
                tuple(commits),
                tuple(anchors),
            )
            for commits, anchors in self._missing(crew)
        ]
        total = sum(len(part.commits) for part in parts)
        done = 0
        progress(self._name, done, total)
        for part, turned in run_parts(sweep_part, parts, crew) if parts else ():
            found = list(zip(part.commits, _filled(turned), strict=True))
            self._kept.keep(found)
            for commit, cells in found:
                self._known[commit].update(cells)
            done += len(part.commits)
            progress(self._name, done, total)

    def _missing(self, crew: Crew) -> Iterator[tuple[Sequence[str], list[SweptAnchor]]]:
        """Runs of commits that follow one another, with the anchors that are not known there."""

        def unknown(commit: CommitInfo) -> list[SweptAnchor]:
            return [anchor for anchor in self._anchors if anchor.key not in self._known[commit.id]]

        for anchors, run in groupby(self._commits, key=unknown):
            if anchors:
                ids = [commit.id for commit in run]
                share = -(-len(ids) // (_PARTS_EACH * crew.jobs))
                size = _ON_CLUSTER if crew.cluster else max(_SMALLEST, min(_LARGEST, share))
                for at in range(0, len(ids), size):
                    yield ids[at : at + size], anchors

    def result(self) -> UpstreamSweep:
        """What is known of all commits."""
        return UpstreamSweep(
            upstream=self._name,
            baseline=self._base.ref,
            commits=tuple(
                SweptCommit(
                    id=commit.id,
                    label=self._labels.get(commit.id, commit.id[:10]),
                    date=commit.date,
                    subject=commit.subject,
                )
                for commit in self._commits
            ),
            rows=tuple(
                SweepRow(
                    id=placed.anchor.id,
                    owner=placed.owner,
                    number=self._numbers.get(placed.owner),
                    target=placed.anchor.target,
                    turns=tuple(self._turns(anchor.key)),
                )
                for placed, anchor in zip(self._placed, self._anchors, strict=True)
            ),
        )

    def _turns(self, key: str) -> Iterator[Turn]:
        before: MapCell | None = None
        for at, commit in enumerate(self._commits):
            cell = self._known[commit.id][key]
            if cell != before:
                yield Turn(at=at, outcome=cell.outcome, detail=cell.detail)
            before = cell


def _main_line(start: Revision, end: Revision) -> list[CommitInfo]:
    if start.repository.git_dir != end.repository.git_dir:
        raise UserMistake(
            f"{start.ref} is in {start.repository.path}, {end.ref} in {end.repository.path}:"
            " there are no commits between two repositories"
        )
    commits = end.repository.first_parent_commits(start.commit, end.commit)
    base = end.repository.merge_base(start.commit, end.commit)
    if base is None and end.repository.is_shallow:
        raise Incomplete(
            f"{end.repository.path} is shallow: it has no history between"
            f" {start.ref} and {end.ref}",
            hint="run `annot sync --history`, or: git fetch --unshallow",
        )
    if not commits:
        raise UserMistake(
            f"no commit lies between {start.ref} and {end.ref}", hint="give the older one first"
        )
    return commits


def _swept(placed: PlacedAnchor, lock: Lock | None, base: Revision) -> SweptAnchor:
    anchor = placed.anchor
    entry = lock.entries.get(anchor.id) if lock and lock.recorded_from == base.ref else None
    recorded = entry if entry and entry.target == anchor.target else None
    quote = anchor.quote.model_dump() if anchor.quote else None
    text = json.dumps([anchor.target, anchor.watches, quote, recorded and recorded.blob])
    key = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
    return SweptAnchor(key, anchor.target, anchor.watches, anchor.quote, recorded)


def _baseline_key(base: Revision, repository: Repository) -> str:
    """The baseline, and what decides whether commits between it and another can be looked at."""
    one = base.repository.git_dir == repository.git_dir
    return f"{base.commit} {one} {repository.is_shallow}"


def _filled(turned: Sequence[Cells]) -> Iterator[Cells]:
    """All answers at each commit, from those that turned there."""
    cells: dict[str, MapCell] = {}
    for some in turned:
        cells = {**cells, **some}
        yield cells


def drift_map_of(swept: CommitMap) -> DriftMap:
    """The same as a drift map: of the commits only the first, the last, and those at which an outcome turned."""
    return DriftMap(version=swept.version, upstreams=tuple(map(_map_of, swept.upstreams)))


def _map_of(swept: UpstreamSweep) -> UpstreamMap:
    turns = {at for row in swept.rows for at in _outcome_turns(row)}
    shown = sorted(turns | {len(swept.commits) - 1}) if swept.commits else []
    return UpstreamMap(
        upstream=swept.upstream,
        baseline=swept.baseline,
        releases=tuple(swept.commits[at].label for at in shown),
        rows=tuple(
            MapRow(
                id=row.id,
                owner=row.owner,
                number=row.number,
                target=row.target,
                cells=tuple(_cell(row.at(commit)) for commit in shown),
            )
            for row in swept.rows
        ),
        reason=swept.reason,
    )


def _outcome_turns(row: SweepRow) -> Iterator[int]:
    for _, turns in groupby(row.turns, key=lambda turn: turn.outcome):
        yield next(turns).at


def _cell(turn: Turn) -> MapCell:
    return MapCell(outcome=turn.outcome, detail=turn.detail)
