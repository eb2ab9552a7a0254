"""Other people's words inside Markdown: what is not meant as markup does not become any."""

import re

from annotator.report.style import printable

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()#+!|~$])")
_PIPE = re.compile(r"(\\*)\|")
_ACTIVE = re.compile(r"[&\\\[\]<*`~]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown or HTML may act on inside a line; an underscore within a word is none."""


def plain(text: str) -> str:
    """Text on one line in which nothing is markup."""
    return _ACTIVE.sub(
        lambda found: "&amp;" if found[0] == "&" else f"\\{found[0]}", one_line(text)
    )


def prose(text: str) -> str:
    """A sentence of the study on one line, in which only `code` is markup."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return plain(text)
    return "".join(
        code(piece) if at % 2 and piece.strip() else _plain_piece(piece)
        for at, piece in enumerate(pieces)
    )


def code(text: str) -> str:
    """Text as inline code on one line."""
    line = one_line(text) or " "
    ticks = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if "`" in (line[0], line[-1]) else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def cell_code(text: str) -> str:
    """Text as inline code in a table's cell, which a pipe would end even there."""
    # An escaped backslash does not escape a pipe, so that one becomes a look-alike.
    return code(_PIPE.sub(lambda match: f"{match[1]}¦" if match[1] else "\\|", one_line(text)))


def cell_text(text: str) -> str:
    """Text in a table's cell in which nothing is markup; `@`, `#` and addresses would call people and issues."""
    line = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _PUNCTUATION.sub(r"\\\1", line)
    return line.replace("@", "@<!-- -->").replace("://", ":<!-- -->//")


def one_line(text: str) -> str:
    """Text without control characters and line breaks."""
    return " ".join(printable(text).split())


def _plain_piece(text: str) -> str:
    """Like `plain`, with the spaces that part it from its neighbours."""
    before, after = text[:1].isspace() * " ", (text[-1:].isspace() and bool(text.strip())) * " "
    return f"{before}{plain(text)}{after}"
