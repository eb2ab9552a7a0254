"""Looks for a successor commit by commit where one leap is unsure.

A symbol disappears in one commit. That commit's own difference is small, so its successor is found there far
more surely than between releases. The commit is found by bisecting the first-parent commits that touch the
symbol's file; from the successor the search goes on to the target. On a release import the hops are releases.
"""

from collections.abc import Callable

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.lookup import find_symbol
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.snapshot import Snapshot

_MAX_HOPS = 6

LadderBetween = Callable[[Snapshot, Snapshot], Ladder]
SnapshotAt = Callable[[str], Snapshot]


class Hops:
    """Successor search over the commits between two commits of one repository.

    Args:
        snapshot_at: gives the snapshot of a commit id.
        ladder_between: gives the ladder between two snapshots.
    """

    def __init__(self, snapshot_at: SnapshotAt, ladder_between: LadderBetween) -> None:
        self._snapshot_at = snapshot_at
        self._ladder_between = ladder_between

    def find(self, base: Snapshot, target: Snapshot, path: str, symbol: Symbol) -> Found | None:
        """Finds the successor step by step.

        Returns:
            The answer, or none where there is nothing in between to step on.
        """
        here, confidence = base, 1.0
        evidence: list[str] = []
        for _ in range(_MAX_HOPS):
            turn = self._turning_point(here, target, path, symbol)
            if turn is None:
                if here is base:
                    return None
                last = self._ladder_between(here, target).find(path, symbol)
                return last._replace(
                    confidence=min(confidence, last.confidence),
                    evidence=(*evidence, *last.evidence),
                )
            before, after = turn
            stood = find_symbol(before.outline(path), symbol.name)
            if stood is None:
                return None
            found = self._ladder_between(before, after).find(path, stood)
            evidence.append(f"it left its place in {after.commit[:10]}")
            confidence = min(confidence, found.confidence)
            if found.symbol is None or found.ambiguous or found.special is not None:
                if after.commit == target.commit or found.symbol is None:
                    return found._replace(
                        confidence=confidence, evidence=(*evidence, *found.evidence)
                    )
                return None
            evidence.extend(found.evidence[-1:])
            here, path, symbol = after, found.path, found.symbol
            if after.commit == target.commit:
                return found._replace(confidence=confidence, evidence=tuple(evidence))
        return None

    def _turning_point(
        self, base: Snapshot, target: Snapshot, path: str, symbol: Symbol
    ) -> tuple[Snapshot, Snapshot] | None:
        """The commit before and the commit in which a symbol left its place, by bisection."""
        if self._stands(target, path, symbol):
            return None
        commits = target.repository.first_parent_commits(base.commit, target.commit, [path])
        if not commits:
            return None
        low, high = 0, len(commits) - 1  # the symbol is gone at commits[high]
        while low < high:
            middle = (low + high) // 2
            if self._stands(self._snapshot_at(commits[middle].id), path, symbol):
                low = middle + 1
            else:
                high = middle
        after = commits[low]
        if not after.parents:
            return None
        before = self._snapshot_at(after.parents[0])
        if not self._stands(before, path, symbol):
            return None
        return before, self._snapshot_at(after.id)

    @staticmethod
    def _stands(snapshot: Snapshot, path: str, symbol: Symbol) -> bool:
        if path not in snapshot.files:
            return False
        found = find_symbol(snapshot.outline(path), symbol.name)
        return found is not None and found.kind is not SymbolKind.IMPORT
