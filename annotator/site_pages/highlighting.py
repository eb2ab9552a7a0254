"""Source text to highlighted lines, with a handful of classes so that pages stay small."""

from collections.abc import Sequence
from functools import cache, lru_cache

from markupsafe import Markup
from pygments.lexers import get_lexer_by_name
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Token,
    _TokenType,
    is_token_subtype,
)
from pygments.util import ClassNotFound

from annotator.site_pages.escaping import code_text, printable

_LEXERS = {"python": "python", "cpp": "cuda", "rust": "rust", "markdown": "markdown", "rst": "rst"}
_CLASSES: Sequence[tuple[_TokenType, str]] = (
    (Comment, "c"),
    (String.Doc, "c"),
    (String, "s"),
    (Number, "m"),
    (Token.Literal, "s"),
    (Operator.Word, "k"),
    (Keyword.Type, "t"),
    (Keyword, "k"),
    (Name.Decorator, "d"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Builtin.Pseudo, "p"),
    (Name.Builtin, "t"),
    (Token.Generic.Heading, "f"),
    (Token.Generic.Subheading, "f"),
    (Token.Generic.Strong, "k"),
)


@lru_cache(maxsize=4096)
def highlight(lines: tuple[str, ...], language: str) -> tuple[Markup, ...]:
    """Each line as HTML; the token classes are one letter each. Both languages of the site share the result.

    Args:
        lines: source text.
        language: what the outline calls it, empty if unknown.
    """
    text = "\n".join(printable(line, "\t") for line in lines)
    try:
        lexer = get_lexer_by_name(
            _LEXERS.get(language, "text"), stripnl=False, stripall=False, ensurenl=False
        )
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    out: list[list[str]] = [[]]
    for kind, value in lexer.get_tokens(text):
        name = _class(kind)
        for index, piece in enumerate(value.split("\n")):
            if index:
                out.append([])
            if piece:
                safe = code_text(piece)
                out[-1].append(f'<i class="{name}">{safe}</i>' if name else safe)
    made = [Markup("".join(parts)) for parts in out]  # noqa: S704 - pieces are escaped
    return tuple((made + [Markup("")] * len(lines))[: len(lines)])


@cache
def _class(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if is_token_subtype(kind, parent)), "")
