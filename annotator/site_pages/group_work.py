"""Reading sessions and experiment records as they lie in the study's folder."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError

from annotator.model.session import Session
from annotator.tasks.site import read_texts

_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*\n?", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"\A\s*# .*\n")


class Document(NamedTuple):
    """A file of the group's own.

    Attributes:
        id: its name without suffix; the YAML file and the Markdown file of a session share it.
        facts: what its YAML says, as dotted names and texts.
        text: its Markdown without title and comments, may be empty.
        problem: why its YAML cannot be read, may be empty.
        session: the session, if it is one.
    """

    id: str
    facts: tuple[tuple[str, str], ...]
    text: str
    problem: str
    session: Session | None = None


def read_sessions(folder: Path) -> list[Document]:
    """The sessions in a folder, the newest first; none if there is no such folder."""
    return [_as_session(document, data) for document, data in _read(folder)]


def last_closed(documents: Iterable[Document]) -> Session | None:
    """The newest session that was closed; none if the group never met."""
    closed = [each.session for each in documents if each.session and each.session.outcome]
    return max(closed, key=lambda session: (session.date, session.id), default=None)


def read_records(folder: Path) -> list[Document]:
    """The experiment records in a folder; none if there is no such folder."""
    return [document for document, _ in _read(folder)]


def _read(folder: Path) -> list[tuple[Document, Any]]:
    texts = read_texts(folder)
    found = []
    for stem in sorted({name.rpartition(".")[0] for name in texts}, reverse=True):
        data, problem = None, ""
        try:
            data = yaml.safe_load(texts.get(f"{stem}.yaml", ""))
        except yaml.YAMLError as error:
            problem = str(error)
        text = _TITLE.sub("", _COMMENT.sub("", texts.get(f"{stem}.md", "")))
        found.append((Document(stem, tuple(flattened(data)) if data else (), text, problem), data))
    return found


def _as_session(document: Document, data: object) -> Document:
    if data is None:
        return document
    try:
        return document._replace(session=Session.model_validate(data))
    except ValidationError as error:
        return document._replace(problem=str(error))


def flattened(data: object, path: str = "") -> list[tuple[str, str]]:
    """Every fact of nested data as a dotted name and a text."""
    if isinstance(data, dict):
        return [
            pair
            for key, value in data.items()
            for pair in flattened(value, f"{path}.{key}" if path else str(key))
        ]
    if isinstance(data, list):
        if all(not isinstance(value, (dict, list)) for value in data):
            return [(path, ", ".join(str(value) for value in data) or "–")]
        return [
            pair
            for index, value in enumerate(data, start=1)
            for pair in flattened(value, f"{path}.{index}")
        ]
    return [(path, "–" if data is None else str(data))]
