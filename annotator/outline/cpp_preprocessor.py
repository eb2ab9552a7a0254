"""Preprocessor lines of C source, and the source without what they and macros do to its syntax tree.

A grammar of C++ does not know macros. The branches of `#if … #else … #endif` are alternatives that it has to
read one after the other, and when they open or close braces differently, everything behind them lands inside
the wrong function. So directives are read here, and blanked before parsing where they do harm; so are macros
in places where no word of C++ can stand.
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
    | \n[ \t]*+(?P<directive>\#[ \t]*
        (?P<word>define|if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[ \t]*
        (?P<rest>(?:[^\n]*?\\\r?\n)*[^\n]*))
    """,
    re.DOTALL | re.VERBOSE,
)
"""Each alternative begins with a character of its own, which makes searching several times as fast."""

_NEVER = re.compile(rb"(?:0|false)\s*(?://|/\*|$)")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(
    rb"__(?<!\w__)(?:launch_bounds|align)__\s*\((?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,200}\)){0,200}\)"
)
_CLASS_ATTRIBUTE = re.compile(
    rb"""
    (?: class(?<=\bclass) | struct(?<=\bstruct) | union(?<=\bunion) ) [ \t]++
    (?P<macros> (?: [A-Z][A-Z0-9_]{3,} (?:\([^()\n]{0,200}\))? [ \t]+ )+ )
    (?= \w+ \s* (?:final\s*)? [:{] )
    """,
    re.VERBOSE,
)
_THREAD_SAFETY = re.compile(
    rb"""
    \b (?:ABSL_)?
    (?: (?P<of_variable> (?:PT_)?GUARDED_(?:BY|VAR) | ACQUIRED_(?:BEFORE|AFTER) )
      | (?: REQUIRES | (?:TRY_)?ACQUIRE | RELEASE ) (?:_SHARED|_GENERIC)?
      | (?:EXCLUSIVE|SHARED)_LOCKS_REQUIRED | LOCKS_EXCLUDED | EXCLUDES
      | (?:ASSERT|ASSERT_SHARED|RETURN)_CAPABILITY | NO_THREAD_SAFETY_ANALYSIS
    ) \b
    (?: \s* \( (?: [^()] | \([^()]{0,200}\) ){0,200} \) )?
    """,
    re.VERBOSE,
)
"""The macros of Clang's thread safety analysis, as its documentation names them."""

_THREAD_SAFETY_STEMS = (
    b"ACQUIRE",
    b"EXCLUDES",
    b"GUARDED_",
    b"LOCKS_",
    b"RELEASE",
    b"REQUIRE",
    b"_CAPABILITY",
    b"_THREAD_SAFETY",
)
_END_OF_DECLARATOR = re.compile(rb"(?:\)|\b(?:const|noexcept|override|final))\s+\Z")
_END_OF_VARIABLE = re.compile(rb"[\w\])]\s+\Z")
_BLOCK_MACRO = re.compile(
    rb"""
      ^[ \t]* (?:[A-Z0-9]+_)* (?:BEGIN|END) (?:_[A-Z0-9]+)* [ \t]* \r?$
    | \bPy_(?:BEGIN|END)_ALLOW_THREADS\b
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Macros that open or close a namespace or a block, and stand without a semicolon."""

_BLOCK_STEMS = (b"BEGIN", b"END")

_WORD_BEFORE_DECLARATION = re.compile(
    rb"""
    (\n[ \t]*+) (?=\S{6})
    ( \[\[[^\[\]\n]*\]\]
    | [A-Z][A-Z0-9]*_[A-Z0-9_]+
    | __(?!(?:global|device|host|forceinline|noinline|inline|shared|constant|managed|extension|attribute)__)\w+__
    )
    (?=[ \t]+(?!operator\b)[A-Za-z_])
    """,
    re.VERBOSE,
)
_INNER_END = re.compile(rb">(?=\s*[,>])")
_ARGUMENTS = re.compile(rb"\w<(?:[^<>(){};]|\([^<>(){};]*\))*>")
_ARGUMENTS_LIMIT = 500
_LOOK_BACK = 200
_BLANKS = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))


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
    for match in _TOKEN.finditer(b"\n" + data):
        if match["directive"]:
            start = match.start("directive") - 1
            yield Directive(match["word"], match["rest"], start, match.end() - 1)


def plain(data: bytes, found: list[Directive]) -> bytes:
    """A text of the same length and lines without macro definitions and attributes that the grammar misreads.

    Those are CUDA's attributes with arguments and macros between `class` and the name.
    """
    macros = [directive for directive in found if directive.word == b"define"]
    blanked = _blanked(data, [(macro.start, macro.end) for macro in macros])
    blanked = _ATTRIBUTE.sub(_blank_match, blanked)
    return _blanked(blanked, [match.span("macros") for match in _CLASS_ATTRIBUTE.finditer(blanked)])


def one_branch(data: bytes, found: list[Directive]) -> OneBranch:
    """Keeps the first branch of each conditional, or the second if the first is `#if 0`.

    What else leads the grammar astray goes too: macros that stand where no word of C++ can are blanked, or
    replaced by `inline`, and so are the inner arguments of nested templates.
    """
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
    kept = _blanked(data, spans)
    if any(stem in kept for stem in _THREAD_SAFETY_STEMS):
        kept = _THREAD_SAFETY.sub(_blank_annotation, kept)
    if any(stem in kept for stem in _BLOCK_STEMS):
        kept = _BLOCK_MACRO.sub(_blank_match, kept)
    kept = _WORD_BEFORE_DECLARATION.sub(_as_inline, b"\n" + kept)[1:]
    return OneBranch(_without_inner_arguments(kept), left_out)


def _first_branch(directive: Directive) -> _Branch:
    kept = directive.word != b"if" or _NEVER.match(directive.rest) is None
    return _Branch(kept, any_kept=kept)


def _without_inner_arguments(data: bytes) -> bytes:
    """Blanks `<C>` in `A<B<C>>` and `A<B<C>, D>`, which the grammar may take for comparisons and shifts.

    The inner ones end first, so in one pass from left to right each becomes the innermost in its turn.
    """
    text = bytearray(data)
    for match in _INNER_END.finditer(data):
        end = match.end()
        start = text.rfind(b"<", max(0, end - _ARGUMENTS_LIMIT), end)
        if start > 0 and _ARGUMENTS.fullmatch(text, start - 1, end):
            text[start:end] = _blank(bytes(text[start:end]))
    return bytes(text)


def _blank_match(match: re.Match[bytes]) -> bytes:
    return _blank(match[0])


def _blank_annotation(match: re.Match[bytes]) -> bytes:
    """Blanks a macro behind a declarator; elsewhere it is a name like any other."""
    end = _END_OF_VARIABLE if match["of_variable"] else _END_OF_DECLARATOR
    before = match.string[max(0, match.start() - _LOOK_BACK) : match.start()]
    return _blank(match[0]) if end.search(before) else match[0]


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
    return data.translate(_BLANKS)
