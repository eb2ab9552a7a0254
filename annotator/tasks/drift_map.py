"""`annot map`: every anchor against every release at hand, as far back as the source goes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import field
from packaging.version import InvalidVersion, Version

from annotator.model.failures import AnnotError
from annotator.model.lock import Lock
from annotator.model.report import AnchorResult
from annotator.model.resolution import Answer, Resolution
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.model.version import __version__
from annotator.model.words import SILENT_CHANGES, Outcome
from annotator.tasks.check import check
from annotator.tasks.crew import Crew, run_parts
from annotator.tasks.crew_source import fetch_where_missing
from annotator.tasks.remembered import Remembered
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder

_ALONE = Crew()
_DETAIL = 120
"""Longest reason in a cell, in characters."""


class MapCell(Answer, frozen=True, kw_only=True):
    """One anchor at one release, compared with its baseline.

    Attributes:
        outcome: what became of it.
        detail: what changed, or why there is no answer, in a few words.
    """

    outcome: Outcome
    detail: str = ""


class MapRow(Answer, frozen=True, kw_only=True):
    """One anchor at all releases of its upstream.

    Attributes:
        id: the anchor.
        owner: its question or resource.
        number: its question's place in the route, none for a resource.
        target: the target as written.
        cells: in the order of the upstream's releases.
    """

    id: str
    owner: str
    number: int | None = None
    target: str
    cells: tuple[MapCell, ...]


class UpstreamMap(Answer, frozen=True, kw_only=True):
    """The anchors of one upstream at its releases.

    Attributes:
        upstream: its name.
        baseline: ref that everything is compared with.
        releases: tags, oldest first.
        rows: the anchors in reading order.
        reason: why there is nothing, where the source is missing.
    """

    upstream: str
    baseline: str = ""
    releases: tuple[str, ...] = ()
    rows: tuple[MapRow, ...] = ()
    reason: str = ""


class DriftMap(Answer, frozen=True, kw_only=True):
    """Anchors × releases.

    Attributes:
        schema_: version of this format (key `schema`).
        version: version of annot.
        upstreams: one map each.
    """

    schema_: Literal[1] = field(name="schema", default=1)
    version: str
    upstreams: tuple[UpstreamMap, ...]


def drift_map(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    *,
    since: str | None = None,
    repo: Path | None = None,
    crew: Crew = _ALONE,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> DriftMap:
    """Checks every anchor against every final release at hand.

    Answers between two commits are remembered, so only new releases and new anchors cost anything.

    Args:
        workspace: open sources.
        study: the study.
        upstreams: the upstreams to look at.
        locks: what anchors were at the pin, by upstream.
        since: leave out releases before this version.
        repo: the repository that the workspace reads before the synced sources, if any.
        crew: who checks the releases that no check has seen yet.
        progress: told after each anchor.
    """
    maps = []
    for name, upstream in upstreams.items():
        try:
            baseline = workspace.baseline(name, upstream)
            releases = releases_at_hand(workspace, name, since)
        except AnnotError as error:
            maps.append(UpstreamMap(upstream=name, reason=error.with_hint))
            continue
        new = [
            tag
            for tag in releases
            if Remembered(workspace.cache_folder, baseline, workspace.revision(name, tag)).is_empty
        ]
        columns: dict[str, tuple[AnchorResult, ...]] = {}
        if len(new) > 1 and (crew.jobs > 1 or crew.cluster):
            given = str(repo.absolute()) if repo and workspace.repo_of(name) else None
            lock = locks.get(name)
            parts = [ReleasePart(name, upstream, study, lock, given, tag) for tag in new]
            for part, results in run_parts(check_release, parts, crew):
                columns[part.tag] = results
                progress(f"{name} {part.tag}", len(columns), len(new))
        for tag in releases:

            def told(what: str, done: int, total: int, tag: str = tag) -> None:
                progress(f"{what} {tag}", done, total)

            if tag not in columns:
                only = {name: upstream}
                columns[tag] = check(workspace, study, only, locks, ref=tag, progress=told).anchors
                workspace.forget()
        maps.append(
            UpstreamMap(
                upstream=name,
                baseline=baseline.ref,
                releases=tuple(releases),
                rows=tuple(_rows([columns[tag] for tag in releases])),
            )
        )
    return DriftMap(version=__version__, upstreams=tuple(maps))


class ReleasePart(NamedTuple):
    """One release of one upstream, to be checked by a worker.

    Attributes:
        name: name of the upstream.
        upstream: what the study says of it.
        study: the study.
        lock: what its anchors were at the pin, if that is known.
        repo: a repository to read before the synced source, if one is given.
        tag: the release.
    """

    name: str
    upstream: Upstream
    study: Study
    lock: Lock | None
    repo: str | None
    tag: str


def check_release(part: ReleasePart) -> tuple[AnchorResult, ...]:
    """Checks the anchors of one upstream at one release. What one worker does.

    Raises:
        Incomplete: if the release cannot be had here.
    """
    if part.repo is None:
        fetch_where_missing(part.name, part.upstream)
    locks = {part.name: part.lock} if part.lock else {}
    with Workspace(cache_folder(), Path(part.repo) if part.repo else None) as workspace:
        only = {part.name: part.upstream}
        return check(workspace, part.study, only, locks, ref=part.tag).anchors


def releases_at_hand(workspace: Workspace, upstream: str, since: str | None = None) -> list[str]:
    """Tags of the final releases in the sources of an upstream, oldest first."""
    first = _version(since) if since else None
    found: dict[Version, str] = {}
    for source in workspace.sources(upstream).describe():
        for tag in source.repository.tags():
            version = _version(tag)
            if version and not version.is_prerelease and (first is None or version >= first):
                found.setdefault(version, tag)
    return [found[version] for version in sorted(found)]


def _version(tag: str) -> Version | None:
    try:
        return Version(tag)
    except InvalidVersion:
        return None


def _rows(columns: Sequence[tuple[AnchorResult, ...]]) -> Iterable[MapRow]:
    for results in zip(*columns, strict=True):
        first = results[0]
        yield MapRow(
            id=first.id,
            owner=first.owner,
            number=first.number,
            target=first.target,
            cells=tuple(cell_of(result.resolution) for result in results),
        )


def cell_of(resolution: Resolution) -> MapCell:
    """An answer in the few words that a map has room for."""
    return MapCell(outcome=resolution.outcome, detail=detail(resolution))


def detail(resolution: Resolution) -> str:
    """What changed, or why there is no answer, in a few words; nothing for an anchor that is ok."""
    if resolution.outcome is Outcome.OK:
        return ""
    words = [
        f"{change.kind.value}: {change.detail}" if change.detail else change.kind.value
        for change in resolution.changes
        if change.kind not in SILENT_CHANGES
    ]
    text = resolution.reason or "; ".join(words)
    return text if len(text) <= _DETAIL else text[: _DETAIL - 1].rstrip() + "…"
