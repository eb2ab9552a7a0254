"""reStructuredText."""

import re
from collections.abc import Iterator

from annotator.notes.passage import Note, Passage

_ESCAPE = re.compile(r"\\(?P<char>[^\s\\])|\\(?P<blank>\s)")


def passages(note: Note) -> Iterator[Passage]:
    """The text without backslashes; an escaped blank is nothing at all."""
    yield note.whole.unescaped(_ESCAPE, lambda match: match["char"] or "")
