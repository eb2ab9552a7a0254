"""The entry of the package: one place at the baseline becomes a resolution at the target."""

from msgspec.structs import replace

from annotator.model.anchor import Quote
from annotator.model.lock import LockEntry
from annotator.model.resolution import Candidate, Change, Place, Resolution
from annotator.model.symbol import Symbol
from annotator.model.target import Target
from annotator.model.words import ChangeKind, Outcome, Watch
from annotator.outline.lookup import enclosing
from annotator.outline.text import count_lines, decode
from annotator.resolve.compare import compare_texts
from annotator.resolve.differences import differences
from annotator.resolve.finder import Finder
from annotator.resolve.locating import NotLocated, locate, unread
from annotator.resolve.pages import find_file
from annotator.resolve.passages import Passage, find_passage
from annotator.resolve.recorded import unchanged
from annotator.resolve.scoring import Scored
from annotator.resolve.snapshot import Snapshot
from annotator.resolve.state import state_of
from annotator.resolve.verdict import outcome_of
from annotator.resolve.wandering import Wandered, find_elsewhere

_CONTEXT = 2
"""Lines around a line range that tell it from equal lines elsewhere."""

_CONTENT = frozenset({Watch.SIGNATURE, Watch.BODY})
"""What has to be watched for a place's own text to be compared."""


class Resolver:
    """Resolves places between two commits.

    Args:
        finder: the search for successors between them.
    """

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self.base = finder.base
        self.target = finder.target

    def resolve(
        self,
        place: Target,
        watch: Watch = Watch.BODY,
        quote: Quote | None = None,
        recorded: LockEntry | None = None,
    ) -> Resolution:
        """Finds a place again and says what happened to it. A bad place gives an error, not an exception.

        The text of the place is compared if it is watched; of a quote's surroundings only the place is.

        Args:
            place: the place, as written.
            watch: what counts as drift.
            quote: a statement inside it.
            recorded: what a lock says of it; what is as recorded is found without parsing the baseline.
        """
        if recorded is not None:
            same = unchanged(self.base, self.target, place.path, recorded, quote)
            if same is not None:
                return _with_shift(same)
        try:
            located = locate(self.base, place)
        except NotLocated as error:
            return _error(str(error))
        if place.start:
            resolution = self._resolve_lines(place, watch)
        elif located.symbol is None:
            resolution = self._resolve_file(place.path, watch, quote)
        else:
            resolution = self._resolve_symbol(place.path, located.symbol, watch, quote)
        return _with_shift(resolution)

    def resolve_with_state(
        self,
        place: Target,
        watch: Watch,
        quote: Quote | None = None,
        recorded: LockEntry | None = None,
    ) -> Resolution:
        """The same, with the state of what is watched, by which a further change can be told."""
        resolution = self.resolve(place, watch, quote, recorded)
        return replace(resolution, state=state_of(self.target, resolution, watch))

    def _resolve_symbol(
        self, path: str, symbol: Symbol, watch: Watch, quote: Quote | None
    ) -> Resolution:
        old = _place(self.base, path, symbol)
        found = self._finder.find(path, symbol)
        if found.symbol is None:
            if path in self.target.files and (why := unread(self.target, path)):
                return replace(_error(why), old=old)  # it may well be there
            return _gone(old, found.confidence, _candidates(found.candidates), found.evidence)
        new = _place(self.target, found.path, found.symbol)
        content = watch in _CONTENT
        differ = differences(self._finder.ladder, path, symbol, found, content=content)
        resolution = Resolution(
            outcome=outcome_of(differ.changes, watch),
            changes=differ.changes,
            old=old,
            new=new,
            successors=tuple(_place(self.target, found.path, part) for part in differ.parts),
            confidence=_rounded(found.confidence),
            candidates=_candidates(found.candidates) if found.confidence < 1 else (),
            evidence=found.evidence,
        )
        if quote is not None:
            texts = self.base.text(path, symbol), self.target.text(found.path, found.symbol)
            resolution = self._with_quote(resolution, watch, quote, texts)
        if found.ambiguous and resolution.outcome is not Outcome.ERROR:
            return replace(resolution, outcome=Outcome.AMBIGUOUS)
        return resolution

    def _resolve_file(self, path: str, watch: Watch, quote: Quote | None) -> Resolution:
        old = _whole(self.base, path)
        found = find_file(self.base, self.target, path)
        candidates = tuple(
            Candidate(path=other, symbol="", start=1, end=1, score=score, reason="lines in common")
            for other, score in found.candidates
        )
        if not found.path:
            return _gone(old, found.confidence, candidates, found.evidence)
        changes: list[Change] = []
        if found.path != path:
            changes.append(Change(kind=ChangeKind.MOVED_FILE, detail=f"{path} → {found.path}"))
        texts = decode(self.base.data(path)), decode(self.target.data(found.path))
        if watch in _CONTENT and self.base.files[path] != self.target.files[found.path]:
            changes += compare_texts(*texts, self.base.language(path), None)
        resolution = Resolution(
            outcome=outcome_of(changes, watch),
            changes=tuple(changes),
            old=old,
            new=_whole(self.target, found.path),
            confidence=_rounded(found.confidence),
            candidates=candidates,
            evidence=found.evidence,
        )
        return self._with_quote(resolution, watch, quote, texts) if quote else resolution

    def _with_quote(
        self, resolution: Resolution, watch: Watch, quote: Quote, texts: tuple[str, str]
    ) -> Resolution:
        """Narrows a resolution down to a statement inside its place."""
        old, new = resolution.old, resolution.new
        assert old is not None and new is not None  # noqa: S101, PT018 - places were found
        language = self.base.language(old.path)
        passage = find_passage(language, texts[0], old.start, texts[1], new.start, quote)
        if passage.reason:
            return replace(_error(passage.reason), old=old, new=new)
        changes = (*resolution.changes, *passage.changes)
        narrowed = replace(
            resolution,
            changes=changes,
            outcome=outcome_of(changes, watch),
            old=_lines(old, passage.old),
            new=_lines(new, passage.new) if passage.new else new,
        )
        if watch is not Watch.QUOTE or passage.outcome is None:
            return narrowed
        if passage.outcome in {Outcome.GONE, Outcome.CHANGED}:
            pool = self._finder.ladder.pool(language)
            wandered = find_elsewhere(pool, new.path, quote)
            if wandered is not None:
                return self._with_wandered(resolution, old.symbol, wandered, passage)
        return replace(
            narrowed,
            outcome=passage.outcome,
            new=None if passage.outcome is Outcome.GONE else narrowed.new,
            confidence=_rounded(min(resolution.confidence, passage.confidence)),
            evidence=(*resolution.evidence, *passage.evidence),
        )

    def _with_wandered(
        self, resolution: Resolution, scope: str, wandered: Wandered, passage: Passage
    ) -> Resolution:
        """The statement stands as it was, but in another symbol."""
        path, symbol, lines = wandered
        assert resolution.old is not None  # noqa: S101 - it was found there
        place = Change(kind=ChangeKind.MOVED_SCOPE, detail=f"{scope or 'module'} → {symbol.name}")
        moved = (
            ()
            if path == resolution.old.path
            else (Change(kind=ChangeKind.MOVED_FILE, detail=f"{resolution.old.path} → {path}"),)
        )
        return replace(
            resolution,
            outcome=Outcome.MOVED,
            changes=(*moved, place),
            old=_lines(resolution.old, passage.old),
            new=_lines(_place(self.target, path, symbol), lines),
            confidence=_rounded(min(resolution.confidence, 0.9)),
            evidence=(
                *resolution.evidence,
                f"the quote stands in {path}::{symbol.name} now",
            ),
        )

    def _resolve_lines(self, place: Target, watch: Watch) -> Resolution:
        path, data = place.path, self.base.data(place.path)
        total = count_lines(data)
        at = self.base.label
        if place.start > total:
            return _error(f"{path} has {total} lines at {at}, not {place.start}")
        end = min(place.end, total)
        symbol = enclosing(self.base.outline(path), place.start, end)
        if symbol is not None and (symbol.start, symbol.end) == (place.start, end):
            return self._resolve_symbol(path, symbol, watch, None)
        lines = decode(data).replace("\r\n", "\n").split("\n")
        text = "\n".join(lines[place.start - 1 : end])
        if not text.strip():
            return _error(f"{path}:{place.start}-{end} is blank at {at}")
        before = lines[max(0, place.start - 1 - _CONTEXT) : place.start - 1]
        after = lines[end : end + _CONTEXT]
        quote = Quote(exact=text, prefix="\n".join(before), suffix="\n".join(after))
        if symbol is None:
            return self._resolve_file(path, Watch.QUOTE, quote)
        return self._resolve_symbol(path, symbol, Watch.QUOTE, quote)


