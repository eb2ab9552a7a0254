"""Finds a quoted statement again inside a text, by its tokens.

Tokens make the search blind to wrapping and indentation. An edited statement is found by approximate string
matching (rapidfuzz's partial alignment).
"""

from typing import NamedTuple

from rapidfuzz import fuzz

from annotator.resolve.lexing import Token, positioned

_CLOSING = frozenset(")]}")
_EDITED = 62.0
"""Lowest likeness, in percent, of a statement that counts as the edited form of the quoted one."""


class Spot(NamedTuple):
    """Where a quote is in a text.

    Attributes:
        start: offset of its first character.
        end: offset one past its last character.
        similarity: likeness to the quote, 0 to 1; 1 is the same code.
        text: the text there.
    """

    start: int
    end: int
    similarity: float
    text: str


def _significant(tokens: list[Token]) -> list[Token]:
    """Without the trailing comma that formatters add and remove before a closing bracket."""
    return [
        token
        for index, token in enumerate(tokens)
        if not (
            token.text == "," and index + 1 < len(tokens) and tokens[index + 1].text in _CLOSING
        )
    ]


def occurrences(
    text: str, language: str, exact: str, prefix: str = "", suffix: str = ""
) -> list[Spot]:
    """Every place where `exact` stands in `text`, with the given neighbours if any has them.

    Code is looked at first. A quote that is no code there is looked for word by word, which finds it in
    docstrings and comments too.

    Args:
        text: text to search.
        language: its language.
        exact: the quoted statement.
        prefix: code right before it.
        suffix: code right after it.
    """
    return _occurrences(text, language, exact, prefix, suffix) or _occurrences(
        text, "", exact, prefix, suffix
    )


def _occurrences(text: str, language: str, exact: str, prefix: str, suffix: str) -> list[Spot]:
    tokens = _significant(positioned(text, language))
    words = [token.text for token in tokens]
    wanted = [token.text for token in _significant(positioned(exact, language))]
    if not wanted:
        return []
    before = [token.text for token in _significant(positioned(prefix, language))]
    after = [token.text for token in _significant(positioned(suffix, language))]
    length = len(wanted)
    hits = [
        index
        for index, word in enumerate(words)
        if word == wanted[0] and words[index : index + length] == wanted
    ]
    framed = [
        index
        for index in hits
        if words[max(0, index - len(before)) : index] == before
        and words[index + length : index + length + len(after)] == after
    ]
    spots = []
    for index in framed or hits:
        start, end = tokens[index].start, tokens[index + length - 1].end
        spots.append(Spot(start, end, 1.0, text[start:end]))
    return spots


def edited_form(text: str, language: str, exact: str) -> Spot | None:
    """The passage of `text` that most resembles `exact`, if it resembles it enough."""
    tokens = positioned(text, language)
    wanted = " ".join(token.text for token in positioned(exact, language))
    if not tokens or not wanted:
        return None
    joined = " ".join(token.text for token in tokens)
    alignment = fuzz.partial_ratio_alignment(wanted, joined, score_cutoff=_EDITED)
    if alignment is None:
        return None
    first, last = _covered(tokens, alignment.dest_start, alignment.dest_end)
    start, end = tokens[first].start, tokens[last].end
    start, end = _whole_lines(text, start, end)
    passage = text[start:end]
    return Spot(start, end, round(alignment.score / 100, 3), passage)


def _covered(tokens: list[Token], start: int, end: int) -> tuple[int, int]:
    """Indexes of the first and last token inside a range of the space-joined tokens."""
    offset, first, last = 0, None, 0
    for index, token in enumerate(tokens):
        middle = offset + len(token.text) / 2
        if start <= middle < end:
            first = index if first is None else first
            last = index
        offset += len(token.text) + 1
    return (first if first is not None else 0), max(last, first or 0)


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    end = len(text) if stop < 0 else stop
    return start + len(text[start:end]) - len(text[start:end].lstrip()), end


def line_range(text: str, spot: Spot, first_line: int) -> tuple[int, int]:
    """Lines of a spot, given the number of the text's first line."""
    start = first_line + text.count("\n", 0, spot.start)
    return start, start + text.count("\n", spot.start, spot.end)
