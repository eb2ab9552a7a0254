"""Finds a quoted statement again inside a text, by its tokens.

Tokens make the search blind to wrapping and indentation. An edited statement is found by approximate string
matching (rapidfuzz) of whole statements.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from statistics import median_low
from typing import NamedTuple

from rapidfuzz import fuzz

from annotator.resolve.lexing import Token, positioned

_CLOSING = frozenset(")]}")
_PROSE = frozenset({"markdown", "rst", ""})
_PARENTHESES = {"(": 1, "[": 1, ")": -1, "]": -1}
_BRACKETS = _PARENTHESES | {"{": 1, "}": -1}
_LONGER = 6.0
"""How much closer, in percent, one statement more must be to be taken in."""
_MANY = 12
"""Statements from which a passage is aligned as a whole: comparing every window of as many would take minutes."""
_LONG = 2_000
"""Characters from which splitting a text into tokens takes longer than compiling an expression that rules it out."""
_FIRST = 12
"""Tokens of a quote that are looked for as text before a long text is split into tokens."""
_BETWEEN = r"(?:[\s,\\]|#[^\n]*\n|//[^\n]*\n|/\*.*?\*/|<!--.*?-->)*"
"""What can stand between two tokens of any language: white space, comments, a comma that does not count."""
_EDITED = 62.0
"""Lowest likeness, in percent, of a statement that counts as the edited form of the quoted one."""
_SURELY = 80.0
"""Likeness, in percent, from which a statement may be the edited form without a name in common."""
_NO_NAMES = frozenset({"self", "return", "await", "async", "None", "True", "False", "this", "auto"})


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


def _significant(tokens: Sequence[Token]) -> list[Token]:
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
    wanted = [token.text for token in _significant(positioned(exact, language))]
    if wanted[-1:] == [","]:
        wanted.pop()  # it may be such a comma
    if not wanted:
        return []
    if len(text) > _LONG and not _can_stand(tuple(wanted[:_FIRST])).search(text):
        return []
    tokens = _significant(positioned(text, language))
    words = [token.text for token in tokens]
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


@lru_cache(maxsize=256)
def _can_stand(wanted: tuple[str, ...]) -> re.Pattern[str]:
    """What a text must match in which tokens stand one after the other; far quicker than all its tokens."""
    return re.compile(_BETWEEN.join(map(re.escape, wanted)), re.DOTALL)


def edited_form(text: str, language: str, exact: str, old_text: str = "") -> Spot | None:
    """The statements of `text` that most resemble `exact`, if they resemble it enough.

    As many statements as the quote has are compared at a time, and one more where that is clearly closer. A quote
    of many statements is aligned with the text statement by statement instead.

    Args:
        text: text to search.
        language: its language.
        exact: the quoted statement.
        old_text: the text that the quote stood in; statements that stood in it already are nothing new.
    """
    known = {_joined(statement) for statement in statements(old_text, language)}
    wanted = _joined(positioned(exact, language))
    if language and not wanted:  # only comments
        return edited_form(text, "", exact, old_text)
    found_here = statements(text, language)
    if not found_here or not wanted:
        return None
    quoted = statements(exact, language)
    count = max(1, len(quoted))
    if count > _MANY:
        return _aligned(text, quoted, found_here)
    telling = _names(token for statement in quoted for token in statement)
    best: tuple[float, float, list[Token]] | None = None
    for size in (count, count + 1):
        for index in range(len(found_here) - size + 1):
            group = found_here[index : index + size]
            if all(_joined(statement) in known for statement in group):
                continue
            window = [token for statement in group for token in statement]
            found = _joined(window)
            alike = fuzz.partial_ratio(wanted, found) if len(found) > len(wanted) else 0.0
            alike = max(alike, fuzz.ratio(wanted, found)) - _LONGER * (size - count)
            closeness = fuzz.ratio(wanted, found)
            if telling and alike < _SURELY and telling.isdisjoint(_names(window)):
                continue
            if alike >= _EDITED and (best is None or (alike, closeness) > best[:2]):
                best = (alike, closeness, window)
    if best is None:
        return None
    start, end = best[2][0].start, best[2][-1].end
    return Spot(start, end, round(best[0] / 100, 3), text[start:end])


def _aligned(
    text: str, quoted: Sequence[list[Token]], found_here: Sequence[list[Token]]
) -> Spot | None:
    """The passage that most statements of a long quote went to.

    Equal statements are paired in order. Most pairs of one passage lie about the same distance apart, so those that lie
    elsewhere, such as a plain `return`, are left out.
    """
    wanted = [_joined(statement) for statement in quoted]
    found = [_joined(statement) for statement in found_here]
    blocks = SequenceMatcher(a=wanted, b=found, autojunk=False).get_matching_blocks()
    pairs = [(a + i, b + i) for a, b, size in blocks for i in range(size)]
    if not pairs:
        return None
    usual = median_low(there - here for here, there in pairs)
    near = [there for here, there in pairs if abs(there - here - usual) <= len(wanted) // 2]
    first, last = min(near), max(near)
    alike = fuzz.ratio(" ".join(wanted), " ".join(found[first : last + 1]))
    if alike < _EDITED:
        return None
    start, end = found_here[first][0].start, found_here[last][-1].end
    return Spot(start, end, round(alike / 100, 3), text[start:end])


def _names(tokens: Iterable[Token]) -> set[str]:
    """The names of a statement that say what it is about."""
    words = {token.text for token in tokens if len(token.text) > 3 and token.text.isidentifier()}
    return words - _NO_NAMES


def _joined(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)


@lru_cache(maxsize=64)
def statements(text: str, language: str) -> Sequence[list[Token]]:
    """Tokens by logical line: a line goes on while a bracket is open; in prose every line is one."""
    pairs = {} if language in _PROSE else _BRACKETS if language == "python" else _PARENTHESES
    groups: list[list[Token]] = []
    depth, last_end = 0, 0
    for token in positioned(text, language):
        if not groups or (depth == 0 and "\n" in text[last_end : token.start]):
            groups.append([])
        groups[-1].append(token)
        depth = max(0, depth + pairs.get(token.text, 0))
        last_end = token.end
    return groups


def line_range(text: str, spot: Spot, first_line: int) -> tuple[int, int]:
    """Lines of a spot, given the number of the text's first line."""
    start = first_line + text.count("\n", 0, spot.start)
    return start, start + text.count("\n", spot.start, spot.end)
