"""Finds a whole file again: a documentation page, a script, a module without a symbol named."""

from typing import NamedTuple

from annotator.resolve.similarity import path_similarity
from annotator.resolve.snapshot import Snapshot

_ALIKE = 0.5
_SIZE_LIMIT = 2_000_000


class FileFound(NamedTuple):
    """What became of a file.

    Attributes:
        path: its path at the target, empty if it has no successor.
        confidence: how sure that is, 0 to 1.
        candidates: other paths with their likeness, best first.
        evidence: how it was found.
    """

    path: str
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    evidence: tuple[str, ...]


def find_file(base: Snapshot, target: Snapshot, path: str) -> FileFound:
    """Finds the successor of a file: same path, same content elsewhere, or most of its lines elsewhere."""
    if path in target.files:
        return FileFound(path, 1.0, (), ("same path",))
    blob = base.files[path]
    twins = target.holding(blob)
    twins.sort(key=lambda other: path_similarity(path, other), reverse=True)
    if twins:
        evidence = (f"{path} is gone; the same bytes are at {twins[0]}",)
        return FileFound(twins[0], 0.99, tuple((t, 1.0) for t in twins[:5]), evidence)
    added = target.added_since(base, path.rpartition(".")[2])
    target.load(added)
    lines = _lines(base.data(path))
    scored = []
    for other in added:
        data = target.data(other)
        if len(data) > _SIZE_LIMIT:
            continue
        theirs = _lines(data)
        alike = 2 * len(lines & theirs) / max(1, len(lines) + len(theirs))
        scored.append((min(1.0, alike + 0.1 * path_similarity(path, other)), other))
    scored.sort(reverse=True)
    candidates = tuple((other, round(alike, 3)) for alike, other in scored[:5] if alike > 0.2)
    if candidates and candidates[0][1] >= _ALIKE:
        first, alike = candidates[0]
        evidence = (f"{path} is gone; {first} has {alike:.0%} of its lines",)
        return FileFound(first, min(0.98, 0.5 + alike / 2), candidates, evidence)
    best = candidates[0][1] if candidates else 0.0
    evidence = (f"{path} is gone; none of {len(added)} added files has half of its lines",)
    return FileFound("", 1 - best * 0.8, candidates, evidence)


def _lines(data: bytes) -> frozenset[bytes]:
    return frozenset(line for raw in data.splitlines() if len(line := raw.strip()) > 3)
