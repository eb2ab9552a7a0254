"""HTML: attributes and text, with character references."""

import re
from collections.abc import Iterator
from html import unescape

from annotator.notes.passage import Note, Passage

REFERENCE = re.compile(r"&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def passages(note: Note) -> Iterator[Passage]:
    """The page with its character references replaced; tags end a mention as blanks do."""
    yield note.whole.unescaped(REFERENCE, lambda match: unescape(match[0]))
