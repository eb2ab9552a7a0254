"""An anchor as a reader sees it: the file at one commit, with the lines that the anchor means."""

from typing import NamedTuple

from annotator.model.anchor import Anchor
from annotator.model.failures import UserMistake
from annotator.model.resolution import Place, Resolution
from annotator.model.study import PlacedAnchor, Study
from annotator.outline.text import decode, split_lines
from annotator.resolve.locating import NotLocated, locate
from annotator.resolve.passages import find_passage
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.remembered import Remembered
from annotator.tasks.workspace import Revision, Workspace


class View(NamedTuple):
    """A file at one commit and the place in it that an anchor means.

    Attributes:
        label: the commit, for people.
        commit: what upstream's own web site and clones call it.
        language: language of the file, empty if unknown.
        path: the file.
        lines: its lines, without their ends.
        start: first line of the definition or section, 1-based; 1 for a whole file.
        end: its last line, inclusive.
        quote: lines of the quoted statement, if there is one.
        source: web address of the file.
        link: web address of the lines that are meant.
    """

    label: str
    commit: str
    language: str
    path: str
    lines: tuple[str, ...]
    start: int
    end: int
    quote: tuple[int, int] | None
    source: str
    link: str

    @property
    def focus(self) -> tuple[int, int]:
        """The lines that are meant: the statement, else the whole place."""
        return self.quote or (self.start, self.end)

    @property
    def text(self) -> str:
        """The lines from `start` to `end`."""
        return "\n".join(self.lines[self.start - 1 : self.end])


class Compared(NamedTuple):
    """An anchor at the baseline and at another commit.

    Attributes:
        resolution: what became of it.
        new: the place at the other commit, none if it is not there.
        label: the other commit, for people.
    """

    resolution: Resolution
    new: View | None
    label: str


def pinned_view(workspace: Workspace, study: Study, placed: PlacedAnchor) -> View:
    """The anchor at its baseline: the pin, or its stand-in.

    Raises:
        UserMistake: if the anchor's place is not there.
        Incomplete: if no source has the baseline.
    """
    upstream = study.upstreams[placed.upstream]
    revision = workspace.baseline(placed.upstream, upstream)
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    anchor = placed.anchor
    try:
        located = locate(snapshot, anchor.place)
    except NotLocated as error:
        raise UserMistake(f"{anchor.id}: {error}") from error
    path, symbol = located
    data = snapshot.data(path)
    lines = tuple(split_lines(decode(data)))
    start, end = (symbol.start, symbol.end) if symbol else (1, max(len(lines), 1))
    quote = _quoted(anchor, snapshot.language(path), lines, start, end)
    return _view(revision, upstream.web, snapshot, path, lines, (start, end), quote)


def compared_view(
    workspace: Workspace, study: Study, placed: PlacedAnchor, target: Revision
) -> Compared:
    """What became of the anchor at another commit, and its place there.

    Raises:
        Incomplete: if no source has the baseline.
    """
    resolution = resolved(workspace, study, placed, target)
    if resolution.new is None:
        return Compared(resolution, None, target.label)
    web = study.upstreams[placed.upstream].web
    snapshot = workspace.snapshot(target.repository, target.commit)
    place = resolution.new
    lines = tuple(split_lines(decode(snapshot.data(place.path))))
    around = _around(snapshot, place, len(lines))
    quote = (place.start, place.end) if placed.anchor.quote else None
    if quote == around:  # the statement is gone, its surroundings are not
        quote = None
    view = _view(target, web, snapshot, place.path, lines, around, quote)
    return Compared(resolution, view, target.label)


def resolved(
    workspace: Workspace, study: Study, placed: PlacedAnchor, target: Revision
) -> Resolution:
    """What became of an anchor since the baseline; remembered as `annot check` remembers it."""
    base = workspace.baseline(placed.upstream, study.upstreams[placed.upstream])
    anchor = placed.anchor
    remembered = Remembered(workspace.cache_folder, base, target)
    resolution = remembered.get(anchor)
    if resolution is None:
        resolver = workspace.resolver(base, target)
        resolution = resolver.resolve_with_state(anchor.place, anchor.watches, anchor.quote)
        remembered.put(anchor, resolution)
        remembered.save()
    return resolution


def _quoted(
    anchor: Anchor, language: str, lines: tuple[str, ...], start: int, end: int
) -> tuple[int, int] | None:
    if anchor.quote is None:
        return None
    text = "\n".join(lines[start - 1 : end])
    passage = find_passage(language, text, start, text, start, anchor.quote)
    return None if passage.reason else passage.old


def _around(snapshot: Snapshot, place: Place, lines: int) -> tuple[int, int]:
    """The definition or section that a place names; the whole file where it names none."""
    if not place.symbol:
        return 1, max(lines, 1)
    symbols = snapshot.outline(place.path).symbols
    found = next((symbol for symbol in symbols if symbol.name == place.symbol), None)
    return (found.start, found.end) if found else (place.start, place.end)


def _view(
    revision: Revision,
    web: str,
    snapshot: Snapshot,
    path: str,
    lines: tuple[str, ...],
    around: tuple[int, int],
    quote: tuple[int, int] | None,
) -> View:
    start, end = quote or around
    return View(
        label=revision.label,
        commit=revision.link_ref,
        language=snapshot.language(path),
        path=path,
        lines=lines,
        start=around[0],
        end=around[1],
        quote=quote,
        source=revision.permalink(web, path, 0, 0),
        link=revision.permalink(web, path, start, end),
    )
