"""Finds a target by its own words in one tree."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from rapidfuzz import fuzz, process

from annotator.model.symbol import Symbol
from annotator.model.target import Target
from annotator.model.words import SymbolKind
from annotator.outline.lookup import match_symbols
from annotator.resolve.snapshot import Snapshot

_OVERLOAD = re.compile(r"^@(?:typing(?:_extensions)?\.)?overload\b", re.MULTILINE)


class Located(NamedTuple):
    """A target found at the baseline.

    Attributes:
        path: its file.
        symbol: its symbol, none for a whole file.
    """

    path: str
    symbol: Symbol | None


class NotLocated(Exception):
    """A target that is not, or not clearly, in the tree; the message says so."""


def locate(snapshot: Snapshot, target: Target) -> Located:
    """Finds a target by its own words in one tree.

    A name that a function shares with its `@overload` stubs means the function itself.

    Raises:
        NotLocated: if file or symbol is missing, or the name fits several symbols.
    """
    if target.path not in snapshot.files:
        near = _near(target.path, list(snapshot.files))
        raise NotLocated(f"{target.path} is not in the tree of {snapshot.label}{near}")
    if target.start or not target.symbol:
        return Located(target.path, None)
    outline = snapshot.outline(target.path)
    matches = match_symbols(outline, target.symbol, heading=target.heading)
    if not matches and (why := unread(snapshot, target.path)):
        raise NotLocated(why)
    if not matches:
        what = "heading" if target.heading else "symbol"
        near = _near(target.symbol, (symbol.name for symbol in outline.symbols))
        raise NotLocated(f"{target.path} has no {what} {target.symbol!r} at {snapshot.label}{near}")
    if len(matches) > 1:
        names = ", ".join(symbol.name for symbol in matches[:5])
        raise NotLocated(f"{target.symbol!r} fits several in {target.path}: {names}")
    (symbol,) = matches
    if "#" not in target.symbol and _is_overload(snapshot, target.path, symbol):
        twins = [twin for twin in outline.symbols if twin.base_name == symbol.base_name]
        real = [twin for twin in twins if not _is_overload(snapshot, target.path, twin)]
        symbol = real[-1] if real else symbol
    return Located(target.path, symbol)


def unread(snapshot: Snapshot, path: str) -> str:
    """Why nothing is known of what stands in a file, in words; empty if it could be read."""
    outline = snapshot.outline(path)
    if outline.symbols or not outline.warnings:
        return ""
    return f"{path} could not be searched at {snapshot.label}: {'; '.join(outline.warnings)}"


def _near(word: str, known: Iterable[str]) -> str:
    """A question that names the nearest known word, if one is near."""
    found = process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=75)
    return f"; did you mean {found[0]}?" if found else ""


def _is_overload(snapshot: Snapshot, path: str, symbol: Symbol) -> bool:
    return (
        symbol.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}
        and _OVERLOAD.search(snapshot.text(path, symbol)) is not None
    )
