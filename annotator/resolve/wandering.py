"""Finds a quoted statement that left its function: into a part cut out of it, or into another file."""

from typing import NamedTuple

from annotator.model.anchor import Quote
from annotator.model.symbol import Symbol
from annotator.outline.lookup import enclosing, find_symbol
from annotator.outline.text import decode
from annotator.resolve.lexing import lex
from annotator.resolve.pool import Pool
from annotator.resolve.quotes import line_range, occurrences
from annotator.resolve.snapshot import Snapshot

_LEAST_TOKENS = 5
"""Shorter quotes stand in too many places to follow them out of their function."""
_FILES = 20
_NAMES = 8
"""Names, the longest first since they are the rarest, by which files are found; each costs a look at every file."""


class Wandered(NamedTuple):
    """Where a quote went.

    Attributes:
        path: file.
        symbol: the symbol around it.
        lines: its first and last line.
    """

    path: str
    symbol: Symbol
    lines: tuple[int, int]


def find_elsewhere(pool: Pool, path: str, quote: Quote) -> Wandered | None:
    """The only symbol that now has the quote and did not have it before; none if there is no one such symbol.

    Args:
        pool: files that changed.
        path: file where the quote's function is now; looked at first.
        quote: the statement, as it was.
    """
    tokens = lex(quote.exact, pool.language).code
    if len(tokens) < _LEAST_TOKENS:
        return None
    here = _newcomers(pool, path, quote)
    if here:
        return here[0] if len(here) == 1 else None
    names = {token for token in tokens if token.isidentifier() and len(token) > 2}
    telling = sorted(names, key=lambda name: (-len(name), name))[:_NAMES]
    files = min((pool.files_naming(name) for name in telling), key=len, default=[])
    if len(files) > _FILES:
        return None
    found = [item for other in files if other != path for item in _newcomers(pool, other, quote)]
    return found[0] if len(found) == 1 else None


def _newcomers(pool: Pool, path: str, quote: Quote) -> list[Wandered]:
    if path not in pool.target.files:
        return []
    text = decode(pool.target.data(path)).replace("\r\n", "\n")
    found = []
    for spot in occurrences(text, pool.language, quote.exact):
        lines = line_range(text, spot, 1)
        symbol = enclosing(pool.target.outline(path), *lines)
        if symbol is not None and not _had_it(pool.base, path, symbol, quote, pool.language):
            found.append(Wandered(path, symbol, lines))
    return found


def _had_it(base: Snapshot, path: str, symbol: Symbol, quote: Quote, language: str) -> bool:
    before = find_symbol(base.outline(path), symbol.name) if path in base.files else None
    return before is not None and bool(occurrences(base.text(path, before), language, quote.exact))
