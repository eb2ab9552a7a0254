"""Text of a note with the way back to the bytes of its file."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

_STRIDE = 2048
"""Characters between two known byte offsets."""


class Note:
    """The text of one file. Bytes that are not UTF-8 survive in it, so that every offset stays exact.

    Args:
        data: content of the file.
    """

    def __init__(self, data: bytes) -> None:
        self.text = data.decode("utf-8", "surrogateescape")

    @cached_property
    def whole(self) -> "Passage":
        """All of it as one passage."""
        return Passage(self.text, range(len(self.text) + 1))

    def byte(self, index: int) -> int:
        """Offset in the file of the character at `index`."""
        if self._is_ascii:
            return index
        known = index // _STRIDE
        rest = self.text[known * _STRIDE : index]
        return self._known[known] + len(rest.encode("utf-8", "surrogateescape"))

    def line_and_column(self, index: int) -> tuple[int, int]:
        """Line and column of the character at `index`, both 1-based."""
        line = bisect_right(self._line_starts, index)
        return line, index - self._line_starts[line - 1] + 1

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    @cached_property
    def _known(self) -> Sequence[int]:
        offsets, offset = array("Q", [0]), 0
        for start in range(0, len(self.text), _STRIDE):
            part = self.text[start : start + _STRIDE]
            offset += len(part.encode("utf-8", "surrogateescape"))
            offsets.append(offset)
        return offsets

    @cached_property
    def _line_starts(self) -> Sequence[int]:
        return array("Q", [0, *(match.end() for match in re.finditer("\n", self.text))])


class Passage(NamedTuple):
    """A part of a note as its reader sees it, without escapes.

    Attributes:
        text: the text.
        origin: index in the note's text of each character, and of the one behind the last.
    """

    text: str
    origin: Sequence[int]

    def unescaped(
        self, escapes: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
    ) -> "Passage":
        """The same passage with each escape replaced by what it means.

        Args:
            escapes: matches one escape, or several in a row.
            meaning: gives the text that a match stands for.
        """
        pieces: list[str] = []
        origin = array("Q")
        done = 0
        for match in escapes.finditer(self.text):
            plain = meaning(match)
            pieces += (self.text[done : match.start()], plain)
            origin.extend(self.origin[done : match.start()])
            origin.extend([self.origin[match.start()]] * len(plain))
            done = match.end()
        if not pieces:
            return self
        pieces.append(self.text[done:])
        origin.extend(self.origin[done:])
        return Passage("".join(pieces), origin)
