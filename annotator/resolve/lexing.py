"""Tokens of source text, with comments kept apart: the common measure for comparing code.

One regular expression a language family. White space never becomes a token, so a token sequence is blind
to formatting, and a text that does not parse still has one.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple

_NAME_NUMBER = r"[^\W\d]\w*|\d[\w.]*(?:(?<=[eE])[+-]\d+)?"

_PYTHON = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<code>(?i:[rbuft]{0,2})(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
    r"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
    rf"|{_NAME_NUMBER}"
    r"|\*\*=?|//=?|>>=?|<<=?|->|:=|\.\.\.|[-+*/%&|^@=!<>]=|[^\s\\])"
    r"|\\",
    re.DOTALL,
)
_C_FAMILY = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<code>R\"(?P<raw>[^\s()\\]{0,16})\(.*?\)(?P=raw)\"|b?r(?P<hash>\#*)\".*?\"(?P=hash)"
    r"|[A-Za-z]{0,2}\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,9})'"
    rf"|{_NAME_NUMBER}"
    r"|<<<|>>>|<<=|>>=|::|->|=>|\.\.\.|\.\.=|&&|\|\||\+\+|--|<<|[-+*/%&|^=!<>]=|[^\s])",
    re.DOTALL,
)
_PROSE = re.compile(r"(?P<comment><!--.*?(?:-->|\Z))|(?P<code>\w+|[^\w\s])", re.DOTALL)

_LEXERS = {
    "python": _PYTHON,
    "cpp": _C_FAMILY,
    "rust": _C_FAMILY,
    "markdown": _PROSE,
    "rst": _PROSE,
}
_SHORTEST = 3
_DIGITS = b"0123456789"
_APART = bytes(
    byte if byte < 0x80 and (chr(byte).isalnum() or byte == ord("_")) else ord(" ")
    for byte in range(256)
)
"""Translates everything that no identifier holds into blanks: far quicker than a regular expression."""


class Token(NamedTuple):
    """One token and where it stands.

    Attributes:
        text: as written.
        start: offset of its first character.
        end: offset one past its last character.
    """

    text: str
    start: int
    end: int


class Lexed(NamedTuple):
    """The tokens of a text.

    Attributes:
        code: everything but comments and white space, in order.
        comments: the comments, in order.
    """

    code: tuple[str, ...]
    comments: tuple[str, ...]


@lru_cache(maxsize=64)
def positioned(text: str, language: str) -> Sequence[Token]:
    """The code tokens of `text` with their offsets."""
    return tuple(each_positioned(text, language))


def each_positioned(text: str, language: str) -> Iterator[Token]:
    """The same one by one, for texts of any size: the tokens together take thirty times its memory."""
    for match in _LEXERS.get(language, _PROSE).finditer(text):
        if match.lastgroup == "code":
            yield Token(match[0], *match.span())


@lru_cache(maxsize=4096)
def lex(text: str, language: str) -> Lexed:
    """Splits `text` into code tokens and comments."""
    code: list[str] = []
    comments: list[str] = []
    for match in _LEXERS.get(language, _PROSE).finditer(text):
        if (token := match["code"]) is not None:
            code.append(intern(token))
        elif (comment := match["comment"]) is not None:
            comments.append(comment)
    return Lexed(tuple(code), tuple(comments))


def identifiers(data: bytes) -> frozenset[bytes]:
    """The identifiers of at least three letters in a source text, comments and strings included."""
    return frozenset(
        word for word in words_of(data) if len(word) >= _SHORTEST and word[:1] not in _DIGITS
    )


def words_of(data: bytes) -> frozenset[bytes]:
    """The identifiers and numbers in a source text, of any length."""
    return frozenset(data.translate(_APART).split())
