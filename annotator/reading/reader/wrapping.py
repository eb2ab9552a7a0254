"""Wraps Chinese and mixed prose: a line may end behind any Han character, never before closing punctuation.

Rich, like most programs for Western text, breaks at spaces only; a Chinese note with some identifiers in it
then leaves half of the lines empty. The rules are those of the Unicode line breaking algorithm (UAX #14) that
matter for notes: ideographs, opening and closing punctuation, spaces.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

_WIDE = r"\u2e80-\u2fff\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_CLOSING = r"\uff0c\u3002\u3001\uff1b\uff1a\uff1f\uff01\uff09\u300d\u300f\u300b\u3011\u201d\u2019,.;:?!)\]}"
_OPENING = r"\uff08\u300c\u300e\u300a\u3010\u201c\u2018(\[{"
_PIECE = re.compile(
    rf"[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPENING}{_CLOSING}]+|(?<=[{_OPENING}])|[{_CLOSING}])"
    rf"[{_CLOSING}]*|[{_OPENING}]+"
)


class Wrapped(NamedTuple):
    """Text that is wrapped when the width is known.

    Attributes:
        text: the text.
    """

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The text, wrapped for the width that there is."""
        yield wrapped(self.text, options.max_width)


def wrapped(text: Text, width: int) -> Text:
    """`text` in lines of at most `width` cells; its styles stay."""
    lines: list[Text] = []
    for paragraph in text.split("\n", allow_blank=True):
        starts = list(_line_starts(paragraph.plain, max(width, 2)))
        for line in paragraph.divide(starts):
            line.rstrip()
            lines.append(line)
    joined = Text("\n", no_wrap=True).join(lines)
    joined.no_wrap = True
    return joined


def _line_starts(paragraph: str, width: int) -> Iterator[int]:
    """Offsets at which a new line begins, without the first."""
    start = 0
    for piece in _PIECE.finditer(paragraph):
        begin, end = piece.span()
        if cell_len(paragraph[start:end]) <= width:
            continue
        if begin > start:
            yield begin
            start = begin
        while cell_len(paragraph[start:end]) > width:  # a piece longer than a whole line
            start += _fitting(paragraph[start:end], width)
            yield start


def _fitting(text: str, width: int) -> int:
    """How many characters of `text` fit into `width` cells; one at least."""
    cells = 0
    for at, char in enumerate(text):
        cells += cell_len(char)
        if cells > width:
            return max(at, 1)
    return len(text)
