"""How a link is written anew so that it cites another commit. Pure functions."""

from urllib.parse import quote

from annotator.model.mention import Mention, MentionKind, Piece
from annotator.model.resolution import Resolution
from annotator.model.words import ChangeKind, Outcome
from annotator.tasks.notes.places import NEAR
from annotator.tasks.workspace import Revision
from annotator.upstream.refs import is_full_id, spellings

SURE = 0.8
"""Confidence from which a link is rewritten."""

_GITEA_FORMS = {"src/commit": True, "src/tag": False}
"""Forms of link that say of themselves whether their ref is a commit id."""


def cited_ref(target: Revision) -> str:
    """How links name a commit: by the tag that the user named, else as the upstream's web site does; never a branch."""
    tags = target.repository.tags()
    named = (tag for tag in spellings(target.ref) if tags.get(tag) == target.commit)
    return next(named, target.link_ref)


def corrections(
    mention: Mention, resolution: Resolution, ref: str, *, by_branch: bool = False
) -> tuple[Piece, ...]:
    """New texts for the pieces of a link: its ref and path, its line numbers, and nothing else.

    Lines of a definition are moved with it, so that a range that leaves out a decorator still does.

    Args:
        mention: the link.
        resolution: what became of its place.
        ref: the commit to cite, as links name it.
        by_branch: whether the link is by branch; then it must have no line numbers, since which lines were meant is
            not known.

    Returns:
        The pieces to replace; none if the link is not to be touched or is right already.
    """
    old, new = resolution.old, resolution.new
    if mention.kind is not MentionKind.LINK or old is None or new is None:
        return ()
    if resolution.outcome not in {Outcome.OK, Outcome.MOVED} or resolution.confidence < SURE:
        return ()
    if by_branch and mention.first is not None:
        return ()
    if mention.fragment and any(change.kind is ChangeKind.RENAMED for change in resolution.changes):
        return ()  # the heading has another anchor now, which only its site knows
    if _GITEA_FORMS.get(mention.form, is_full_id(ref)) != is_full_id(ref):
        return ()
    pieces = [_rewritten(mention.route, "/".join(filter(None, (ref, new.path))))]
    if mention.lines is not None and mention.first is not None and new.start:
        first, last = mention.lines
        if first < old.start - NEAR or last > old.end + NEAR:
            return ()  # more than the place that was found again
        start = max(new.start, new.start + first - old.start)
        pieces.append(Piece(text=str(start), start=mention.first.start, end=mention.first.end))
        if mention.last is not None:
            end = max(start, min(new.end, new.end - (old.end - last)))
            pieces.append(Piece(text=str(end), start=mention.last.start, end=mention.last.end))
    known = (mention.route, mention.first, mention.last)
    return tuple(piece for piece in pieces if piece not in known)


def _rewritten(route: Piece, words: str) -> Piece:
    text = quote(words, safe="/@+~", errors="surrogateescape")
    return Piece(text=text, start=route.start, end=route.end)
