"""`annot show`: the note and the code of anchors, at the baseline and at another commit."""

from collections.abc import Iterator
from typing import NamedTuple

from annotator.model.failures import AnnotError
from annotator.model.resolution import Place, Resolution
from annotator.model.study import PlacedAnchor, Study
from annotator.outline.text import decode
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.workspace import Revision, Workspace


class Excerpt(NamedTuple):
    """Lines of a file at one commit.

    Attributes:
        label: the commit, for people.
        language: language of the file, empty if unknown.
        place: the lines.
        text: their text.
        link: web address.
    """

    label: str
    language: str
    place: Place
    text: str
    link: str


class Shown(NamedTuple):
    """An anchor, ready to be shown.

    Attributes:
        placed: the anchor.
        resolution: what became of it at the other commit; none if only the baseline was asked for.
        old: its code at the baseline, none if it is not there.
        new: its code at the other commit, none if it is not there.
    """

    placed: PlacedAnchor
    resolution: Resolution | None
    old: Excerpt | None
    new: Excerpt | None


def show(
    workspace: Workspace, study: Study, anchors: tuple[PlacedAnchor, ...], ref: str | None
) -> Iterator[Shown]:
    """Yields the anchors with their code.

    Args:
        workspace: open sources.
        study: the study.
        anchors: what to show.
        ref: commit to compare the baseline with, if any.

    Raises:
        AnnotError: if a source or ref is not at hand.
    """
    for placed in anchors:
        upstream = study.upstreams[placed.upstream]
        base = workspace.baseline(placed.upstream, upstream)
        other = workspace.revision(placed.upstream, ref) if ref else base
        anchor = placed.anchor
        try:
            resolution = workspace.resolver(base, other).resolve(
                anchor.place, anchor.watches, anchor.quote
            )
        except AnnotError as error:
            raise type(error)(f"{anchor.id}: {error}", hint=error.hint) from error
        old = _excerpt(workspace, base, resolution.old, upstream.web)
        new = _excerpt(workspace, other, resolution.new, upstream.web) if ref else None
        bare = ref is None and resolution.old is not None
        yield Shown(placed, None if bare else resolution, old, new)


def _excerpt(
    workspace: Workspace, revision: Revision, place: Place | None, web: str
) -> Excerpt | None:
    if place is None:
        return None
    snapshot: Snapshot = workspace.snapshot(revision.repository, revision.commit)
    lines = decode(snapshot.data(place.path)).replace("\r\n", "\n").split("\n")
    return Excerpt(
        revision.label,
        snapshot.language(place.path),
        place,
        "\n".join(lines[place.start - 1 : place.end]),
        revision.permalink(web, place.path, place.start, place.end),
    )
