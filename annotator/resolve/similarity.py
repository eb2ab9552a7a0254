"""How much two definitions are alike, as numbers between 0 and 1."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Indel

from annotator.resolve.lexing import lex

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SELF = "\0self"
_SHINGLE = 3
_ORDERED = 50_000 * 50_000
"""Largest product of two lengths whose order is looked at; it takes half a second."""


class Sketch(NamedTuple):
    """A definition reduced to what comparisons need.

    Attributes:
        tokens: its code tokens, its own name replaced by one that equals itself everywhere.
        shingles: hash of every run of three tokens: good for this process, and a third of the memory of the runs.
    """

    tokens: tuple[str, ...]
    shingles: frozenset[int]


@lru_cache(maxsize=4096)
def sketch(text: str, language: str, own_name: str) -> Sketch:
    """Reduces a definition called `own_name`, so that a mere rename changes nothing."""
    tokens = tuple(_SELF if token == own_name else token for token in lex(text, language).code)
    runs = zip(*(tokens[start:] for start in range(_SHINGLE)), strict=False)
    return Sketch(tokens, frozenset(map(hash, runs)) or frozenset({hash(tokens)}))


def quick_similarity(old: Sketch, new: Sketch) -> float:
    """Upper-bound-like estimate from shared shingles, for choosing what to compare in full.

    The larger of Dice's coefficient and nine tenths of containment of the smaller in the larger, so that a
    piece cut out of a definition is noticed.
    """
    shared = len(old.shingles & new.shingles)
    if not shared:
        return 0.0
    smaller = min(len(old.shingles), len(new.shingles))
    dice = 2 * shared / (len(old.shingles) + len(new.shingles))
    return max(dice, 0.9 * shared / smaller if smaller >= 20 else 0.0)


def token_similarity(old: Sketch, new: Sketch) -> float:
    """Share of tokens kept in order."""
    return kept_in_order(old.tokens, new.tokens)


def kept_in_order(old: Sequence[str], new: Sequence[str]) -> float:
    """Share of words kept in order: 2 × longest common subsequence over both lengths.

    Of texts of megabytes, for which that takes minutes, it is the share of words kept in any order.
    """
    if len(old) * len(new) <= _ORDERED:
        return Indel.normalized_similarity(old, new)
    return 2 * (Counter(old) & Counter(new)).total() / (len(old) + len(new))


def weight(tokens: int) -> float:
    """How much the likeness of texts of this many tokens proves: little for `X = 5`, all for a page."""
    return 1.0 - math.exp(-tokens / 25)


def words(name: str) -> tuple[str, ...]:
    """The words of an identifier or heading, in lower case: `getHTTPBlock` → get, http, block."""
    return tuple(word.lower() for word in _WORDS.findall(name))


@lru_cache(maxsize=16384)
def name_similarity(old: str, new: str) -> float:
    """Likeness of two names word by word, order mattering little: 1 when equal up to underscores."""
    if old == new:
        return 1.0
    old_words, new_words = words(old), words(new)
    if not old_words or not new_words:
        return 0.0
    if old_words == new_words:
        return 0.97
    order = Indel.normalized_similarity(old_words, new_words)
    shared = len(set(old_words) & set(new_words))
    dice = 2 * shared / (len(set(old_words)) + len(set(new_words)))
    letters = Indel.normalized_similarity("".join(old_words), "".join(new_words))
    return 0.95 * max(0.5 * order + 0.5 * dice, letters if letters > 0.8 else 0.0)


def path_similarity(old: str, new: str) -> float:
    """Likeness of two paths: 1 for the same, most weight on the file name and its nearest folders."""
    if old == new:
        return 1.0
    old_parts, new_parts = old.split("/"), new.split("/")
    stem = name_similarity(old_parts[-1].rsplit(".", 1)[0], new_parts[-1].rsplit(".", 1)[0])
    folders = Indel.normalized_similarity(old_parts[:-1], new_parts[:-1])
    return 0.5 * stem + 0.45 * folders
