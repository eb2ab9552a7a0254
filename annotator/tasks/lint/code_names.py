"""The names of code that a text mentions in backticks."""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class NameKind(StrEnum):
    """How a name is written.

    `name`: `one`, `Some.member`, `ns::Type::member` or `metrics:total`. `option`: `--like-this`.
    `path`: a file or folder, with or without the folders before it. `pattern`: a name with a gap,
    such as `supports_*`.
    """

    NAME = "name"
    OPTION = "option"
    PATH = "path"
    PATTERN = "pattern"


class CodeName(NamedTuple):
    """A name of code.

    Attributes:
        kind: how it is written.
        text: the name as written.
    """

    kind: NameKind
    text: str


_SPAN = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_STRING = re.compile(r"(['\"])((?:\\.|(?!\1)[^\\])*)\1")
_NOT_NAMES = re.compile(r"\b[a-z]+://\S*|(?<![\w.])v?\d+(?:\.\d+)+[\w.+-]*", re.ASCII)
"""Addresses, and versions with what is glued to them."""

_PIECE = r"[A-Za-z_]\w+"
GAP = re.compile(r"\*|…|\{\w*\}|<\w*>", re.ASCII)
"""Stands in a name for any letters."""

_GAP = rf"(?:{GAP.pattern})"
_FILE = (
    r"\.(?:py|pyi|cu|cuh|c|cc|cpp|cxx|h|hpp|rs|go|md|mdx|rst|txt|toml|cmake|sh|proto)\b(?![(\w])"
)
_TOKENS = re.compile(
    rf"""
      (?P<option> (?<![\w-]) --[A-Za-z][\w-]*\*? )
    | (?P<path>
          (?<![\w/]) [\w.@-]+/ (?:(?:[\w.@-]|{_GAP})+/)*      # folders, and then
          (?: (?:[\w.@-]|{_GAP})* \.\w{{1,5}}\b | (?![\w(*…{{<]) )  # a file, or nothing
        | (?<![\w/]) [\w*.-]*\w{_FILE}
      )
    | (?P<pattern> (?<!\w) (?:{_PIECE}_{_GAP}|{_GAP}_\w+) (?:\w|{_GAP})* )
    | (?P<name> (?<!\w) {_PIECE} (?:(?:\.|::?){_PIECE})* )
    """,
    re.ASCII | re.VERBOSE,
)
_SINGLE = re.compile(rf"(?!.*{_FILE}){_PIECE}(?:(?:\.|::){_PIECE})*(?:\(\))?", re.ASCII)
_LOOKS_LIKE_CODE = re.compile(r"_|[a-z][A-Z]|[A-Z]{3}|[A-Za-z]{2}(?:\.|::)[A-Za-z]{2}")
_KEY = re.compile(r"[A-Za-z]\w*_\w+", re.ASCII)
SHORTEST = 3
"""Letters below which an identifier says too little to be looked up."""


@lru_cache(maxsize=8192)
def code_names(text: str) -> tuple[CodeName, ...]:
    """The names in the code spans of a text, each once, in order of appearance.

    A span that is one name counts whatever it looks like. From an expression or a command come only words
    that cannot be prose or made-up values: with an underscore, inner capitals, or dots. Values in
    quotation marks, numbers, versions and names of fewer than three letters are no names of code.
    """
    found = (name for span in _SPAN.finditer(text) for name in _names_in(span["code"]))
    return tuple(dict.fromkeys(found))


def _names_in(code: str) -> Iterator[CodeName]:
    if _SINGLE.fullmatch(code):
        name = code.removesuffix("()")
        if len(name) >= SHORTEST:
            yield CodeName(NameKind.NAME, name)
        return
    plain = _NOT_NAMES.sub(" ", _STRING.sub(_key_only, code))
    for match in _TOKENS.finditer(plain):
        kind = NameKind(match.lastgroup or NameKind.NAME)
        text = match[0]
        if kind is NameKind.PATH and "/" not in text and not code.startswith(text):
            continue  # an argument of a command: `python made_up.py`
        if kind is NameKind.NAME and (len(text) < SHORTEST or not _LOOKS_LIKE_CODE.search(text)):
            continue
        yield CodeName(kind, text)


def _key_only(string: re.Match[str]) -> str:
    """What stays of a string literal: a key such as `"cache_salt"`, but no value."""
    return string[2] if _KEY.fullmatch(string[2]) else " "
