"""From a span of a passage to a mention with its place in the note's file."""

from typing import Any

from annotator.model.mention import Mention, MentionKind, Piece
from annotator.notes.passage import Note, Passage

Span = tuple[int, int]
"""First index and the index behind the last, in a passage's text."""


def piece_at(note: Note, passage: Passage, span: Span) -> Piece:
    """The piece that a span of a passage is."""
    start, end = span
    return Piece(
        text=passage.text[start:end],
        start=note.byte(passage.origin[start]),
        end=note.byte(passage.origin[end]),
    )


def mention_at(
    note: Note, passage: Passage, kind: MentionKind, span: Span, **parts: Any
) -> Mention:
    """The mention that a span of a passage is.

    Args:
        note: the note.
        passage: a part of it.
        kind: how the mention is written.
        span: all of the mention.
        parts: the mention's other attributes.
    """
    start, end = span
    line, column = note.line_and_column(passage.origin[start])
    end_line, end_column = note.line_and_column(passage.origin[end])
    return Mention(
        kind=kind,
        text=passage.text[start:end],
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        **parts,
    )
