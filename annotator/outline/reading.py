"""What passes between the engine and the module of a language."""

from operator import attrgetter
from typing import NamedTuple, Protocol

from annotator.model.symbol import Symbol
from annotator.outline.text import parseable

NAME_LIMIT = 4_000
"""Longest qualified name, in characters, below which definitions are still looked for."""

NAMES_LIMIT = 50_000_000
"""All names of one text together, in characters: what a hostile text may cost in memory."""

_START = attrgetter("start_byte")
_END = attrgetter("end_byte")


class Unreadable(Exception):
    """A text that has no outline; the message says why, for its list of warnings."""


class Source:
    """One text, ready to be parsed.

    Attributes:
        original: bytes of the file.
        data: bytes of the same length and lines that a grammar can read.
        encoding: name of the codec that the file is written in.
    """

    def __init__(self, original: bytes, encoding: str) -> None:
        self.data = parseable(original)
        self.original = original
        self.encoding = "utf-8" if encoding == "utf-8-sig" else encoding

    def text(self, start_byte: int, end_byte: int) -> str:
        """The decoded text of a byte range of the file."""
        return self.original[start_byte:end_byte].decode(self.encoding, "replace")


class Reading(NamedTuple):
    """What the module of a language found.

    Attributes:
        symbols: in any order; repeated names are not numbered yet.
        warnings: plain sentences on what could not be read.
    """

    symbols: list[Symbol]
    warnings: list[str]


class Reader(Protocol):
    """The interface of a language's module."""

    def read(self, source: Source) -> Reading:
        """Lists the definitions of one text.

        Raises:
            Unreadable: if it cannot be parsed at all.
        """


def in_order(symbols: list[Symbol]) -> list[Symbol]:
    """Symbols in source order, a container before its members."""
    return sorted(sorted(symbols, key=_END, reverse=True), key=_START)


def numbered(symbols: list[Symbol]) -> tuple[Symbol, ...]:
    """Symbols with unique names: the second of a name becomes `name#2`, and so on.

    A number that a text uses itself, as a heading can, is passed over.
    """
    if len({symbol.name for symbol in symbols}) == len(symbols):
        return tuple(symbols)
    counts: dict[str, int] = {}
    taken: set[str] = set()
    result: list[Symbol] = []
    for symbol in symbols:
        name = symbol.name
        count = counts.get(name, 0) + 1
        unique = name
        if count > 1 or name in taken:
            count = max(count, 2)
            while (unique := f"{name}#{count}") in taken:
                count += 1
            symbol = symbol._replace(name=unique)  # noqa: PLW2901
        counts[name] = count
        taken.add(unique)
        result.append(symbol)
    return tuple(result)
