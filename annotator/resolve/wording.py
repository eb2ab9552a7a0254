"""Says in a few words what differs between two texts: the lines or tokens themselves, not a percentage."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from rapidfuzz.distance import Indel

from annotator.resolve.lexing import positioned

_LINE = 90
_WHOLE = 200


def likeness_of(old: Sequence[str], new: Sequence[str]) -> float:
    """Share of words kept in order, to three digits; what differs is never 1."""
    similarity = round(Indel.normalized_similarity(old, new), 3)
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
    matcher = SequenceMatcher(None, [code for code, _ in old], [code for code, _ in new], False)
    removed: list[str] = []
    added: list[str] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            removed += [line for _, line in old[old_from:old_to]]
            added += [line for _, line in new[new_from:new_to]]
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


def _code_lines(text: str, language: str) -> list[tuple[str, str]]:
    """Each line with code on it: its tokens joined, and itself."""
    by_line: dict[int, list[str]] = {}
    offset, number = 0, 0
    for token in positioned(text, language):
        number += text.count("\n", offset, token.start)
        offset = token.start
        by_line.setdefault(number, []).append(token.text)
    lines = text.split("\n")
    return [(" ".join(tokens), lines[number].strip()) for number, tokens in by_line.items()]


def changed_tokens(old: Sequence[str], new: Sequence[str]) -> str:
    """The tokens that went and came: `-int n, +bool flag`."""
    pieces: list[str] = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(
        None, old, new, False
    ).get_opcodes():
        if tag == "equal":
            continue
        for sign, tokens in (("-", old[old_from:old_to]), ("+", new[new_from:new_to])):
            text = _spaced([token for token in tokens if token.strip()])
            if text.strip(" ,"):
                pieces.append(sign + text.strip(" ,"))
    return shortened(", ".join(dict.fromkeys(pieces)))


def _spaced(tokens: Sequence[str]) -> str:
    text = " ".join(tokens).replace("\0", "…")
    text = re.sub(r"\s*(::|->|\.)\s*", r"\1", text)
    text = re.sub(r"([(\[<])\s+", r"\1", text)
    return re.sub(r"\s+([)\],;>*&])", r"\1", text)
