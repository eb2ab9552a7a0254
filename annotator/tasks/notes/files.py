"""The note files that a user means by paths and folders."""

from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from annotator.model.failures import UserMistake
from annotator.notes.reading import FORMATS, SIZE_LIMIT

_LEFT_OUT = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders of other people's files; hidden folders are left out too."""


class NoteFile(NamedTuple):
    """A note.

    Attributes:
        name: its path below the working folder where it lies there, with forward slashes.
        path: where it is.
        data: its content, or as much of it as shows that it is too large.
    """

    name: str
    path: Path
    data: bytes


def find_notes(given: Iterable[Path], here: Path) -> list[NoteFile]:
    """The files given, and of each folder given all notes below it, in order of their names.

    Args:
        given: files and folders.
        here: the working folder.

    Raises:
        UserMistake: if a folder has no notes, or a note cannot be read.
    """
    found: dict[Path, NoteFile] = {}
    for path in given:
        files = [path] if path.is_file() else files_below(path, FORMATS)
        if not files:
            endings = ", ".join(FORMATS)
            raise UserMistake(f"{path} has no notes in it", hint=f"looked for are {endings}")
        for file in files:
            whole = file.absolute()
            name = whole.relative_to(here) if whole.is_relative_to(here) else whole
            shown = name.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            if whole not in found:
                found[whole] = NoteFile(shown, file, _read(file))
    return list(found.values())


def files_below(folder: Path, endings: Container[str], hidden: Container[str] = ()) -> list[Path]:
    """The files of a folder and of those below it, in order of their names; symbolic links are not followed.

    Args:
        folder: the folder.
        endings: endings of the names that count, in lower case.
        hidden: names of hidden folders that are looked into all the same.
    """
    return sorted(_below(folder, endings, hidden))


def _below(folder: Path, endings: Container[str], hidden: Container[str]) -> Iterator[Path]:
    for entry in folder.iterdir():
        is_hidden = entry.name.startswith(".") and entry.name not in hidden
        if is_hidden or entry.is_symlink() or entry.name in _LEFT_OUT:
            continue
        if entry.is_dir():
            yield from _below(entry, endings, hidden)
        elif entry.suffix.lower() in endings:
            yield entry


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise UserMistake(f"{path} cannot be read: {error.strerror or error}") from error
