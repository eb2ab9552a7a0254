"""`annot notes fix`: notes with their links rewritten, everything else byte for byte as it was."""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotator.model.failures import UserMistake
from annotator.model.mention import NotesReport, Piece
from annotator.store.atomic_file import replace_bytes
from annotator.tasks.notes.files import NoteFile


class Fixed(NamedTuple):
    """A note with rewritten links.

    Attributes:
        note: the note as it was.
        data: its new content.
        links: how many links are rewritten.
    """

    note: NoteFile
    data: bytes
    links: int


def fixed_notes(report: NotesReport, notes: Sequence[NoteFile]) -> Iterator[Fixed]:
    """The notes whose links the check can correct; other notes are left out.

    Args:
        report: what the check found.
        notes: the notes that were checked.
    """
    pieces: dict[str, list[Piece]] = defaultdict(list)
    links: dict[str, int] = defaultdict(int)
    for result in report.results:
        if result.corrections:
            pieces[result.file] += result.corrections
            links[result.file] += 1
    for note in notes:
        if note.name in pieces:
            yield Fixed(note, with_pieces(note.data, pieces[note.name]), links[note.name])


def with_pieces(data: bytes, pieces: Iterable[Piece]) -> bytes:
    """Bytes with pieces put in place of what was there.

    Args:
        data: the bytes.
        pieces: what to put where; they do not overlap.
    """
    for piece in sorted(pieces, key=lambda piece: piece.start, reverse=True):
        data = data[: piece.start] + piece.text.encode("ascii") + data[piece.end :]
    return data


def unified_diff(fixed: Fixed) -> str:
    """What is rewritten, as `diff -u` shows it."""
    old, new = (
        data.decode("utf-8", "replace").split("\n") for data in (fixed.note.data, fixed.data)
    )
    name = fixed.note.name.lstrip("/")
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="", n=1)
    return "\n".join(line.removesuffix("\r") for line in lines)


def write_fixed(fixed: Fixed) -> None:
    """Writes a note, whole or not at all.

    Raises:
        UserMistake: if the file has changed since it was checked, or cannot be written.
    """
    note = fixed.note
    try:
        if note.path.read_bytes() != note.data:
            raise UserMistake(
                f"{note.name} has changed since it was checked", hint="run the command again"
            )
        replace_bytes(note.path.resolve(), fixed.data)
    except OSError as error:
        raise UserMistake(f"{note.name} cannot be written: {error.strerror or error}") from error
