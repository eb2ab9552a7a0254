"""Accepting a drift: what is recorded, and where the place is from then on."""

from typing import Literal, NamedTuple

from annotator.model.anchor import Anchor, Quote
from annotator.model.failures import Incomplete, UserMistake
from annotator.model.resolution import Resolution
from annotator.model.review import Accepted, Decision
from annotator.model.study import Study
from annotator.model.target import TargetError, parse_target
from annotator.model.words import Outcome
from annotator.outline.text import decode
from annotator.resolve.locating import Located, NotLocated, locate
from annotator.resolve.quotes import occurrences
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.review.queue import Pending, anchor_at_baseline, lasting_ref
from annotator.tasks.review.quotes import quote_now
from annotator.tasks.workspace import Revision, Workspace

MOVED_REASONS = {
    "zh": "内容相同，只换了地方。",
    "en": "The same content at another place.",
}
"""Why a note holds of which only the place is another, where nobody says more."""

SURE_MOVE = 0.9
"""Confidence from which a move is accepted without a person's look at it."""


class QuoteGone(UserMistake):
    """Nothing like an anchor's quote is left: somebody has to say which statement the note is about now."""


class Verdict(NamedTuple):
    """What a person decided about one drift.

    Attributes:
        reason: why the note still stands, or what was done to it.
        by: who decided.
        date: when, as YYYY-MM-DD.
        decision: what was decided; by default `moved` where only the place is another, else `still-true`.
        target: where the place is now, if annot does not know or is wrong.
        quote: how the quoted statement reads now, likewise.
    """

    reason: str
    by: str
    date: str
    decision: Decision | None = None
    target: str | None = None
    quote: str | None = None


def acceptance(
    workspace: Workspace, study: Study, pending: Pending, ref: str, verdict: Verdict
) -> Accepted:
    """The record of an accepted drift.

    Args:
        workspace: open sources.
        study: the study.
        pending: the anchor and what became of it.
        ref: the commit that was looked at.
        verdict: what was decided.

    Raises:
        UserMistake: if there is nothing to accept, the place has no clear successor and none is named, or what is
            named is not there.
        QuoteGone: if its quote is not there in any form and none is given.
        Incomplete: if the anchor could not be checked.
    """
    placed, result = pending
    resolution, id_ = result.resolution, placed.anchor.id
    now = workspace.revision(placed.upstream, ref)
    if resolution.outcome is Outcome.OK:
        raise UserMistake(f"{id_} is ok at {now.label}: there is nothing to accept")
    if resolution.outcome in {Outcome.ERROR, Outcome.SKIPPED}:
        raise Incomplete(f"{id_} could not be checked: {resolution.reason}")
    before = workspace.revision(placed.upstream, result.baseline)
    anchor = anchor_at_baseline(study, pending)
    target = verdict.target or _successor(anchor, resolution, now.label)
    snapshot = workspace.snapshot(now.repository, now.commit)
    try:
        located = locate(snapshot, parse_target(target))
    except (NotLocated, TargetError) as error:
        raise UserMistake(f"{id_}: {error}", hint="name the place with --target") from error
    quote = _quote(workspace, anchor, before, snapshot, located, resolution, verdict.quote)
    decision: Decision = "moved" if resolution.outcome is Outcome.MOVED else "still-true"
    return Accepted(
        decision=verdict.decision or decision,
        from_ref=lasting_ref(before),
        ref=lasting_ref(now),
        drift=resolution.outcome,
        changes=tuple(map(str, resolution.loud_changes)),
        target=target if target != placed.anchor.target else None,
        quote=quote if quote != placed.anchor.quote else None,
        by=verdict.by,
        date=verdict.date,
        reason=verdict.reason,
    )


def is_sure_move(pending: Pending) -> bool:
    """Whether only the citation has to be mended, and nobody has to look."""
    resolution = pending.result.resolution
    return resolution.outcome is Outcome.MOVED and resolution.confidence >= SURE_MOVE


def successors(resolution: Resolution) -> tuple[str, ...]:
    """Targets that the place may have become, the likeliest first."""
    found = [] if resolution.new is None else [(resolution.new.path, resolution.new.symbol)]
    found += [(candidate.path, candidate.symbol) for candidate in resolution.candidates]
    return tuple(dict.fromkeys(f"{path}::{symbol}" if symbol else path for path, symbol in found))


def _successor(anchor: Anchor, resolution: Resolution, label: str) -> str:
    """The target at the new commit."""
    old, new = resolution.old, resolution.new
    if new is None or resolution.outcome in {Outcome.GONE, Outcome.AMBIGUOUS}:
        known = successors(resolution)
        raise UserMistake(
            f"{anchor.id} is {resolution.outcome.value} at {label}: it has no clear successor there",
            hint="name one with --target"
            + (f" (considered: {', '.join(known[:3])})" if known else "")
            + ", or retire the anchor in `annot review`",
        )
    if old is not None and (old.path, old.symbol) == (new.path, new.symbol):
        return anchor.target
    sign: Literal["#", "::"] = "#" if anchor.place.heading else "::"
    return f"{new.path}{sign}{new.symbol}" if new.symbol else new.path


def _quote(
    workspace: Workspace,
    anchor: Anchor,
    before: Revision,
    snapshot: Snapshot,
    located: Located,
    resolution: Resolution,
    given: str | None,
) -> Quote | None:
    """The anchor's quote at the new commit."""
    text = place_text(snapshot, located)
    language = snapshot.language(located.path)
    if given is not None:
        times = len(occurrences(text, language, given))
        if anchor.quote is None:
            raise UserMistake(f"{anchor.id} quotes nothing, so there is no quote to give")
        if times != 1:
            raise UserMistake(f"{anchor.id}: {given!r} stands there {times} times, not once")
        return Quote(exact=given)
    if anchor.quote is None:
        return None
    old = workspace.snapshot(before.repository, before.commit)
    found = quote_now(
        text,
        language,
        anchor.quote,
        old_text=place_text(old, locate(old, anchor.place)),
        first_line=located.symbol.start if located.symbol else 1,
        wanted_line=resolution.new.start if resolution.new else 0,
    )
    if found is None:
        raise QuoteGone(
            f"{anchor.id}: nothing like its quote {anchor.quote.exact!r} is left there",
            hint="give the statement that the note is about now with --quote, or retire the anchor",
        )
    return found


def place_text(snapshot: Snapshot, located: Located) -> str:
    """The text of a place that was found."""
    path, symbol = located
    return snapshot.text(path, symbol) if symbol else decode(snapshot.data(path))
