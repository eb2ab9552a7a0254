"""Proposes the quote for lines that somebody points at: their statements, with as little context as tells them apart."""

from collections.abc import Iterator
from typing import NamedTuple

from annotator.model.anchor import Quote
from annotator.resolve.lexing import Token, positioned
from annotator.resolve.quotes import occurrences, statements

SHORTEST = 8
"""Characters below which a quote says too little to be found again; a neighbour is then taken in."""

LONGEST = 12
"""Most lines that are quoted whole. Of more, the first statement stands for all."""

_CONTEXT = 24
"""Most tokens of context on each side."""

_DOCSTRING_LINES = 3
"""A string of more lines is a text of its own, in which a line is quoted word by word."""


class Proposal(NamedTuple):
    """A quote for some lines.

    Attributes:
        quote: stands exactly once in the text.
        whole: whether it quotes all the lines; else it begins them.
    """

    quote: Quote
    whole: bool


def propose_quote(text: str, language: str, first: int, last: int) -> Proposal | None:
    """The quote that means the lines from `first` to `last` of `text`.

    Args:
        text: text of the place that the quote refines.
        language: its language.
        first: 1-based.
        last: inclusive.

    Returns:
        None if there is nothing to quote, or nothing that tells it from its equals.
    """
    for way in dict.fromkeys((language, "")):
        groups = statements(text, way)
        meant = [at for at, group in enumerate(groups) if _meets(text, group, first, last)]
        if not meant or (way and _inside_long_string(text, groups[meant[0]], first)):
            continue  # a comment or a docstring: no code, but words
        start, end = meant[0], meant[-1]
        whole = _last_line(text, groups[end]) - _first_line(text, groups[start]) < LONGEST
        if not whole:
            end = start
        while _length(text, groups[start][0], groups[end][-1]) < SHORTEST and len(groups) > 1:
            start, end = (start, end + 1) if end + 1 < len(groups) else (start - 1, end)
            if start < 0:
                return None
        quote = _unique(text, language, way, groups[start][0], groups[end][-1])
        return Proposal(quote, whole) if quote else None
    return None


def header_end(text: str, language: str) -> int:
    """Line, from 1, at which the declaration that begins `text` ends; decorators are part of it."""
    groups = statements(text, language)
    for group in groups:
        if group[0].text != "@":
            return _last_line(text, group)
    return 1


def _unique(text: str, language: str, way: str, first: Token, last: Token) -> Quote | None:
    exact = text[first.start : last.end]
    tokens = positioned(text, way)
    begin = next(at for at, token in enumerate(tokens) if token.start == first.start)
    end = next(at for at, token in enumerate(tokens) if token.end == last.end) + 1
    for before, after in _contexts():
        if (before and begin < before) or (after and len(tokens) < end + after):
            continue
        prefix = text[tokens[begin - before].start : tokens[begin - 1].end] if before else ""
        suffix = text[tokens[end].start : tokens[end + after - 1].end] if after else ""
        for spelling in (_in_one_line, str):
            parts = [spelling(part) for part in (exact, prefix, suffix)]
            spots = occurrences(text, language, *parts)
            if [spot.start for spot in spots] == [first.start]:
                return Quote(exact=parts[0], prefix=parts[1], suffix=parts[2])
    return None


def _contexts() -> Iterator[tuple[int, int]]:
    """Tokens before and behind, the least first; what stands before is read first."""
    yield 0, 0
    for size in range(1, _CONTEXT + 1):
        yield size, 0
        yield 0, size
    for size in range(1, _CONTEXT + 1):
        yield size, size


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _meets(text: str, group: list[Token], first: int, last: int) -> bool:
    return _first_line(text, group) <= last and _last_line(text, group) >= first


def _inside_long_string(text: str, group: list[Token], line: int) -> bool:
    long = _last_line(text, group) - _first_line(text, group) >= _DOCSTRING_LINES
    return long and len(group) == 1 and line >= _first_line(text, group)


def _first_line(text: str, group: list[Token]) -> int:
    return text.count("\n", 0, group[0].start) + 1


def _last_line(text: str, group: list[Token]) -> int:
    return text.count("\n", 0, group[-1].end) + 1


def _length(text: str, first: Token, last: Token) -> int:
    return len(_in_one_line(text[first.start : last.end]))
