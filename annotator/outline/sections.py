"""Headings of a document to sections: names along the path of titles, ranges to the next heading."""

from collections.abc import Iterable
from typing import NamedTuple

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.reading import NAMES_LIMIT, Reading, Source
from annotator.outline.text import line_starts


class Heading(NamedTuple):
    """One heading, in document order.

    Attributes:
        title: its text as written, on one line.
        level: 1 for the highest.
        row: its first line, from 0; the overline if it has one.
        anchor: an id that the author gave it, or an empty string.
    """

    title: str
    level: int
    row: int
    anchor: str = ""


def read_sections(source: Source, headings: Iterable[Heading]) -> Reading:
    """One symbol a heading, from its line to the last non-blank line before the next of its level or above."""
    lines = source.data.split(b"\n")
    starts = line_starts(source.data)
    last_row = len(lines) - 1
    open_sections: list[tuple[Heading, str]] = []
    symbols: list[Symbol] = []
    room = NAMES_LIMIT

    def close(level: int, row: int) -> None:
        while open_sections and open_sections[-1][0].level >= level:
            heading, name = open_sections.pop()
            end = row
            while not lines[end].strip():
                end -= 1
            start_byte = starts[heading.row] + _indent(lines[heading.row])
            end_byte = starts[end] + len(lines[end].rstrip())
            symbols.append(
                Symbol(
                    name,
                    SymbolKind.HEADING,
                    heading.row + 1,
                    end + 1,
                    start_byte,
                    end_byte,
                    heading.anchor,
                )
            )

    for heading in headings:
        close(heading.level, heading.row - 1)
        parent = f"{open_sections[-1][1]} > " if open_sections else ""
        name = parent + heading.title
        room -= len(name)
        if room < 0:
            close(1, last_row)
            return Reading(symbols, ["its titles together are too long; the rest is left out"])
        open_sections.append((heading, name))
    close(1, last_row)
    return Reading(symbols, [])


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
