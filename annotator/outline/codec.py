"""Outlines to JSON text and back, for the cache and for worker processes.

One JSON array an outline: the standard library reads it fast, it cannot run code as a pickle can, and the
columns (names, kinds, …) instead of one array a symbol keep it small. An outline is always read as a
whole, so a database row a symbol would only cost time.
"""

import json

from annotator.model.symbol import Outline, Symbol
from annotator.model.words import SymbolKind

_KINDS = {kind.value: kind for kind in SymbolKind}


def encode(outline: Outline) -> str:
    """The outline as compact JSON."""
    columns = list(zip(*outline.symbols, strict=True))
    content = [outline.language, outline.lines, columns, outline.warnings]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def decode(text: str) -> Outline:
    """The outline that `encode` wrote.

    Raises:
        ValueError: if the text is anything else.
    """
    try:
        language, lines, columns, warnings = json.loads(text)
        if columns:
            names, kinds, *numbers, details = columns
            columns = [names, [_KINDS[kind] for kind in kinds], *numbers, details]
        symbols = tuple(map(Symbol._make, zip(*columns, strict=True)))
        return Outline(language, lines, symbols, tuple(warnings))
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"not an encoded outline: {error}") from error
