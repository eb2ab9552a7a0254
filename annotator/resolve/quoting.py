"""Proposes the quote for lines that somebody points at: their statements, with as little context as tells them apart."""

from collections.abc import Iterator, Sequence
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
        if not meant or (way and _inside_long_string(text, groups[meant[0]])):
            continue  # a comment or a docstring: no code, but words
        start, end = meant[0], meant[-1]
        whole = _span(text, groups[start], groups[end]) <= LONGEST
        if not whole:
            end = start
        chosen = [token for group in groups[start : end + 1] for token in group]
        if _span(text, groups[start], groups[end]) > LONGEST:
            chosen = _on_lines(text, chosen, first, min(last, first + LONGEST - 1))
        while _length(text, chosen) < SHORTEST and (start > 0 or end + 1 < len(groups)):
            if end + 1 < len(groups):
                end += 1
                chosen = [*chosen, *groups[end]]
            else:
                start -= 1
                chosen = [*groups[start], *chosen]
        quote = _unique(text, language, way, chosen[0], chosen[-1])
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
    tokens = positioned(text, way)
    begin = next(at for at, token in enumerate(tokens) if token.start == first.start)
    end = next(at for at, token in enumerate(tokens) if token.end == last.end) + 1
    ways_to_write = (
        _laid_out(text, way, tokens[begin:end]),
        text[first.start : last.end],
    )
    for before, after in _contexts():
        if before > begin or end + after > len(tokens):
            continue
        prefix = _in_one_line(text, tokens[begin - before : begin])
        suffix = _in_one_line(text, tokens[end : end + after])
        for exact in ways_to_write:
            spots = occurrences(text, language, exact, prefix, suffix)
            if [spot.start for spot in spots] == [first.start]:
                return Quote(exact=exact, prefix=prefix, suffix=suffix)
    return None


def _contexts() -> Iterator[tuple[int, int]]:
    """Tokens before and behind, the least first; what stands before is read first."""
    yield 0, 0
    for size in range(1, _CONTEXT + 1):
        yield size, 0
        yield 0, size
    for size in range(1, _CONTEXT + 1):
        yield size, size


def _in_one_line(text: str, tokens: Sequence[Token]) -> str:
    """Tokens with at most a blank between them: no line ends, and no comments that would swallow code."""
    ends = [tokens[0].start if tokens else 0, *(token.end for token in tokens)]
    return "".join(
        token.text if token.start == end else f" {token.text}"
        for end, token in zip(ends, tokens, strict=False)
    )


def _laid_out(text: str, way: str, tokens: Sequence[Token]) -> str:
    """One statement in one line; several without the indentation that they share."""
    start = tokens[0].start
    lines = text[start : tokens[-1].end].split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    if not indents or len(statements("\n".join(lines), way)) == 1:
        return _in_one_line(text, tokens)
    common = min([start - text.rfind("\n", 0, start) - 1, *indents])
    return "\n".join([lines[0].rstrip(), *(line[common:].rstrip() for line in lines[1:])])


def _meets(text: str, group: list[Token], first: int, last: int) -> bool:
    return _first_line(text, group) <= last and _last_line(text, group) >= first


def _on_lines(text: str, tokens: list[Token], first: int, last: int) -> list[Token]:
    """The tokens on some lines, of a statement that is too long to be quoted."""
    found = [token for token in tokens if _meets(text, [token], first, last)]
    return found or tokens


def _inside_long_string(text: str, group: list[Token]) -> bool:
    return len(group) == 1 and _span(text, group, group) > _DOCSTRING_LINES


def _span(text: str, first: list[Token], last: list[Token]) -> int:
    """Number of lines from one statement to another."""
    return _last_line(text, last) - _first_line(text, first) + 1


def _first_line(text: str, group: list[Token]) -> int:
    return text.count("\n", 0, group[0].start) + 1


def _last_line(text: str, group: list[Token]) -> int:
    return text.count("\n", 0, group[-1].end) + 1


def _length(text: str, tokens: list[Token]) -> int:
    return len(_in_one_line(text, tokens))
