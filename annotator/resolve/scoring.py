"""How likely a place at the target is the successor of a lost symbol.

Three kinds of evidence count, each between 0 and 1 and combined as independent witnesses: likeness of the code
(worth little for short texts), likeness of the name (worth little for a name that everybody uses) and nearness
(same file, same folder, same class). Contradicting evidence lowers the result.
"""

from typing import NamedTuple

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.lookup import find_symbol, leaf_name, parent_name
from annotator.resolve.pool import Pool
from annotator.resolve.similarity import (
    Sketch,
    name_similarity,
    path_similarity,
    quick_similarity,
    sketch,
    token_similarity,
    weight,
)
from annotator.resolve.snapshot import Snapshot

_STRANGER = 0.88
"""Likeness of code that something of another name in another file must have to be a successor."""
_CALLABLES = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_DATA = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.CONSTANT})


class Lost(NamedTuple):
    """A symbol of the baseline whose successor is sought.

    Attributes:
        path: its file.
        symbol: itself.
        language: language of the file.
        leaf: its name without scope.
        parent: its scope.
        sketch: its tokens.
        local: whether it is defined inside a function.
    """

    path: str
    symbol: Symbol
    language: str
    leaf: str
    parent: str
    sketch: Sketch
    local: bool


class Scored(NamedTuple):
    """A candidate with its score and what spoke for it.

    Attributes:
        path: its file at the target.
        symbol: the symbol there.
        score: 0 to 1.
        content: likeness of the code, 0 to 1.
        name: likeness of the names, 0 to 1.
        reason: in plain words.
    """

    path: str
    symbol: Symbol
    score: float
    content: float
    name: float
    reason: str


def describe(snapshot: Snapshot, path: str, symbol: Symbol) -> Lost:
    """Reads what is to be known about a symbol in order to look for it elsewhere."""
    language = snapshot.language(path)
    leaf = leaf_name(symbol.base_name, language)
    return Lost(
        path,
        symbol,
        language,
        leaf,
        parent_name(symbol.base_name, language),
        sketch(snapshot.text(path, symbol), language, leaf),
        _is_local(snapshot, path, symbol),
    )


def _is_local(snapshot: Snapshot, path: str, symbol: Symbol) -> bool:
    scope = parent_name(symbol.base_name, snapshot.language(path))
    around = find_symbol(snapshot.outline(path), scope) if scope else None
    return around is not None and around.kind in _CALLABLES


def compatible(old: SymbolKind, new: SymbolKind) -> bool:
    """Whether one kind of symbol can become the other."""
    if old == new:
        return True
    for family in (_CALLABLES, _DATA):
        if old in family and new in family:
            return True
    # a constant behind a function, a field turned into a property, a kernel wrapped in a class
    return {old, new} <= _CALLABLES | _DATA or SymbolKind.MACRO in {old, new}


def _likeness_evidence(content: float, telling: float) -> float:
    """Nothing below a third, near certainty above nine tenths, and less for short texts."""
    rise = min(1.0, max(0.0, (content - 0.3) / 0.6))
    return 0.97 * telling * float(rise**1.3)


def likeness(old: Sketch, new: Sketch) -> float:
    """Likeness of a definition to its possible successor, 0 to 1.

    A successor that took the whole old definition in is like it; a small part cut out of it is not.
    """
    estimate = quick_similarity(old, new)
    if estimate in {0.0, 1.0}:
        return estimate
    taken_in = 0.9 * len(old.shingles & new.shingles) / len(old.shingles)
    grown = taken_in if len(old.shingles) >= 20 else 0.0
    return max(token_similarity(old, new), estimate if estimate > 0.9 else 0.0, grown)


def score(lost: Lost, pool: Pool, path: str, symbol: Symbol) -> Scored:
    """Scores one candidate of the target tree."""
    leaf = leaf_name(symbol.base_name, lost.language)
    parent = parent_name(symbol.base_name, lost.language)
    name = name_similarity(lost.leaf, leaf)
    new = sketch(pool.target.text(path, symbol), lost.language, leaf)
    content = likeness(lost.sketch, new)
    same_file = path == lost.path
    same_scope = same_file and parent == lost.parent
    scope = _scope_similarity(lost, parent)
    telling = weight(min(len(lost.sketch.tokens), len(new.tokens)))

    by_content = _likeness_evidence(content, telling)
    by_name = 0.55 * name**2
    if name == 1:
        unique = _uniqueness(lost, pool, scope)
        by_name = 0.8 * unique
        if unique < 0.3:
            by_content *= 0.4 + 2 * unique  # one of many twins; the others are as likely its origin
    by_place = 0.3 if same_scope else 0.2 if same_file else 0.15 * path_similarity(lost.path, path)
    by_place += 0.0 if same_scope else 0.15 * scope
    total = 1 - (1 - by_content) * (1 - by_name) * (1 - by_place)
    total *= _kind_factor(lost.symbol.kind, symbol.kind)
    if telling > 0.6 and content < 0.3:
        total *= 0.35 + 2 * content if name < 1 else 0.6 + content
    if name < 0.3 and telling < (0.45 if content > 0.98 else 0.6):
        total *= 0.5  # boilerplate under another name
    if not same_file and name < 0.5 and content < _STRANGER:
        total *= 0.6  # a new sibling made after the same pattern, more likely than a successor
    if lost.local != _is_local(pool.target, path, symbol):
        total *= 0.85
    if _is_test(path) and not _is_test(lost.path):
        total *= 0.6
    reasons = (
        f"code {content:.0%} alike",
        "same name" if name == 1 else f"name {name:.0%} alike",
        "same scope" if same_scope else "same file" if same_file else "another file",
    )
    return Scored(path, symbol, min(total, 0.999), content, name, ", ".join(reasons))


def _scope_similarity(lost: Lost, parent: str) -> float:
    if not lost.parent or not parent:
        return 0.0
    return name_similarity(leaf_name(lost.parent, lost.language), leaf_name(parent, lost.language))


def _uniqueness(lost: Lost, pool: Pool, scope: float) -> float:
    if lost.symbol.kind is SymbolKind.HEADING:
        return 0.6
    unique = pool.uniqueness(lost.leaf, lost.symbol.kind)
    if scope > 0.75:
        unique = max(unique, 0.6 * scope**2)  # the same name in a scope of a like name
    if scope > 0.9:
        scope_name = leaf_name(lost.parent, lost.language)
        unique = max(unique, pool.uniqueness(scope_name, SymbolKind.CLASS))
    return unique


def _kind_factor(old: SymbolKind, new: SymbolKind) -> float:
    if not compatible(old, new):
        return 0.3
    return 1.0 if old == new or {old, new} <= _CALLABLES else 0.85


def _is_test(path: str) -> bool:
    return path.startswith("tests/") or "/tests/" in path or "/test_" in f"/{path}"
