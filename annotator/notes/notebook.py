"""Jupyter notebooks: the sources of their cells, found again in the bytes of the JSON file."""

import json
import re
from collections.abc import Iterator

from annotator.notes.markdown import without_escapes
from annotator.notes.passage import Note, Passage

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]', re.DOTALL)
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.")
_SOURCES = frozenset({"source", "input"})
"""What the text of a cell is called; the latter in notebooks before format 4."""


class NotJson(Exception):
    """A notebook that is no JSON; the message says where."""


def passages(note: Note) -> Iterator[Passage]:
    """Each string of each cell's source; outputs and metadata are left out.

    Raises:
        NotJson: if the file is not JSON.
    """
    text = note.text.removeprefix("\ufeff")
    try:
        json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise NotJson(f"not a notebook: {error}") from error
    for start, end in _source_strings(note.text):
        passage = Passage(note.text[start:end], range(start, end + 1))
        yield without_escapes(passage.unescaped(_ESCAPE, _meaning))


def _meaning(match: re.Match[str]) -> str:
    meaning: str = json.loads(f'"{match[0]}"')
    return meaning


def _source_strings(text: str) -> Iterator[tuple[int, int]]:
    """Start and end, without quotation marks, of the strings under `cells[…].source`. The text is valid JSON."""
    keys: list[str | None] = []  # the key under way in each open object, none for an array
    is_key = False
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word in "{[":
            keys.append("" if word == "{" else None)
            is_key = word == "{"
        elif word in "}]":
            keys.pop()
            is_key = False
        elif word == ",":
            is_key = bool(keys) and keys[-1] is not None
        elif word == ":":
            is_key = False
        elif is_key:
            keys[-1] = word[1:-1]
        elif _is_source(keys):
            yield match.start() + 1, match.end() - 1


def _is_source(keys: list[str | None]) -> bool:
    named = [key for key in keys if key is not None]
    return named[-2:-1] == ["cells"] and named[-1] in _SOURCES
