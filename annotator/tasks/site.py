"""What a site of the study is made from: the study, a check, the map, and the source text of every anchor."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.anchor import Anchor
from annotator.model.failures import AnnotError
from annotator.model.lock import Lock
from annotator.model.mention import PageFinding
from annotator.model.report import AnchorResult, CheckReport
from annotator.model.resolution import Place
from annotator.model.session import Session
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.model.version import ANSWERS
from annotator.outline.text import decode, split_lines
from annotator.resolve.quotes import line_range, occurrences
from annotator.resolve.snapshot import Snapshot
from annotator.store.atomic_file import replace_file
from annotator.tasks.check import check
from annotator.tasks.drift_map import DriftMap, drift_map
from annotator.tasks.notes.pages import PageChecks
from annotator.tasks.progress import Progress
from annotator.tasks.sessions import Drift, drift_since
from annotator.tasks.workspace import Revision, Workspace

LONGEST_EXCERPT = 420
"""Most lines of a definition that are taken along; the rest is behind its permalink."""
LONGEST_FILE = 24
"""Most lines of an anchor that means a whole file."""


class Excerpt(NamedTuple):
    """The source text that an anchor shows at one commit.

    Attributes:
        label: the commit, for people.
        path: file.
        symbol: qualified name, empty for a whole file.
        language: language of the file, empty if unknown.
        start: first line, 1-based.
        lines: the text, line by line, perhaps cut.
        total: number of lines before it was cut.
        marked: first and last line of the quoted statement, if one is quoted.
        link: web address of the whole range.
        marked_link: web address of the quoted statement, else of the whole range.
    """

    label: str
    path: str
    symbol: str
    language: str
    start: int
    lines: tuple[str, ...]
    total: int
    marked: tuple[int, int] | None
    link: str
    marked_link: str


class AnchorSource(NamedTuple):
    """One anchor with what the check and the source say of it.

    Attributes:
        result: what became of it.
        old: its text at the baseline, none if it is not at hand.
        new: its text at the target, none if it is not there.
        names: of a page, what it names at the target in the lines of the anchor and the code does not have.
    """

    result: AnchorResult
    old: Excerpt | None
    new: Excerpt | None
    names: tuple[PageFinding, ...] = ()


class SiteMaterial(NamedTuple):
    """Everything that pages are written from.

    Attributes:
        study: the study.
        report: the check, with the commits behind each drift.
        map: anchors × releases.
        anchors: by anchor id.
        since: what drifted since the group's last session, none if it never met.
    """

    study: Study
    report: CheckReport
    map: DriftMap
    anchors: Mapping[str, AnchorSource]
    since: Drift | None = None


def gather(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    *,
    ref: str = "HEAD",
    last: Session | None = None,
    progress: Progress = lambda what, done, total: None,
) -> SiteMaterial:
    """Checks the study and reads the text of all its anchors.

    Args:
        workspace: open sources.
        study: the study.
        upstreams: the upstreams to look at.
        locks: what anchors were at the pin, by upstream.
        ref: commit to check against, in each upstream.
        last: the group's last session, if it ever met.
        progress: told as it goes on.

    Raises:
        UserMistake: if `ref` is unknown and there is only one upstream.
        Incomplete: if the only upstream has no source at hand.
    """
    report = _blamed_check(workspace, study, upstreams, locks, ref, progress)
    drifts = drift_map(workspace, study, upstreams, locks, progress=progress)
    anchors = {item.anchor.id: item.anchor for item in study.anchors}
    sources: dict[str, AnchorSource] = {}
    pages = PageChecks(workspace)
    for name, upstream in upstreams.items():
        results = [result for result in report.anchors if result.upstream == name]
        checked = next((item for item in report.upstreams if item.name == name), None)
        if checked is None:
            sources |= {result.id: AnchorSource(result, None, None) for result in results}
            continue
        reader = _Reader(workspace, upstream)
        target = workspace.revision(name, checked.requested)
        bases = {result.baseline for result in results}
        revisions = {base: workspace.revision(name, base) for base in bases if base}
        for revision, side in [*((each, "old") for each in revisions.values()), (target, "new")]:
            places = (getattr(result.resolution, side) for result in results)
            reader.load(revision, {place.path for place in places if place is not None})
        for result in results:
            anchor = anchors[result.id]
            old, new = result.resolution.old, result.resolution.new
            base = revisions.get(result.baseline)
            shown = reader.excerpt(target, new, anchor) if new else None
            sources[result.id] = AnchorSource(
                result,
                reader.excerpt(base, old, anchor) if base and old else None,
                shown,
                _names_in(shown, pages.of(target, shown.path)) if shown else (),
            )
        workspace.forget()
    since = None
    if last is not None:
        checked_names = {each.name for each in report.upstreams}
        at_hand = [placed for placed in study.anchors if placed.upstream in checked_names]
        since = drift_since(workspace, study, locks, at_hand, last, ref)
    return SiteMaterial(study, report, drifts, sources, since)


def _names_in(excerpt: Excerpt, names: tuple[PageFinding, ...]) -> tuple[PageFinding, ...]:
    lines = range(excerpt.start, excerpt.start + excerpt.total)
    return tuple(name for name in names if name.line in lines)


def _blamed_check(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    ref: str,
    progress: Progress,
) -> CheckReport:
    """A check with the commits behind each drift; an equal one is remembered in the cache folder."""
    file = workspace.cache_folder / "site" / f"{_key(workspace, study, upstreams, locks, ref)}.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=CheckReport)
    except (OSError, ValueError):
        pass
    report = check(workspace, study, upstreams, locks, ref=ref, blame=True, progress=progress)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode(report).decode())
    except OSError:
        pass  # a cache that cannot be written costs time only
    return report


def _key(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    ref: str,
) -> str:
    parts: list[object] = [ANSWERS, ref, [a.model_dump_json() for a in study.anchors]]
    parts.append([review.model_dump_json() for review in study.reviews.values()])
    for name, upstream in upstreams.items():
        lock = locks.get(name)
        parts += [name, upstream.model_dump_json(), lock.model_dump_json() if lock else ""]
        for wanted in (ref, *upstream.pin.refs):
            try:
                revision = workspace.revision(name, wanted)
            except AnnotError as error:
                parts.append(str(error))
            else:
                parts += [str(revision.repository.git_dir), revision.commit]
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


class _Reader:
    """Cuts excerpts out of files; each file is decoded once."""

    def __init__(self, workspace: Workspace, upstream: Upstream) -> None:
        self._workspace = workspace
        self._upstream = upstream
        self._lines: dict[tuple[str, str], list[str]] = {}
        self._labels: dict[Revision, str] = {}

    def load(self, revision: Revision, paths: set[str]) -> None:
        """Reads files in one go."""
        snapshot = self._snapshot(revision)
        snapshot.load(paths)
        snapshot.outline_all(sorted(paths))

    def excerpt(self, revision: Revision, place: Place, anchor: Anchor) -> Excerpt | None:
        """The definition that a place is in, or the beginning of a whole file."""
        snapshot = self._snapshot(revision)
        if place.path not in snapshot.files:
            return None
        lines = self._file(snapshot, place.path)
        start, end = 1, max(1, len(lines))
        if place.symbol:
            start, end = self._symbol_range(snapshot, place)
        language = snapshot.language(place.path)
        marked = None
        if anchor.quote is not None:
            marked = _quoted(lines[start - 1 : end], start, language, place, anchor)
        longest = LONGEST_EXCERPT if place.symbol else LONGEST_FILE
        if marked is not None:
            longest = max(longest, marked[1] - start + 20)
        if revision not in self._labels:
            self._labels[revision] = revision.label  # may ask git
        whole = not place.symbol

        def link(start: int, end: int) -> str:
            lines = (0, 0) if whole else (start, end)
            return revision.permalink(self._upstream.web, place.path, *lines)

        return Excerpt(
            label=self._labels[revision],
            path=place.path,
            symbol=place.symbol,
            language=language,
            start=start,
            lines=tuple(lines[start - 1 : min(end, start - 1 + longest)]),
            total=end - start + 1,
            marked=marked,
            link=link(start, end),
            marked_link=link(*(marked or (start, end))),
        )

    def _snapshot(self, revision: Revision) -> Snapshot:
        return self._workspace.snapshot(revision.repository, revision.commit)

    def _file(self, snapshot: Snapshot, path: str) -> list[str]:
        key = (snapshot.commit, path)
        if key not in self._lines:
            self._lines[key] = split_lines(decode(snapshot.data(path)))
        return self._lines[key]

    @staticmethod
    def _symbol_range(snapshot: Snapshot, place: Place) -> tuple[int, int]:
        symbols = snapshot.outline(place.path).symbols
        around = [
            symbol
            for symbol in symbols
            if symbol.name == place.symbol and symbol.start <= place.start <= symbol.end
        ]
        found = next(iter(around), None)
        return (found.start, found.end) if found else (place.start, place.end)


def _quoted(
    lines: list[str], start: int, language: str, place: Place, anchor: Anchor
) -> tuple[int, int] | None:
    """Where the quoted statement is; where it was edited, the place that the check found for it."""
    quote = anchor.quote
    if quote is None:
        return None
    text = "\n".join(lines)
    spots = occurrences(text, language, quote.exact, quote.prefix, quote.suffix)
    if len(spots) == 1:
        first, last = line_range(text, spots[0], start)
        return first, last
    whole = (start, start + len(lines) - 1)
    return (place.start, place.end) if (place.start, place.end) != whole else None


def read_texts(folder: Path) -> dict[str, str]:
    """The Markdown and YAML files of a folder by name, the newest name last; none if there is no such folder."""
    if not folder.is_dir():
        return {}
    files = sorted(
        path for path in folder.iterdir() if path.suffix in {".md", ".yaml"} and path.is_file()
    )
    return {path.name: path.read_text(encoding="utf-8", errors="replace") for path in files}
