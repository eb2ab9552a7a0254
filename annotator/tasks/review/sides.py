"""Both sides of a drift: the code that the note is about, and what it became."""

from typing import NamedTuple

from msgspec.structs import replace

from annotator.model.history import Step
from annotator.model.resolution import Place
from annotator.model.study import Study
from annotator.outline.text import decode, split_lines
from annotator.tasks.review.queue import Pending, anchor_at_baseline
from annotator.tasks.trace import Traced, Tracing
from annotator.tasks.workspace import Revision, Workspace

_AROUND = 4
"""Lines shown around a quoted statement."""


class Side(NamedTuple):
    """Code at one commit.

    Attributes:
        label: the commit, for people.
        path: the file.
        start: number of the first line.
        lines: the lines.
        link: web address, maybe empty.
    """

    label: str
    path: str
    start: int
    lines: tuple[str, ...]
    link: str


def both_sides(
    workspace: Workspace, study: Study, pending: Pending, ref: str
) -> tuple[Side | None, Side | None]:
    """The place at its baseline and at the commit that is reviewed; none where it is not there.

    Around a quoted statement some lines more are taken. Of a statement that is gone, the definition that it stood in is
    shown before and after, where that is still at its place.
    """
    placed, result = pending
    web = study.upstreams[placed.upstream].web
    around = _AROUND if placed.anchor.quote else 0
    before = workspace.revision(placed.upstream, result.baseline)
    now = workspace.revision(placed.upstream, ref)
    old, new = result.resolution.old, result.resolution.new
    if new is None and old is not None and placed.anchor.quote:
        definition, new = _definition(workspace, before, old), _definition(workspace, now, old)
        old, around = (definition, 0) if new is not None else (old, around)
    return (
        _side(workspace, before, old, web, around),
        _side(workspace, now, new, web, around),
    )


def culprits(workspace: Workspace, study: Study, pending: Pending, ref: str) -> tuple[Step, ...]:
    """The commits that made an anchor drift since its baseline, oldest first.

    Raises:
        Incomplete: if the history between the two is not at hand.
        UserMistake: if the anchor is not there where the history begins.
    """
    placed, result = pending
    anchor = anchor_at_baseline(study, pending)
    before = workspace.revision(placed.upstream, result.baseline)
    now = workspace.revision(placed.upstream, ref)
    upstream = study.upstreams[placed.upstream]
    tracing = Tracing(workspace, upstream, placed.upstream, before, now)
    return tracing.blame(Traced(anchor.id, anchor.place, anchor.watches, anchor.quote))


def _definition(workspace: Workspace, revision: Revision, old: Place) -> Place | None:
    """The definition that a statement stood in, if this commit has it in the same place."""
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    if old.path not in snapshot.files or not old.symbol:
        return None
    symbols = (each for each in snapshot.outline(old.path).symbols if each.name == old.symbol)
    return next((replace(old, start=each.start, end=each.end) for each in symbols), None)


def _side(
    workspace: Workspace, revision: Revision, place: Place | None, web: str, around: int
) -> Side | None:
    if place is None:
        return None
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    lines = split_lines(decode(snapshot.data(place.path)))
    start = max(place.start - around, 1)
    return Side(
        label=revision.label,
        path=place.path,
        start=start,
        lines=tuple(lines[start - 1 : place.end + around]),
        link=revision.permalink(web, place.path, place.start, place.end) if web else "",
    )
