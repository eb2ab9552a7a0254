"""The surer of two searches for a successor: in one leap, and commit by commit."""

from annotator.model.symbol import Symbol
from annotator.resolve.hops import Hops
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.snapshot import Snapshot

SURE = 0.9
"""Confidence from which an answer is not looked at a second way."""


class Finder:
    """Finds successors between two commits.

    Args:
        base: the baseline.
        target: the commit in which successors are sought.
        ladder: the search in one leap.
        hops: the search commit by commit, where the commits in between are at hand.
    """

    def __init__(
        self, base: Snapshot, target: Snapshot, ladder: Ladder, hops: Hops | None = None
    ) -> None:
        self.base = base
        self.target = target
        self.ladder = ladder
        self._hops = hops

    def find(self, path: str, symbol: Symbol) -> Found:
        """Finds the successor of a symbol; what the two searches disagree on is in the evidence."""
        direct = self.ladder.find(path, symbol)
        if self._hops is None or direct.confidence >= SURE:
            return direct
        stepwise = self._hops.find(self.base, self.target, path, symbol)
        if stepwise is None:
            return direct
        if _named(stepwise) == _named(direct) and not direct.ambiguous:
            surer = max(direct.confidence, stepwise.confidence)
            evidence = (*direct.evidence, "the search commit by commit agrees", *stepwise.evidence)
            return direct._replace(confidence=surer + 0.5 * (0.99 - surer), evidence=evidence)
        prefers_steps = direct.ambiguous or (
            not stepwise.ambiguous and stepwise.confidence > direct.confidence
        )
        chosen, other = (stepwise, direct) if prefers_steps else (direct, stepwise)
        search = "the direct search" if prefers_steps else "the search commit by commit"
        note = f"{search} says {_named(other)} instead, at {other.confidence:.2f}"
        return chosen._replace(evidence=(*chosen.evidence, note))


def _named(found: Found) -> str:
    return f"{found.path}::{found.symbol.name}" if found.symbol else "it is gone"
