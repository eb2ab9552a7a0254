"""Where code went when its symbol did not simply move: into a neighbour, into several, under another's name."""

from collections.abc import Callable, Iterable, Iterator

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.lookup import find_symbol, leaf_name
from annotator.resolve.pool import Pool
from annotator.resolve.scoring import Lost, Scored, describe, likeness, score
from annotator.resolve.similarity import Sketch, sketch, words
from annotator.resolve.snapshot import Snapshot

SAME = 0.92
"""Likeness from which code counts as the same, moved."""
_FILES = 60
"""Most files with a name that are looked through."""
_TAKEN_IN = 0.6
"""Share of a lost symbol's code in a neighbour from which it was merged into that."""
_TAKEN_IN_BY_RELATIVE = 0.3
"""The same for a neighbour that called the lost one and no longer does, or whose name is part of the lost
one's: `run_slow` merged into `run`."""
_COMPLEMENT = 1.25
"""How much more of a definition two parts must hold together than the larger one alone."""
_LEAST_TOKENS = 25
_CALLABLES = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_PROGRAMMING = frozenset({"python", "cpp", "rust"})


def sketch_at(snapshot: Snapshot, path: str, symbol: Symbol) -> Sketch:
    """The sketch of a symbol of a tree."""
    language = snapshot.language(path)
    leaf = leaf_name(symbol.base_name, language)
    return sketch(snapshot.text(path, symbol), language, leaf)


def swapped_with(lost: Lost, pool: Pool) -> Scored | None:
    """Where a symbol's code is now if another symbol of the same name took its place."""
    naming = [path for path in pool.files_naming(lost.leaf) if path != lost.path]
    if len(naming) > _FILES:
        return None
    pool.target.outline_all(naming)
    for path in naming:
        for symbol in pool.target.outline(path).symbols:
            if (
                symbol.kind is lost.symbol.kind
                and leaf_name(symbol.base_name, lost.language) == lost.leaf
                and likeness(lost.sketch, sketch_at(pool.target, path, symbol)) >= SAME
                and not _was_there(lost, pool, path, symbol)
            ):
                return score(lost, pool, path, symbol)._replace(score=SAME)
    return None


def _was_there(lost: Lost, pool: Pool, path: str, symbol: Symbol) -> bool:
    """Whether a place held the same code at the baseline already, as a copy."""
    if path not in pool.base.files:
        return False
    before = find_symbol(pool.base.outline(path), symbol.name)
    return (
        before is not None
        and likeness(lost.sketch, describe(pool.base, path, before).sketch) >= SAME
    )


def are_parts(lost: Lost, pool: Pool, first: Scored, second: Scored) -> bool:
    """Whether two candidates hold different parts of the lost symbol's code."""
    if first.path != second.path:
        return False
    parts = [
        sketch_at(pool.target, item.path, item.symbol).shingles & lost.sketch.shingles
        for item in (first, second)
    ]
    return len(parts[0] | parts[1]) >= _COMPLEMENT * max(map(len, parts))


def merged_into(lost: Lost, pool: Pool) -> Scored | None:
    """The function of the same file that took most of the lost one's code in, if there is one."""
    if lost.path not in pool.target.files or len(lost.sketch.tokens) < _LEAST_TOKENS:
        return None
    best: Scored | None = None
    for symbol in pool.target.outline(lost.path).symbols:
        before = find_symbol(pool.base.outline(lost.path), symbol.name)
        if before is None or symbol.kind not in _CALLABLES:
            continue
        if before.start <= lost.symbol.start and lost.symbol.end <= before.end:
            continue  # it stood inside that one all along
        old, new = (
            sketch_at(pool.base, lost.path, before),
            sketch_at(pool.target, lost.path, symbol),
        )
        share = len(lost.sketch.shingles & (new.shingles - old.shingles)) / len(
            lost.sketch.shingles
        )
        called = lost.leaf in old.tokens and lost.leaf not in new.tokens
        own_words = words(leaf_name(symbol.base_name, lost.language))
        related = called or set(own_words) < set(words(lost.leaf))
        enough = share >= (_TAKEN_IN_BY_RELATIVE if related else _TAKEN_IN)
        if enough and (best is None or share > best.score):
            reason = f"took in {share:.0%} of its code" + (
                " and no longer calls it" if called else ""
            )
            best = Scored(lost.path, symbol, share, share, 0.0, reason)
    return best


def in_other_languages(lost: Lost, pool_of: Callable[[str], Pool]) -> Iterable[tuple[str, Symbol]]:
    """Definitions of the same name that appeared in another programming language."""
    if lost.language not in _PROGRAMMING or len(lost.leaf) < 5 or lost.leaf.startswith("__"):
        return
    for language in sorted(_PROGRAMMING - {lost.language}):
        yield from _named(pool_of(language), lost.leaf)


def _named(pool: Pool, leaf: str) -> Iterator[tuple[str, Symbol]]:
    for path, symbol in pool.appeared_in(pool.files_naming(leaf)[:_FILES]):
        if leaf_name(symbol.base_name, pool.language) == leaf:
            yield path, symbol
