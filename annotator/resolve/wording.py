"""Says in a few words what differs between two texts: the lines or tokens themselves, not a percentage."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from sys import intern

from annotator.resolve.lexing import each_positioned
from annotator.resolve.similarity import kept_in_order

_LINE = 90
_WHOLE = 200
_MATCHED = 4_000 * 4_000
"""Largest product of two lengths that is matched in order: that takes the square of them at least."""


def likeness_of(old: Sequence[str], new: Sequence[str]) -> float:
    """Share of words kept in order, to three digits; what differs is never 1."""
    similarity = round(kept_in_order(old, new), 3)
    return similarity if list(old) == list(new) else min(similarity, 0.999)


def shortened(text: str, limit: int = _WHOLE) -> str:
    """The text in one line, cut at a limit."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def changed_lines(old_text: str, new_text: str, language: str) -> str:
    """How many lines of code went and came, and the first of them: `-1 +2 lines: -if a: +if a and b:`.

    Lines count as equal when their code does; comments and layout inside a line do not matter.
    """
    old, new = _code_lines(old_text, language), _code_lines(new_text, language)
    removed: list[str] = []
    added: list[str] = []
    for went, came in _differing([code for code, _ in old], [code for code, _ in new]):
        removed += [old[at][1] for at in went]
        added += [new[at][1] for at in came]
    if not removed and not added:
        return "the same lines, laid out on other levels"
    count = " ".join(
        f"{sign}{len(lines)}" for sign, lines in (("-", removed), ("+", added)) if lines
    )
    first = " ".join(
        f"{sign}{shortened(lines[0], _LINE)}"
        for sign, lines in (("-", removed), ("+", added))
        if lines
    )
    unit = "line" if len(removed) + len(added) == 1 else "lines"
    return f"{count} {unit}: {first}"


@lru_cache(maxsize=16)  # on a trace each version of a text is compared twice
def _code_lines(text: str, language: str) -> Sequence[tuple[str, str]]:
    """Each line with code on it: its tokens joined, and itself."""
    by_line: dict[int, list[str]] = {}
    offset, number = 0, 0
    for token in each_positioned(text, language):
        number += text.count("\n", offset, token.start)
        offset = token.start
        by_line.setdefault(number, []).append(intern(token.text))
    lines = text.split("\n")
    return [(" ".join(tokens), lines[number].strip()) for number, tokens in by_line.items()]


def changed_tokens(old: Sequence[str], new: Sequence[str]) -> str:
    """The tokens that went and came: `-int n, +bool flag`."""
    pieces: list[str] = []
    for went, came in _differing(old, new):
        for sign, tokens in (("-", [old[at] for at in went]), ("+", [new[at] for at in came])):
            text = _spaced([token for token in tokens if token.strip()])
            if text.strip(" ,"):
                pieces.append(sign + text.strip(" ,"))
    return shortened(", ".join(dict.fromkeys(pieces)))


def _differing(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Where the words are that went, and those that came, each pair from one place; of very many words whatever place."""
    if len(old) * len(new) <= _MATCHED:
        for tag, old_from, old_to, new_from, new_to in SequenceMatcher(
            None, old, new, False
        ).get_opcodes():
            if tag != "equal":
                yield range(old_from, old_to), range(new_from, new_to)
        return
    before, after = Counter(old), Counter(new)
    yield list(_first(old, before - after)), list(_first(new, after - before))


def _first(words: Sequence[str], wanted: Counter[str]) -> Iterator[int]:
    """Where the first so many of each word are."""
    for at, word in enumerate(words):
        if wanted[word] > 0:
            wanted[word] -= 1
            yield at


def _spaced(tokens: Sequence[str]) -> str:
    text = " ".join(tokens).replace("\0", "…")
    text = re.sub(r"\s*(::|->|\.)\s*", r"\1", text)
    text = re.sub(r"([(\[<])\s+", r"\1", text)
    return re.sub(r"\s+([)\],;>*&])", r"\1", text)
