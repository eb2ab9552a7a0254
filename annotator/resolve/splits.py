"""Notices that part of a definition was cut out into new ones."""

from annotator.model.symbol import Symbol
from annotator.outline.lookup import leaf_name
from annotator.resolve.pool import Pool
from annotator.resolve.similarity import Sketch, sketch

_LEAST_SHINGLES = 20
_SHARE = 0.5


def split_parts(pool: Pool, old: Sketch, kept: Sketch, path: str, main: Symbol) -> list[Symbol]:
    """New symbols of a file that consist mostly of code which a definition lost.

    Args:
        pool: changed files.
        old: the definition at the baseline.
        kept: its successor.
        path: file of the successor.
        main: the successor.
    """
    lost = old.shingles - kept.shingles
    if len(lost) < _LEAST_SHINGLES or len(kept.tokens) > 0.9 * len(old.tokens):
        return []
    parts = []
    for symbol in pool.appeared(path):
        if symbol.name == main.name or symbol.name.startswith((main.name + ".", main.name + "::")):
            continue
        leaf = leaf_name(symbol.base_name, pool.language)
        new = sketch(pool.target.text(path, symbol), pool.language, leaf).shingles
        shared = len(new & lost)
        if shared >= _LEAST_SHINGLES and shared >= _SHARE * len(new):
            parts.append(symbol)
    return parts
