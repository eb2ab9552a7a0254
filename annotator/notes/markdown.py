"""Markdown (CommonMark and what GitHub, MkDocs and MyST add to it)."""

import re
from collections.abc import Iterator
from html import unescape

from annotator.notes.html import REFERENCE
from annotator.notes.passage import Note, Passage

_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]|" + REFERENCE.pattern)
"""A backslash before ASCII punctuation, or a character reference.

In code a backslash means itself, but no path or address has one before punctuation.
"""


def passages(note: Note) -> Iterator[Passage]:
    """The text with its escapes replaced, code and inline HTML included."""
    yield without_escapes(note.whole)


def without_escapes(passage: Passage) -> Passage:
    """A passage of Markdown as its reader sees it."""
    return passage.unescaped(
        _ESCAPE, lambda match: match[0][1] if match[0][0] == "\\" else unescape(match[0])
    )
