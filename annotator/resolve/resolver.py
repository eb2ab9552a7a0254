"""The entry of the package: one place at the baseline becomes a resolution at the target."""

from typing import NamedTuple

from annotator.model.resolution import Candidate, Change, Place, Resolution
from annotator.model.study import Quote
from annotator.model.symbol import Symbol
from annotator.model.target import Target
from annotator.model.words import ChangeKind, Outcome, SymbolKind, Watch
from annotator.outline.lookup import enclosing, leaf_name, match_symbols, parent_name
from annotator.outline.text import count_lines, decode
from annotator.resolve.compare import compare_texts
from annotator.resolve.hops import Hops
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.pages import FileFound, find_file
from annotator.resolve.passages import find_passage
from annotator.resolve.scoring import Scored, describe
from annotator.resolve.similarity import sketch
from annotator.resolve.snapshot import Snapshot
from annotator.resolve.splits import split_parts
from annotator.resolve.verdict import outcome_of

SURE = 0.9
"""Confidence from which an answer is not looked at a second way."""


class Located(NamedTuple):
    """A target found at the baseline.

    Attributes:
        path: its file.
        symbol: its symbol, none for a whole file.
    """

    path: str
    symbol: Symbol | None


class NotLocated(Exception):
    """A target that is not, or not clearly, in the baseline; the message says so."""


def locate(snapshot: Snapshot, target: Target) -> Located:
    """Finds a target by its own words in one tree.

    Raises:
        NotLocated: if file or symbol is missing or the symbol's name fits several.
    """
    if target.path not in snapshot.files:
        raise NotLocated(f"{target.path} is not in the tree of {snapshot.commit[:12]}")
    if target.start or not target.symbol:
        return Located(target.path, None)
    matches = match_symbols(
        snapshot.outline(target.path), target.symbol, heading=target.heading
    )
    if not matches:
        what = "heading" if target.heading else "symbol"
        raise NotLocated(f"{target.path} has no {what} {target.symbol!r} at {snapshot.commit[:12]}")
    if len(matches) > 1:
        names = ", ".join(symbol.name for symbol in matches[:5])
        raise NotLocated(f"{target.symbol!r} fits several in {target.path}: {names}")
    return Located(target.path, matches[0])


