"""How likely a place at the target is the successor of a lost symbol.

Three kinds of evidence count, each between 0 and 1 and combined as independent witnesses: likeness of the code
(worth little for short texts), likeness of the name (worth little for a name that everybody uses) and nearness
(same file, same folder, same class). Contradicting evidence lowers the result.
"""

from typing import NamedTuple

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.lookup import leaf_name, parent_name
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
    """

    path: str
    symbol: Symbol
    language: str
    leaf: str
    parent: str
    sketch: Sketch


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
    )


def compatible(old: SymbolKind, new: SymbolKind) -> bool:
    """Whether one kind of symbol can become the other."""
    if old == new:
        return True
    for family in (_CALLABLES, _DATA):
        if old in family and new in family:
            return True
    # a constant behind a function, a field turned into a property, a kernel wrapped in a class
    return {old, new} <= _CALLABLES | _DATA or SymbolKind.MACRO in {old, new}


def _likeness_evidence(content: float, tokens: int) -> float:
    """Nothing below a third, near certainty above nine tenths, and less for short texts."""
    rise = min(1.0, max(0.0, (content - 0.3) / 0.6))
    return 0.97 * weight(tokens) * rise**1.3


def score(lost: Lost, pool: Pool, path: str, symbol: Symbol) -> Scored:
    """Scores one candidate of the target tree."""
    leaf = leaf_name(symbol.base_name, lost.language)
    parent = parent_name(symbol.base_name, lost.language)
    name = name_similarity(lost.leaf, leaf)
    new = sketch(pool.target.text(path, symbol), lost.language, leaf)
    content = quick_similarity(lost.sketch, new)
    if content > 0.15 or name > 0.5:
        content = max(content, token_similarity(lost.sketch, new)) if content < 1 else content
    same_file = path == lost.path
    same_scope = same_file and parent == lost.parent
    scope_leaf = name_similarity(
        leaf_name(lost.parent, lost.language), leaf_name(parent, lost.language)
    ) if lost.parent and parent else 0.0

    rarity = pool.rarity(lost.leaf)
    if lost.parent and scope_leaf > 0.9:
        rarity = max(rarity, pool.rarity(leaf_name(lost.parent, lost.language)))
    by_content = _likeness_evidence(content, min(len(lost.sketch.tokens), len(new.tokens)))
    by_name = 0.75 * rarity * name**2 if name == 1 else 0.45 * name**2
    by_place = 0.3 if same_scope else 0.2 if same_file else 0.15 * path_similarity(lost.path, path)
    by_place += 0.15 * scope_leaf * (not same_scope)
    total = 1 - (1 - by_content) * (1 - by_name) * (1 - by_place)
    if not compatible(lost.symbol.kind, symbol.kind):
        total *= 0.3
    elif lost.symbol.kind != symbol.kind and not {lost.symbol.kind, symbol.kind} <= _CALLABLES:
        total *= 0.85
    if len(lost.sketch.tokens) >= 25 and content < 0.3:
        total *= 0.35 + 2 * content if name < 1 else 0.6 + content
    reasons = [f"code {content:.0%} alike"]
    reasons.append("same name" if name == 1 else f"name {name:.0%} alike")
    reasons.append(
        "same scope" if same_scope else "same file" if same_file else "another file"
    )
    return Scored(path, symbol, min(total, 0.999), content, name, ", ".join(reasons))
