"""The declaration of a symbol in one line, and a hash of its code blind to layout: what locks remember."""

import hashlib
import re
from collections.abc import Sequence

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.resolve.lexing import lex
from annotator.resolve.tokens import split_head

_LIMIT = 300
_DECLARATION = re.compile(r"^(?:async\s+)?(?:def|class)\b", re.MULTILINE)


def signature_line(text: str, language: str, symbol: Symbol | None) -> str:
    """The declaration in one line, empty for headings, whole files and imports."""
    if symbol is None or symbol.kind in {SymbolKind.HEADING, SymbolKind.IMPORT}:
        return ""
    if symbol.kind in {SymbolKind.CONSTANT, SymbolKind.ATTRIBUTE, SymbolKind.MACRO}:
        head: tuple[str, ...] = (text.strip(),)
    elif language == "python":
        declaration = _DECLARATION.search(text)
        head = (_python_head(text[declaration.start() :] if declaration else text),)
    else:
        head = split_head(lex(text, language).code)[0]
    line = re.sub(r"\s+", " ", " ".join(head))
    line = re.sub(r"([(\[]) | (?=[)\],;])", r"\1", line)
    return line if len(line) <= _LIMIT else line[: _LIMIT - 1] + "…"


def _python_head(text: str) -> str:
    depth = 0
    for match in re.finditer(r"[()\[\]{}:]|#[^\n]*|'[^'\n]*'|\"[^\"\n]*\"", text):
        char = match[0]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == ":" and depth == 0:
            return text[: match.start()]
    return text


def fingerprint(text: str, language: str, symbol: Symbol | None) -> str:
    """Hash of the code without layout, comments and docstrings (for prose: of its words)."""
    words = _python_words(text) if language == "python" and symbol is not None else None
    if words is None:
        words = lex(text, language).code
    return hashlib.blake2b("\0".join(words).encode(errors="replace"), digest_size=16).hexdigest()


def _python_words(text: str) -> Sequence[str] | None:
    from annotator.resolve.definitions import (  # noqa: PLC0415 - loads libcst, see there
        Unparsable,
        fingerprint_words,
    )

    try:
        return fingerprint_words(text)
    except Unparsable:
        return None