class Resolver:
    """Resolves places between two commits.

    Args:
        base: the baseline.
        target: the commit to find them at.
        hops: search over the commits in between, where both are in one repository.
        ladder: the direct search.
    """

    def __init__(
        self, base: Snapshot, target: Snapshot, ladder: Ladder, hops: Hops | None = None
    ) -> None:
        self.base = base
        self.target = target
        self._ladder = ladder
        self._hops = hops

    def resolve(
        self, place: Target, watch: Watch = Watch.BODY, quote: Quote | None = None
    ) -> Resolution:
        """Finds a place again and says what happened to it. Never raises for a bad place."""
        try:
            located = locate(self.base, place)
        except NotLocated as error:
            return Resolution(outcome=Outcome.ERROR, confidence=0.0, reason=str(error))
        if place.start:
            return self._resolve_lines(place, watch)
        if located.symbol is None:
            return self._resolve_file(place.path, watch, quote)
        return self._resolve_symbol(place.path, located.symbol, watch, quote)

    # ---- symbols and headings

    def _resolve_symbol(
        self, path: str, symbol: Symbol, watch: Watch, quote: Quote | None
    ) -> Resolution:
        old = _place(self.base, path, symbol)
        found = self._find(path, symbol)
        if found.symbol is None:
            return Resolution(
                outcome=Outcome.GONE,
                changes=(Change(kind=ChangeKind.DELETED),),
                old=old,
                confidence=_rounded(found.confidence),
                candidates=_candidates(found.candidates),
                evidence=found.evidence,
            )
        new = _place(self.target, found.path, found.symbol)
        successors: tuple[Place, ...] = ()
        changes = self._place_changes(path, symbol, found)
        changes += self._content_changes(path, symbol, found)
        changes, successors = self._with_split(path, symbol, found, changes)
        if not changes and old.start != new.start:
            changes.append(Change(kind=ChangeKind.LINES_SHIFTED, detail=_shift(old, new)))
        if quote is not None:
            base_text = self.base.text(path, symbol)
            passage = find_passage(
                self.base.language(path),
                base_text,
                symbol.start,
                self.target.text(found.path, found.symbol),
                found.symbol.start,
                quote,
            )
            if passage.reason:
                return Resolution(
                    outcome=Outcome.ERROR, old=old, new=new, confidence=0.0, reason=passage.reason
                )
            old = old.model_copy(update={"start": passage.old[0], "end": passage.old[1]})
            if passage.new:
                new = new.model_copy(update={"start": passage.new[0], "end": passage.new[1]})
            changes += passage.changes
            if watch is Watch.QUOTE and passage.outcome is not None:
                return Resolution(
                    outcome=passage.outcome,
                    changes=tuple(changes),
                    old=old,
                    new=new if passage.outcome is not Outcome.GONE else None,
                    confidence=_rounded(min(found.confidence, passage.confidence)),
                    candidates=_candidates(found.candidates),
                    evidence=(*found.evidence, *passage.evidence),
                )
        outcome = Outcome.AMBIGUOUS if found.ambiguous else outcome_of(changes, watch)
        return Resolution(
            outcome=outcome,
            changes=tuple(changes),
            old=old,
            new=new,
            successors=successors,
            confidence=_rounded(found.confidence),
            candidates=_candidates(found.candidates) if found.confidence < 1 else (),
            evidence=found.evidence,
        )

    def _find(self, path: str, symbol: Symbol) -> Found:
        """The surer of the direct answer and the one over the commits in between."""
        direct = self._ladder.find(path, symbol)
        if self._hops is None or direct.confidence >= SURE:
            return direct
        stepwise = self._hops.find(self.base, self.target, path, symbol)
        if stepwise is None:
            return direct
        same = (stepwise.path, stepwise.symbol and stepwise.symbol.name) == (
            direct.path,
            direct.symbol and direct.symbol.name,
        )
        if same and not direct.ambiguous:
            surer = max(direct.confidence, stepwise.confidence)
            both = min(0.99, surer + 0.5 * (1 - surer))
            evidence = (*direct.evidence, "the search commit by commit agrees", *stepwise.evidence)
            return direct._replace(confidence=both, evidence=evidence)
        chosen, other = direct, stepwise
        if direct.ambiguous or (
            not stepwise.ambiguous and stepwise.confidence > direct.confidence
        ):
            chosen, other = stepwise, direct
        note = (
            "the search commit by commit"
            if other is stepwise
            else "the direct search"
        ) + f" says {_named(other)} instead, at {other.confidence:.2f}"
        return chosen._replace(evidence=(*chosen.evidence, note))

    def _place_changes(self, path: str, symbol: Symbol, found: Found) -> list[Change]:
        assert found.symbol is not None  # noqa: S101 - callers have checked
        changes: list[Change] = []
        language = self.base.language(path)
        if found.special is ChangeKind.RE_EXPORTED:
            changes.append(
                Change(kind=ChangeKind.RE_EXPORTED, detail=f"{path}::{symbol.name} remains")
            )
        elif found.special is ChangeKind.MERGED:
            return [Change(kind=ChangeKind.MERGED, detail=f"into {found.symbol.name}")]
        if found.path != path:
            changes.append(Change(kind=ChangeKind.MOVED_FILE, detail=f"{path} → {found.path}"))
        old_leaf = leaf_name(symbol.base_name, language)
        new_leaf = leaf_name(found.symbol.base_name, language)
        if old_leaf != new_leaf:
            changes.append(Change(kind=ChangeKind.RENAMED, detail=f"{old_leaf} → {new_leaf}"))
        old_scope = parent_name(symbol.base_name, language)
        new_scope = parent_name(found.symbol.base_name, language)
        if old_scope != new_scope:
            renamed = self._scope_was_renamed(path, old_scope, found.path, new_scope)
            kind = ChangeKind.RENAMED if renamed else ChangeKind.MOVED_SCOPE
            detail = f"{old_scope or 'module'} → {new_scope or 'module'}"
            changes.append(Change(kind=kind, detail=detail))
        return changes

    def _scope_was_renamed(self, path: str, scope: str, new_path: str, new_scope: str) -> bool:
        if not scope or not new_scope:
            return False
        matches = match_symbols(self.base.outline(path), scope)
        if not matches:
            return False
        found = self._ladder.find(path, matches[0])
        return (
            found.symbol is not None
            and (found.path, found.symbol.base_name) == (new_path, new_scope)
        )

    def _content_changes(self, path: str, symbol: Symbol, found: Found) -> list[Change]:
        assert found.symbol is not None  # noqa: S101 - callers have checked
        language = self.base.language(path)
        changes = compare_texts(
            self.base.text(path, symbol),
            self.target.text(found.path, found.symbol),
            language,
            symbol.kind,
            (
                leaf_name(symbol.base_name, language),
                leaf_name(found.symbol.base_name, language),
            ),
        )
        return changes

    def _with_split(
        self, path: str, symbol: Symbol, found: Found, changes: list[Change]
    ) -> tuple[list[Change], tuple[Place, ...]]:
        assert found.symbol is not None  # noqa: S101 - callers have checked
        body = next((change for change in changes if change.kind is ChangeKind.BODY), None)
        if body is None or symbol.kind is SymbolKind.HEADING:
            return changes, ()
        if found.special is ChangeKind.SPLIT:
            pair = [item.symbol for item in found.candidates[:2]]
            return self._split_into(changes, found.path, pair)
        language = self.base.language(path)
        old = describe(self.base, path, symbol).sketch
        leaf = leaf_name(found.symbol.base_name, language)
        kept = sketch(self.target.text(found.path, found.symbol), language, leaf)
        parts = split_parts(self._ladder.pool(language), old, kept, found.path, found.symbol)
        if not parts:
            return changes, ()
        return self._split_into(changes, found.path, [found.symbol, *parts])

    def _split_into(
        self, changes: list[Change], path: str, parts: list[Symbol]
    ) -> tuple[list[Change], tuple[Place, ...]]:
        places = tuple(_place(self.target, path, part) for part in parts)
        detail = "into " + ", ".join(part.symbol for part in places)
        return [*changes, Change(kind=ChangeKind.SPLIT, detail=detail)], places

    # ---- whole files

    def _resolve_file(self, path: str, watch: Watch, quote: Quote | None) -> Resolution:
        old = _whole(self.base, path)
        found = find_file(self.base, self.target, path)
        candidates = tuple(
            Candidate(path=other, symbol="", start=1, end=1, score=score, reason="lines in common")
            for other, score in found.candidates
        )
        if not found.path:
            return Resolution(
                outcome=Outcome.GONE,
                changes=(Change(kind=ChangeKind.DELETED),),
                old=old,
                confidence=_rounded(found.confidence),
                candidates=candidates,
                evidence=found.evidence,
            )
        new = _whole(self.target, found.path)
        changes = self._file_changes(path, found)
        if quote is not None:
            passage = find_passage(
                self.base.language(path),
                decode(self.base.data(path)),
                1,
                decode(self.target.data(found.path)),
                1,
                quote,
            )
            if passage.reason:
                return Resolution(
                    outcome=Outcome.ERROR, old=old, new=new, confidence=0.0, reason=passage.reason
                )
            changes += passage.changes
            old = old.model_copy(update={"start": passage.old[0], "end": passage.old[1]})
            if passage.new:
                new = new.model_copy(update={"start": passage.new[0], "end": passage.new[1]})
            if watch is Watch.QUOTE and passage.outcome is not None:
                return Resolution(
                    outcome=passage.outcome,
                    changes=tuple(changes),
                    old=old,
                    new=new,
                    confidence=_rounded(min(found.confidence, passage.confidence)),
                    evidence=(*found.evidence, *passage.evidence),
                )
        return Resolution(
            outcome=outcome_of(changes, watch),
            changes=tuple(changes),
            old=old,
            new=new,
            confidence=_rounded(found.confidence),
            candidates=candidates,
            evidence=found.evidence,
        )

    def _file_changes(self, path: str, found: FileFound) -> list[Change]:
        changes: list[Change] = []
        if found.path != path:
            changes.append(Change(kind=ChangeKind.MOVED_FILE, detail=f"{path} → {found.path}"))
        if self.base.files[path] != self.target.files[found.path]:
            changes += compare_texts(
                decode(self.base.data(path)),
                decode(self.target.data(found.path)),
                self.base.language(path),
                None,
            )
        return changes

    # ---- line ranges

    def _resolve_lines(self, place: Target, watch: Watch) -> Resolution:
        path, data = place.path, self.base.data(place.path)
        total = count_lines(data)
        if place.start > total:
            return Resolution(
                outcome=Outcome.ERROR,
                confidence=0.0,
                reason=f"{path} has {total} lines at {self.base.commit[:12]}, not {place.start}",
            )
        end = min(place.end, total)
        symbol = enclosing(self.base.outline(path), place.start, end)
        if symbol is not None and (symbol.start, symbol.end) == (place.start, end):
            return self._resolve_symbol(path, symbol, watch, None)
        lines = decode(data).replace("\r\n", "\n").split("\n")
        text = "\n".join(lines[place.start - 1 : end])
        if not text.strip():
            return Resolution(
                outcome=Outcome.ERROR,
                confidence=0.0,
                reason=f"{path}:{place.start}-{end} is blank at {self.base.commit[:12]}",
            )
        before = "\n".join(lines[max(0, place.start - 3) : place.start - 1])
        after = "\n".join(lines[end : end + 2])
        quote = Quote(exact=text, prefix=before, suffix=after)
        if symbol is None:
            return self._resolve_file(path, Watch.QUOTE, quote)
        return self._resolve_symbol(path, symbol, Watch.QUOTE, quote)


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


def _named(found: Found) -> str:
    return f"{found.path}::{found.symbol.name}" if found.symbol else "it is gone"


def _shift(old: Place, new: Place) -> str:
    return f"{new.start - old.start:+d} lines"


def _rounded(value: float) -> float:
    return round(value, 3)