def _error(reason: str) -> Resolution:
    return Resolution(outcome=Outcome.ERROR, confidence=0.0, reason=reason)


def _with_shift(resolution: Resolution) -> Resolution:
    """Adds by how much the lines of an otherwise unchanged place are shifted."""
    old, new = resolution.old, resolution.new
    if resolution.changes or old is None or new is None or old.start == new.start:
        return resolution
    shift = Change(kind=ChangeKind.LINES_SHIFTED, detail=f"{new.start - old.start:+d}")
    return replace(resolution, changes=(shift,))


def _gone(
    old: Place, confidence: float, candidates: tuple[Candidate, ...], evidence: tuple[str, ...]
) -> Resolution:
    return Resolution(
        outcome=Outcome.GONE,
        changes=(Change(kind=ChangeKind.DELETED),),
        old=old,
        confidence=_rounded(confidence),
        candidates=candidates,
        evidence=evidence,
    )


def _place(snapshot: Snapshot, path: str, symbol: Symbol) -> Place:
    return Place(
        path=path,
        symbol=symbol.name,
        start=symbol.start,
        end=symbol.end,
        blob=snapshot.files[path],
    )


def _whole(snapshot: Snapshot, path: str) -> Place:
    lines = max(1, count_lines(snapshot.data(path)))
    return Place(path=path, symbol="", start=1, end=lines, blob=snapshot.files[path])


def _lines(place: Place, lines: tuple[int, int]) -> Place:
    return replace(place, start=lines[0], end=lines[1])


def _candidates(scored: tuple[Scored, ...]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            path=item.path,
            symbol=item.symbol.name,
            start=item.symbol.start,
            end=item.symbol.end,
            score=_rounded(item.score),
            reason=item.reason,
        )
        for item in scored
    )


def _rounded(value: float) -> float:
    return round(value, 3)
