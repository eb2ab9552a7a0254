"""What became of a folder that a note links to: where most of its files went."""

from collections import Counter

from annotator.model.resolution import Candidate, Change, Place, Resolution
from annotator.model.words import ChangeKind, Outcome
from annotator.resolve.snapshot import Snapshot

_MOST = 0.5
"""Part of a folder's files that must be found in one other folder for it to be the successor."""


def resolve_folder(base: Snapshot, target: Snapshot, path: str) -> Resolution:
    """Finds a folder again: at its path, else where files of the same content or name lie now.

    Args:
        base: the tree that has it.
        target: the tree to find it in.
        path: its path at the baseline, empty for the root.
    """
    below = f"{path}/" if path else ""
    old = _folder(path)
    if any(file.startswith(below) for file in target.files):
        evidence = ("the folder is there",)
        return Resolution(outcome=Outcome.OK, old=old, new=old, evidence=evidence)
    theirs = [file for file in base.files if file.startswith(below)]
    blobs: dict[str, list[str]] = {}
    for file, blob in target.files.items():
        blobs.setdefault(blob, []).append(file)
    went = Counter[str]()
    for file in theirs:
        tail = file.removeprefix(below)
        twins = blobs.get(base.files[file], ())
        folders = {twin.removesuffix(tail).rstrip("/") for twin in twins if twin.endswith(tail)}
        went.update(folders)
    best = went.most_common(3)
    candidates = tuple(
        Candidate(
            path=folder,
            symbol="",
            start=1,
            end=1,
            score=round(count / len(theirs), 3),
            reason=f"{count} of its {len(theirs)} files, unchanged",
        )
        for folder, count in best
    )
    if best and best[0][1] >= _MOST * len(theirs):
        moved = Change(kind=ChangeKind.MOVED_FILE, detail=f"{path} → {best[0][0]}")
        return Resolution(
            outcome=Outcome.MOVED,
            changes=(moved,),
            old=old,
            new=_folder(best[0][0]),
            confidence=candidates[0].score,
            candidates=candidates,
            evidence=(f"{path} is gone; {candidates[0].reason} are in {best[0][0]}",),
        )
    return Resolution(
        outcome=Outcome.GONE,
        changes=(Change(kind=ChangeKind.DELETED),),
        old=old,
        confidence=0.9,
        candidates=candidates,
        evidence=(f"{path} is gone, and no folder has half of its files",),
    )


def _folder(path: str) -> Place:
    return Place(path=path, symbol="", start=0, end=0, blob="")
