"""Other people's words inside Markdown: what is not meant as markup does not become any."""

import re

from annotator.report.style import printable

_ACTIVE = re.compile(r"[&\\\[\]<*`~]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown or HTML may act on inside a line; an underscore within a word is none."""


def plain(text: str) -> str:
    """Text on one line in which nothing is markup."""
    line = printable(" ".join(text.split()))
    return _ACTIVE.sub(lambda found: "&amp;" if found[0] == "&" else f"\\{found[0]}", line)


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
    line = printable(" ".join(text.split()))
    runs = [len(run) for run in re.findall("`+", line)]
    ticks = "`" * (max(runs, default=0) + 1)
    pad = " " if runs else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _plain_piece(text: str) -> str:
    """Like `plain`, with the spaces that part it from its neighbours."""
    before, after = text[:1].isspace() * " ", (text[-1:].isspace() and bool(text.strip())) * " "
    return f"{before}{plain(text)}{after}"
