"""Preprocessor lines of C source, and the source without what they do to its syntax tree.

A grammar of C++ does not know macros. The branches of `#if … #else … #endif` are alternatives that it has to
read one after the other, and when they open or close braces differently, everything behind them lands inside
the wrong function. So directives are read here, and blanked before parsing where they do harm.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"""
      /\*(?:.*?\*/|.*)                      # comments and strings come first: no directive starts in them
    | //[^\n]*
    | "(?:\\.|[^"\\\n])*"
    | '(?:\\.|[^'\\\n])'
    | ^[ \t]*(?P<directive>\#[ \t]*
        (?P<word>define|if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[ \t]*
        (?P<rest>(?:[^\n]*?\\\r?\n)*[^\n]*))
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_NEVER = re.compile(rb"(?:0|false)\s*(?://|/\*|$)")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(
    rb"\b__(?:launch_bounds|align)__\s*\((?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,200}\)){0,200}\)"
)
_WORD_BEFORE_DECLARATION = re.compile(
    rb"""
    ^([ \t]*) (?=\w{6})
    ( [A-Z][A-Z0-9]*_[A-Z0-9_]+
    | __(?!(?:global|device|host|forceinline|noinline|inline|shared|constant|managed|extension|attribute)__)\w+__
    )
    (?=[ \t]+(?!operator\b)[A-Za-z_])
    """,
    re.MULTILINE | re.VERBOSE,
)
_NOT_LINE_END = re.compile(rb"[^\r\n]")


class Directive(NamedTuple):
    """A preprocessor line with its continuation lines.

    Attributes:
        word: `define`, `if`, `ifdef`, …
        rest: what follows the word.
        start: offset of its `#`.
        end: offset one past its last byte.
    """

    word: bytes
    rest: bytes
    start: int
    end: int

    @property
    def macro(self) -> bytes:
        """Name of the macro that it defines, or nothing."""
        name = _IDENTIFIER.match(self.rest) if self.word == b"define" else None
        return name[0] if name else b""


class OneBranch(NamedTuple):
    """A text with one branch of each conditional.

    Attributes:
        data: the text, of the same length and lines; the other branches are blank.
        left_out: byte ranges of the other branches, in order.
    """

    data: bytes
    left_out: list[tuple[int, int]]


class _Branch(NamedTuple):
    kept: bool
    any_kept: bool


def directives(data: bytes) -> Iterator[Directive]:
    """The definitions of macros and the conditionals of a text, in order."""
    for match in _TOKEN.finditer(data):
        if match["directive"]:
            yield Directive(match["word"], match["rest"], match.start("directive"), match.end())


def plain(data: bytes, found: list[Directive]) -> bytes:
    """A text of the same length and lines without macro definitions and CUDA's attributes with arguments."""
    macros = [directive for directive in found if directive.word == b"define"]
    blanked = _blanked(data, [(macro.start, macro.end) for macro in macros])
    return _ATTRIBUTE.sub(lambda match: _blank(match[0]), blanked)


def one_branch(data: bytes, found: list[Directive]) -> OneBranch:
    """Keeps the first branch of each conditional, or the second if the first is `#if 0`."""
    spans: list[tuple[int, int]] = []
    left_out: list[tuple[int, int]] = []
    branches: list[_Branch] = []
    skipping = 0
    at = 0
    for directive in found:
        if directive.word == b"define":
            continue
        if skipping:
            left_out.append((at, directive.start))
        spans.append((at if skipping else directive.start, directive.end))
        at = directive.end
        if directive.word.startswith(b"if"):
            branches.append(_first_branch(directive))
            skipping += not branches[-1].kept
        elif branches:
            before = branches.pop()
            skipping -= not before.kept
            if directive.word != b"endif":
                branches.append(_Branch(kept=not before.any_kept, any_kept=True))
                skipping += not branches[-1].kept
    if skipping:
        left_out.append((at, len(data)))
        spans.append((at, len(data)))
    return OneBranch(_WORD_BEFORE_DECLARATION.sub(_as_inline, _blanked(data, spans)), left_out)


def _first_branch(directive: Directive) -> _Branch:
    kept = directive.word != b"if" or _NEVER.match(directive.rest) is None
    return _Branch(kept, any_kept=kept)


def _as_inline(match: re.Match[bytes]) -> bytes:
    return match[1] + b"inline".ljust(len(match[2]))


def _blanked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    pieces: list[bytes] = []
    at = 0
    for start, end in spans:
        pieces += (data[at:start], _blank(data[start:end]))
        at = end
    return b"".join((*pieces, data[at:]))


def _blank(data: bytes) -> bytes:
    return _NOT_LINE_END.sub(b" ", data)
