"""The ladder: from the same path and name up to a search of the whole tree.

Each rung is dearer and less sure than the one below it, and a rung is tried only when those below gave no
sure answer. The order follows CodeTracker's (cheap steps first, Jodavi and Tsantalis, ESEC/FSE 2022); the
scoring across rungs is ours.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from annotator.model.symbol import Symbol
from annotator.model.words import ChangeKind, SymbolKind
from annotator.outline.lookup import find_symbol, join_name, leaf_name
from annotator.resolve.forwarders import follow
from annotator.resolve.pool import Pool
from annotator.resolve.rearranged import (
    SAME,
    are_parts,
    in_other_languages,
    merged_into,
    sketch_at,
    swapped_with,
)
from annotator.resolve.scoring import Lost, Scored, describe, likeness, score
from annotator.resolve.similarity import quick_similarity, sketch, token_similarity, weight
from annotator.resolve.snapshot import Snapshot

ACCEPT = 0.5
"""Lowest score of a candidate that counts as a successor."""
MARGIN = 0.07
"""Lowest distance to the second candidate that counts as clear."""
_SURE = 0.95
"""Score of a candidate beside which no other is looked for."""
_ITSELF = 0.75
"""Likeness of code from which a symbol of the same name is the lost one, and what is like it elsewhere a copy."""
_KEPT = 5
_FILES_BY_NAME = 60
_FILES_BY_CONTENT = 25
_NAMESAKE = 0.8
"""Likeness of names from which something in another file is no stranger."""
_GENERALISED = 0.85
"""Likeness of names from which two lost symbols may both have become one: `f_2d`, `f_3d` → `f`."""


class Found(NamedTuple):
    """What a climb of the ladder came to.

    Attributes:
        path: file of the successor, empty if there is none.
        symbol: the successor, none if there is none.
        confidence: how sure the answer is, successor or not, 0 to 1.
        special: `re-exported`, `merged`, `split` or none.
        candidates: the best places considered, best first.
        ambiguous: whether several are too close to call.
        evidence: what was tried and what it gave.
    """

    path: str
    symbol: Symbol | None
    confidence: float
    special: ChangeKind | None = None
    candidates: tuple[Scored, ...] = ()
    ambiguous: bool = False
    evidence: tuple[str, ...] = ()


class Ladder:
    """Finds successors between two commits; pools and answers are kept for further questions.

    Args:
        base: the baseline.
        target: the commit in which successors are sought.
    """

    def __init__(self, base: Snapshot, target: Snapshot) -> None:
        self.base = base
        self.target = target
        self._pools: dict[str, Pool] = {}
        self._answers: dict[tuple[str, str], Found] = {}

    def pool(self, language: str) -> Pool:
        """The files of a language in which successors can stand."""
        if language not in self._pools:
            self._pools[language] = Pool(self.base, self.target, language)
        return self._pools[language]

    def find(self, path: str, symbol: Symbol) -> Found:
        """Finds the successor of a symbol of the baseline."""
        key = (path, symbol.name)
        if key not in self._answers:
            self._answers[key] = Found(path, symbol, 0.0)  # guards against circles among scopes
            self._answers[key] = self._climb(path, symbol)
        return self._answers[key]

    def _climb(self, path: str, symbol: Symbol) -> Found:
        same_blob = self.base.files.get(path) == self.target.files.get(path)
        if same_blob:
            return Found(path, symbol, 1.0, evidence=("the file is the same, byte for byte",))
        lost = describe(self.base, path, symbol)
        here = self._same_place(lost)
        if here is not None and here.confidence >= 0.9:
            return here
        swapped = swapped_with(lost, self.pool(lost.language)) if here else None
        if here and swapped:
            place = f"{swapped.path}::{swapped.symbol.name}"
            return Found(
                swapped.path,
                swapped.symbol,
                SAME,
                candidates=(swapped, *here.candidates),
                evidence=(*here.evidence, f"its code is at {place}, under its name"),
            )
        found = self._search(lost, here)
        if here is None:
            return found
        better = (
            found.symbol is not None
            and not found.ambiguous
            and found.candidates[0].score >= 0.85
            and found.candidates[0].content >= here.candidates[0].content + 0.4
        )
        return found if better else here

    # ---- rung 1: same path, same name

    def _same_place(self, lost: Lost) -> Found | None:
        if lost.path not in self.target.files:
            return None
        name = lost.symbol.base_name
        twins = [s for s in self.target.outline(lost.path).symbols if s.base_name == name]
        real = [twin for twin in twins if twin.kind is not SymbolKind.IMPORT]
        if not real:
            if not twins or lost.symbol.kind is SymbolKind.IMPORT:
                return self._accept_same(lost, twins[0]) if twins else None
            return self._followed(lost, twins[0])
        chosen = self._choose_twin(lost, real)
        text = self.target.text(lost.path, chosen)
        if text == self.base.text(lost.path, lost.symbol):
            return Found(lost.path, chosen, 1.0, evidence=("same path, same name, same text",))
        if self._shrunk_to_nothing(lost, text):
            followed = self._followed(lost, chosen)
            if followed is not None:
                return followed
        return self._accept_same(lost, chosen)

    def _accept_same(self, lost: Lost, symbol: Symbol) -> Found:
        new = sketch(self.target.text(lost.path, symbol), lost.language, lost.leaf)
        content = likeness(lost.sketch, new)
        suspicious = content < 0.5 and weight(len(lost.sketch.tokens)) > 0.7
        scored = Scored(lost.path, symbol, 0.99, content, 1.0, "same path and name")
        evidence = (f"same path and name, code {content:.0%} alike",)
        confidence = (0.89 if content > 0.25 else 0.8) if suspicious else 0.97 + 0.03 * content
        return Found(lost.path, symbol, confidence, candidates=(scored,), evidence=evidence)

    def _choose_twin(self, lost: Lost, twins: list[Symbol]) -> Symbol:
        """Among symbols of one name, the one that stands where the old one stood in its series."""
        if len(twins) == 1:
            return twins[0]
        old_text = self.base.text(lost.path, lost.symbol)
        series = [
            s
            for s in self.base.outline(lost.path).symbols
            if s.base_name == lost.symbol.base_name and s.kind is not SymbolKind.IMPORT
        ]
        position = next((i for i, s in enumerate(series) if s.name == lost.symbol.name), 0)

        def rank(item: tuple[int, Symbol]) -> tuple[float, int]:
            index, twin = item
            text = self.target.text(lost.path, twin)
            new = sketch(text, lost.language, lost.leaf)
            alike = 2.0 if text == old_text else token_similarity(lost.sketch, new)
            steady = 0.25 if len(series) == len(twins) and index == position else 0.0
            return (alike + steady, -abs(index - position))

        return max(enumerate(twins), key=rank)[1]

    def _shrunk_to_nothing(self, lost: Lost, text: str) -> bool:
        new = sketch(text, lost.language, lost.leaf)
        much_smaller = len(new.tokens) < 0.6 * len(lost.sketch.tokens)
        return much_smaller or token_similarity(lost.sketch, new) < 0.5

    def _followed(self, lost: Lost, symbol: Symbol) -> Found | None:
        followed = follow(self.target, lost.path, symbol)
        if followed is None:
            return None
        leaf = leaf_name(followed.symbol.base_name, lost.language)
        new = sketch(self.target.text(followed.path, followed.symbol), lost.language, leaf)
        content = token_similarity(lost.sketch, new)
        if symbol.kind is not SymbolKind.IMPORT:
            stayed = sketch(self.target.text(lost.path, symbol), lost.language, lost.leaf)
            if content < token_similarity(lost.sketch, stayed) + 0.1:
                return None
        scored = Scored(
            followed.path, followed.symbol, 0.97, content, 1.0, "the old name leads to it"
        )
        confidence = 0.97 if content >= 0.3 or leaf == lost.leaf else 0.85
        return Found(
            followed.path,
            followed.symbol,
            confidence,
            ChangeKind.RE_EXPORTED,
            (scored,),
            evidence=followed.steps,
        )

    # ---- rungs 2 to 5: scope's successor, same file, whole tree by name, whole tree by content

    def _search(self, lost: Lost, here: Found | None) -> Found:
        pool = self.pool(lost.language)
        candidates: dict[tuple[str, str], Scored] = {}
        evidence = [
            f"{lost.path} is gone"
            if lost.path not in self.target.files
            else f"{lost.path} has no {lost.symbol.name} any more"
            if here is None
            else f"{lost.path}::{lost.symbol.name} has little in common with what it was"
        ]
        for label, places in self._rungs(lost, pool):
            added = 0
            for path, symbol in places:
                if (path, symbol.name) not in candidates:
                    candidates[path, symbol.name] = score(lost, pool, path, symbol)
                    added += 1
            best = max(candidates.values(), key=_by_score, default=None)
            evidence.append(
                f"{label}: {added} candidate{'s' if added != 1 else ''}"
                + (f", best {best.path}::{best.symbol.name} at {best.score:.2f}" if best else "")
            )
            if best is not None and (best.score >= _SURE or _is_itself(lost, best)):
                break
        return self._decide(lost, pool, list(candidates.values()), evidence)

    def _rungs(self, lost: Lost, pool: Pool) -> Iterator[tuple[str, Iterable[tuple[str, Symbol]]]]:
        if lost.parent:
            yield "where its scope went", self._in_scope_successor(lost)
        if lost.path in self.target.files:
            yield "same file", ((lost.path, symbol) for symbol in pool.appeared(lost.path))
        naming = [] if lost.symbol.kind is SymbolKind.HEADING else pool.files_naming(lost.leaf)
        text = self.base.text(lost.path, lost.symbol).encode(errors="replace")
        if len(naming) > _FILES_BY_NAME:
            likely = set(pool.files_like(text, 4 * _FILES_BY_NAME))
            naming = [path for path in naming if path in likely][:_FILES_BY_NAME]
        yield (
            "whole tree by name",
            (
                (path, symbol)
                for path, symbol in pool.appeared_in(naming)
                if leaf_name(symbol.base_name, lost.language) == lost.leaf
            ),
        )
        yield (
            "whole tree by content",
            (
                (path, symbol)
                for path, symbol in pool.appeared_in(pool.files_like(text, _FILES_BY_CONTENT))
                if quick_similarity(lost.sketch, sketch_at(self.target, path, symbol)) > 0.3
            ),
        )

    def _in_scope_successor(self, lost: Lost) -> Iterator[tuple[str, Symbol]]:
        scope = find_symbol(self.base.outline(lost.path), lost.parent)
        if scope is None:
            return
        found = self.find(lost.path, scope)
        if found.symbol is None or found.ambiguous:
            return
        outline = self.target.outline(found.path)
        exact = find_symbol(outline, join_name(found.symbol.name, lost.leaf, lost.language))
        if exact is not None and exact.kind is not SymbolKind.IMPORT:
            yield found.path, exact
        known = {s.name for s in self.pool(lost.language).appeared(found.path)}
        prefix = join_name(found.symbol.name, "", lost.language)
        for symbol in outline.symbols:
            if symbol.name.startswith(prefix) and symbol.name in known:
                yield found.path, symbol

    def _decide(self, lost: Lost, pool: Pool, scored: list[Scored], evidence: list[str]) -> Found:
        ranked = sorted(scored, key=_by_score, reverse=True)
        ranked = _without_enclosing(ranked)
        ranked = [self._against_rivals(lost, pool, item) for item in ranked[:_KEPT]] + ranked[
            _KEPT:
        ]
        ranked.sort(key=_by_score, reverse=True)
        if ranked:
            ranked[0] = self._against_pattern(lost, ranked[0])
            ranked.sort(key=_by_score, reverse=True)
        kept = tuple(ranked[:_KEPT])
        if not kept or kept[0].score < ACCEPT:
            merged = merged_into(lost, pool)
            if merged is not None:
                evidence.append(f"{merged.path}::{merged.symbol.name} {merged.reason}")
                return Found(
                    merged.path,
                    merged.symbol,
                    0.5 + 0.4 * merged.score,
                    ChangeKind.MERGED,
                    (merged, *kept),
                    evidence=tuple(evidence),
                )
            best = kept[0].score if kept else 0.0
            evidence.append(f"no candidate reaches {ACCEPT}: no successor")
            if pool.left_out:
                evidence.append(f"not searched, as too large: {', '.join(pool.left_out[:_KEPT])}")
            evidence += [
                f"{path}::{symbol.name} appeared, in another language"
                for path, symbol in islice(in_other_languages(lost, self.pool), _KEPT)
            ]
            return Found("", None, min(0.99, 1 - best * 0.8), None, kept, evidence=tuple(evidence))
        first = kept[0]
        second = kept[1].score if len(kept) > 1 else 0.0
        close = first.score - second < MARGIN and first.score < 0.9
        if close and are_parts(lost, pool, *kept[:2]):
            evidence.append(f"{first.symbol.name} and {kept[1].symbol.name} share its code")
            return Found(
                first.path, first.symbol, 0.7, ChangeKind.SPLIT, kept, evidence=tuple(evidence)
            )
        if close and not _clearly_nearer(lost, *kept[:2]):
            evidence.append("the first candidates are too close to call")
            return Found(
                first.path, first.symbol, 0.4, None, kept, ambiguous=True, evidence=tuple(evidence)
            )
        evidence.append(f"{first.path}::{first.symbol.name}: {first.reason}")
        doubt = 0.5 * max(0.0, second - 0.3) * (1 - (first.score - second))
        confidence = max(0.3, first.score - doubt)
        return Found(first.path, first.symbol, confidence, None, kept, evidence=tuple(evidence))

    def _against_rivals(self, lost: Lost, pool: Pool, item: Scored) -> Scored:
        """Lowers a candidate that another lost symbol of the same file resembles more."""
        if item.score < ACCEPT or item.name > _GENERALISED:
            return item
        for rival in pool.vanished(lost.path):
            if rival.name == lost.symbol.name or rival.kind != lost.symbol.kind:
                continue
            other = score(describe(self.base, lost.path, rival), pool, item.path, item.symbol)
            if other.score > item.score and other.content + other.name > item.content + item.name:
                reason = f"{item.reason}; but {rival.name} is closer to it"
                return item._replace(score=item.score * 0.5, reason=reason)
        return item

    def _against_pattern(self, lost: Lost, item: Scored) -> Scored:
        """Lowers a stranger in another file that was made after a pattern which others at the baseline follow too.

        Had it been made of the lost symbol, the lost one would be nearer to it than every other is.
        """
        if item.score < ACCEPT or item.path == lost.path or item.name > _NAMESAKE:
            return item
        backward = self._backward_pool(lost.language)
        text = self.target.text(item.path, item.symbol).encode(errors="replace")
        new = sketch_at(self.target, item.path, item.symbol)
        for path in backward.files_like(text, _FILES_BY_CONTENT):
            for other in self.base.outline(path).symbols:
                if other.kind is not lost.symbol.kind or (path, other.name) == (
                    lost.path,
                    lost.symbol.name,
                ):
                    continue
                old = sketch_at(self.base, path, other)
                if (
                    quick_similarity(old, new) >= 0.7 * item.content
                    and likeness(old, new) >= item.content
                ):
                    reason = f"{item.reason}; but {path}::{other.name} was as near to it"
                    return item._replace(score=item.score * 0.5, reason=reason)
        return item

    def _backward_pool(self, language: str) -> Pool:
        """The baseline's files that changed, searched like a target."""
        key = f"{language} backward"
        if key not in self._pools:
            self._pools[key] = self.pool(language).backward()
        return self._pools[key]


def _is_itself(lost: Lost, best: Scored) -> bool:
    """Whether the best candidate has the name and most of the code, and enough code to tell."""
    telling = weight(len(lost.sketch.tokens)) > 0.7
    return telling and best.name == 1 and best.content >= _ITSELF and best.score >= 0.8


def _by_score(item: Scored) -> float:
    return item.score


def _clearly_nearer(lost: Lost, first: Scored, second: Scored) -> bool:
    """Whether the first stayed in the file under a like name while the second is a stranger."""
    return first.path == lost.path != second.path and first.name > second.name + 0.2


def _without_enclosing(ranked: list[Scored]) -> list[Scored]:
    """Drops a candidate that lies around or inside a better one: they are one place, not rivals."""
    kept: list[Scored] = []
    for item in ranked:
        nested = any(
            item.path == other.path
            and (
                (item.symbol.start <= other.symbol.start and item.symbol.end >= other.symbol.end)
                or (item.symbol.start >= other.symbol.start and item.symbol.end <= other.symbol.end)
            )
            for other in kept
        )
        if not nested:
            kept.append(item)
    return kept
