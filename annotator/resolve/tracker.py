"""Follows one symbol commit by commit.

Between two commits that touch a symbol's lines, only arithmetic is done: a commit's changed line ranges tell
whether they meet the symbol's, and by how much they shift it (the idea of `git log -L`). Where they meet, the file is
outlined and the definition compared; where the symbol left its place, the ladder looks for it in that commit's own tree.
At the end of a file's history one outline tells whether arithmetic was right; if not (the enclosing class was renamed
on its own line, a twin appeared above), that stretch is followed again with a look at every change.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from annotator.model.resolution import Change
from annotator.model.symbol import Symbol
from annotator.model.words import ChangeKind, SymbolKind
from annotator.outline.cache import OutlineCache
from annotator.outline.lookup import find_symbol
from annotator.outline.text import count_lines, decode
from annotator.resolve.compare import compare_texts
from annotator.resolve.differences import differences
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.pages import find_file
from annotator.resolve.snapshot import Snapshot
from annotator.upstream.commits import CommitInfo
from annotator.upstream.file_history import FileChange, Hunk
from annotator.upstream.repository import Repository

ChangesOf = Callable[[str, str], Sequence[FileChange]]
"""Gives the changes to a file since a commit, oldest first."""
_SURE_HERE = 0.9
_MOST_MOVES = 20


class Spot(NamedTuple):
    """A symbol at one commit.

    Attributes:
        path: its file.
        symbol: itself; its byte offsets may be out of date.
    """

    path: str
    symbol: Symbol


class Touch(NamedTuple):
    """One commit that touched the symbol.

    Attributes:
        commit: the commit.
        changes: what it did.
        old: the symbol before.
        new: the symbol after, none if it is gone.
        evidence: how it was found again.
    """

    commit: CommitInfo
    changes: tuple[Change, ...]
    old: Spot
    new: Spot | None
    evidence: tuple[str, ...] = ()


class Way(NamedTuple):
    """A symbol's way through history.

    Attributes:
        touches: the commits that touched it, oldest first.
        end: the symbol where following ends, none if it is gone.
    """

    touches: list[Touch]
    end: Spot | None


class _Astray(Exception):
    """Arithmetic has lost the symbol."""


class _Stretch(NamedTuple):
    """A symbol's way through the changes to one file.

    Attributes:
        touches: the commits that changed it.
        end: the symbol behind the last one, none if it is gone.
        moved_at: the commit that moved it to another file, if one did.
    """

    touches: list[Touch]
    end: Spot | None
    moved_at: str | None


class Tracker:
    """Follows symbols through one repository.

    Args:
        repository: the repository.
        cache: outlines by blob id.
        changes_of: the history of files up to the commit where following ends.
        ladder_between: the search between two commits, by full id.
    """

    def __init__(
        self,
        repository: Repository,
        cache: OutlineCache,
        changes_of: ChangesOf,
        ladder_between: Callable[[str, str], Ladder],
    ) -> None:
        self._repository = repository
        self._cache = cache
        self._changes_of = changes_of
        self._ladder_between = ladder_between

    def follow(self, start: str, path: str, symbol: Symbol) -> Way:
        """Finds the commits that touched a symbol.

        Args:
            start: full id of the commit where following begins.
            path: file of the symbol there.
            symbol: the symbol there.
        """
        here, since = Spot(path, symbol), start
        touches: list[Touch] = []
        for _ in range(_MOST_MOVES):
            changes = self._changes_of(here.path, since)
            try:
                stretch = self._stretch(changes, here, careful=False)
                if not self._agrees(changes, stretch):
                    raise _Astray
            except _Astray:
                stretch = self._stretch(changes, here, careful=True)
            touches += stretch.touches
            if stretch.end is None or stretch.moved_at is None:
                return Way(touches, stretch.end)
            here, since = stretch.end, stretch.moved_at
        return Way(touches, here)

    def _stretch(self, changes: Sequence[FileChange], here: Spot, *, careful: bool) -> _Stretch:
        """Follows a symbol through the changes to one file.

        Args:
            changes: the changes, oldest first.
            here: the symbol before them.
            careful: whether to look at every change, and not only at those that meet the symbol's lines.
        """
        touches: list[Touch] = []
        for change in changes:
            touch = self._touch(change, here, careful=careful)
            if touch is None:
                here = Spot(here.path, _shifted(here.symbol, change.hunks))
                continue
            if touch.changes:
                touches.append(touch)
            if touch.new is None:
                return _Stretch(touches, None, None)
            if touch.new.path != here.path:
                return _Stretch(touches, touch.new, change.commit.id)
            here = touch.new
        return _Stretch(touches, here, None)

    def _agrees(self, changes: Sequence[FileChange], stretch: _Stretch) -> bool:
        """Whether the symbol is where arithmetic says at the end of a stretch."""
        if not changes or stretch.end is None or stretch.moved_at is not None:
            return True
        last = changes[-1]
        if last.status == "D":
            return False
        end = Snapshot(self._repository, last.commit.id, self._cache, {last.path: last.new_blob})
        found = find_symbol(end.outline(last.path), stretch.end.symbol.name)
        expected = stretch.end.symbol
        return found is not None and (found.start, found.end) == (expected.start, expected.end)

    def follow_file(self, start: str, path: str, symbol: Symbol) -> Way:
        """Finds the commits that touched a whole file; arguments as for `follow`."""
        here = Spot(path, symbol)
        since = start
        touches: list[Touch] = []
        for _ in range(_MOST_MOVES):
            for change in self._changes_of(here.path, since):
                if not change.commit.parents:
                    continue
                ladder = self._ladder_between(change.commit.parents[0], change.commit.id)
                touch = _compare_files(change.commit, ladder, here)
                if touch.changes:
                    touches.append(touch)
                if touch.new is None:
                    return Way(touches, None)
                moved = touch.new.path != here.path
                here, since = touch.new, change.commit.id
                if moved:
                    break
            else:
                break
        return Way(touches, here)

    def _touch(self, change: FileChange, here: Spot, *, careful: bool) -> Touch | None:
        """What a commit did to the symbol; none if it did not meet its lines."""
        if change.status == "M" and not careful and not _meets(here.symbol, change.hunks):
            return None
        if change.status == "M" and change.commit.parents:
            # A tree of this one file tells what happened within it, without listing the whole tree.
            old = Snapshot(
                self._repository,
                change.commit.parents[0],
                self._cache,
                {change.path: change.old_blob},
            )
            new = Snapshot(
                self._repository, change.commit.id, self._cache, {change.path: change.new_blob}
            )
            stood = find_symbol(old.outline(here.path), here.symbol.name)
            if not careful and (
                stood is None or (stood.start, stood.end) != (here.symbol.start, here.symbol.end)
            ):
                raise _Astray
            touch = self._compare(change, Ladder(old, new), here, least=_SURE_HERE)
            if touch is not None:
                return touch
        if not change.commit.parents:
            return Touch(change.commit, (), here, here)
        ladder = self._ladder_between(change.commit.parents[0], change.commit.id)
        return self._compare(change, ladder, here, least=0.0)

    def _compare(
        self, change: FileChange, ladder: Ladder, here: Spot, *, least: float
    ) -> Touch | None:
        before = find_symbol(ladder.base.outline(here.path), here.symbol.name)
        if before is None:
            return Touch(change.commit, (), here, here)
        old = Spot(here.path, before)
        if least:
            stays = find_symbol(ladder.target.outline(here.path), here.symbol.name)
            if stays is None or stays.kind is SymbolKind.IMPORT:
                return None
        found = ladder.find(here.path, before)
        if found.confidence < least:
            return None
        if found.symbol is None or found.ambiguous:
            return Touch(change.commit, _lost(found), old, None, found.evidence)
        differ = differences(ladder, here.path, before, found)
        new = Spot(found.path, found.symbol)
        return Touch(change.commit, differ.changes, old, new, found.evidence)


def whole_file(snapshot: Snapshot, path: str) -> Symbol:
    """A whole file in the form of a symbol without a name."""
    data = snapshot.data(path)
    return Symbol("", SymbolKind.TYPE, 1, max(1, count_lines(data)), 0, len(data))


def spot_text(snapshot: Snapshot, spot: Spot) -> str:
    """The text of a symbol, or of the whole file."""
    if spot.symbol.name:
        return snapshot.text(spot.path, spot.symbol)
    return decode(snapshot.data(spot.path)).replace("\r\n", "\n")


def _compare_files(commit: CommitInfo, ladder: Ladder, here: Spot) -> Touch:
    if here.path not in ladder.base.files:
        return Touch(commit, (), here, here)
    found = find_file(ladder.base, ladder.target, here.path)
    if not found.path:
        deleted = Change(kind=ChangeKind.DELETED)
        return Touch(commit, (deleted,), here, None, found.evidence)
    changes: list[Change] = []
    if found.path != here.path:
        detail = f"{here.path} → {found.path}"
        changes.append(Change(kind=ChangeKind.MOVED_FILE, detail=detail))
    new = Spot(found.path, whole_file(ladder.target, found.path))
    texts = spot_text(ladder.base, here), spot_text(ladder.target, new)
    changes += compare_texts(*texts, ladder.base.language(here.path), None)
    return Touch(commit, tuple(changes), here, new, found.evidence)


def _lost(found: Found) -> tuple[Change, ...]:
    if found.ambiguous:
        names = ", ".join(f"{item.path}::{item.symbol.name}" for item in found.candidates[:3])
        return (Change(kind=ChangeKind.DELETED, detail=f"or one of {names}"),)
    hints = [step for step in found.evidence if "another language" in step]
    return (Change(kind=ChangeKind.DELETED, detail="; ".join(hints)),)


def _meets(symbol: Symbol, hunks: Sequence[Hunk]) -> bool:
    """Whether changed lines meet a symbol's, or the lines right above and below, which may become part of it."""
    if not hunks:
        return True  # binary or unknown: look
    for hunk in hunks:
        last = hunk.old_start + max(hunk.old_count, 1) - 1
        if hunk.old_start <= symbol.end + 1 and last >= symbol.start - 1:
            return True
    return False


def _shifted(symbol: Symbol, hunks: Sequence[Hunk]) -> Symbol:
    """The symbol after hunks that all lie before or behind it."""
    shift = sum(hunk.new_count - hunk.old_count for hunk in hunks if hunk.old_start < symbol.start)
    return symbol._replace(start=symbol.start + shift, end=symbol.end + shift)
