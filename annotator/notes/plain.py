"""Plain text, and every format without escapes of its own."""

from collections.abc import Iterator

from annotator.notes.passage import Note, Passage


def passages(note: Note) -> Iterator[Passage]:
    """The text as it stands."""
    yield note.whole
