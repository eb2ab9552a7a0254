"""Bytes of a note to what it points to, in the format that its file name says."""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from annotator.model.mention import Mention
from annotator.notes import html, markdown, notebook, plain, rst
from annotator.notes.links import links_in
from annotator.notes.names import names_in
from annotator.notes.passage import Note, Passage

SIZE_LIMIT = 20_000_000
"""Largest note, in bytes. What is larger is data."""

_BINARY_PROBE = 8000

FORMATS: dict[str, Callable[[Note], Iterator[Passage]]] = {
    ".md": markdown.passages,
    ".mdx": markdown.passages,
    ".markdown": markdown.passages,
    ".rst": rst.passages,
    ".html": html.passages,
    ".htm": html.passages,
    ".ipynb": notebook.passages,
    ".txt": plain.passages,
    ".adoc": plain.passages,
    ".org": plain.passages,
    ".tex": plain.passages,
}
"""How a note is read, by the ending of its name in lower case; any other file is plain text."""


class Reading(NamedTuple):
    """What was found in a note.

    Attributes:
        mentions: in the order of the text.
        text: what the note says, for its statements.
        problem: why it could not be read, else empty.
    """

    mentions: tuple[Mention, ...] = ()
    text: str = ""
    problem: str = ""


def read_note(path: str, data: bytes) -> Reading:
    """Finds every mention of source in a note.

    Args:
        path: its path; the ending chooses the format.
        data: its content.
    """
    if len(data) > SIZE_LIMIT:
        return Reading(problem=f"larger than {SIZE_LIMIT:,} bytes; not read")
    if b"\0" in data[:_BINARY_PROBE]:
        return Reading(problem="binary or UTF-16 content; not read")
    note = Note(data)
    passages = FORMATS.get(PurePosixPath(path).suffix.lower(), plain.passages)
    mentions: list[Mention] = []
    texts: list[str] = []
    try:
        for passage in passages(note):
            texts.append(passage.text)
            mentions += links_in(note, passage)
            mentions += names_in(note, passage)
    except notebook.NotJson as error:
        return Reading(problem=str(error))
    mentions.sort(key=lambda mention: (mention.line, mention.column))
    return Reading(tuple(mentions), "".join(texts))
