"""From differences and what an anchor watches to what the reader has to do."""

from collections.abc import Iterable

from annotator.model.resolution import Change
from annotator.model.words import PLACE_CHANGES, ChangeKind, Outcome, Watch

_SIGNATURE = frozenset(
    {
        ChangeKind.SIGNATURE,
        ChangeKind.RETURN_ANNOTATION,
        ChangeKind.DECORATORS,
        ChangeKind.BASES,
    }
)
_BODY = _SIGNATURE | {ChangeKind.BODY, ChangeKind.VALUE, ChangeKind.QUOTE}
_REARRANGED = frozenset({ChangeKind.SPLIT, ChangeKind.MERGED})

_WATCHED: dict[Watch, frozenset[ChangeKind]] = {
    Watch.EXISTENCE: frozenset(),
    Watch.SIGNATURE: _SIGNATURE | _REARRANGED,
    Watch.BODY: _BODY | _REARRANGED,
    Watch.QUOTE: frozenset({ChangeKind.QUOTE}),
}


def watched(changes: Iterable[Change], watch: Watch) -> list[Change]:
    """The changes that an anchor with this watch must react to by a new reading."""
    return [change for change in changes if change.kind in _WATCHED[watch]]


def outcome_of(changes: Iterable[Change], watch: Watch) -> Outcome:
    """The outcome for a place that was found."""
    changes = list(changes)
    if watched(changes, watch):
        return Outcome.CHANGED
    if any(change.kind in PLACE_CHANGES for change in changes):
        return Outcome.MOVED
    return Outcome.OK
