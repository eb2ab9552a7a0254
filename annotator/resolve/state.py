"""What an anchor's place is at the target, as far as it is watched: one hash, by which a further change is told."""

import hashlib

from annotator.model.resolution import Place, Resolution
from annotator.model.words import Outcome, Watch
from annotator.outline.text import decode, split_lines
from annotator.resolve.signatures import fingerprint, signature_line
from annotator.resolve.snapshot import Snapshot

_SETTLED = frozenset({Outcome.OK, Outcome.ERROR, Outcome.SKIPPED})


def state_of(target: Snapshot, resolution: Resolution, watch: Watch) -> str:
    """A hash of what is watched of the place at the target; empty where it is ok, unknown or gone.

    Args:
        target: the commit that the place was looked for in.
        resolution: what became of the place.
        watch: what counts as drift.
    """
    place = resolution.new
    if place is None or resolution.outcome in _SETTLED:
        return ""
    return hashlib.blake2b(_watched(target, place, watch).encode(), digest_size=8).hexdigest()


def _watched(target: Snapshot, place: Place, watch: Watch) -> str:
    language = target.language(place.path)
    lines = split_lines(decode(target.data(place.path)))[place.start - 1 : place.end]
    match watch:
        case Watch.EXISTENCE:
            return ""
        case Watch.QUOTE:
            return " ".join(" ".join(lines).split())
    symbols = target.outline(place.path).symbols if place.symbol else ()
    symbol = next((each for each in symbols if each.name == place.symbol), None)
    text = target.text(place.path, symbol) if symbol else "\n".join(lines)
    if watch is Watch.SIGNATURE:
        return signature_line(text, language, symbol)
    return fingerprint(text, language, symbol)
