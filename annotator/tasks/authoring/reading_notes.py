"""Files of notes to sections: Markdown as it is, CodeTour files, and which source they are about."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from annotator.model.failures import UserMistake
from annotator.model.mention import MentionKind
from annotator.notes.reading import SIZE_LIMIT, read_note
from annotator.notes.statements import stated_ref
from annotator.store.problems import shown
from annotator.store.yaml_source import without_unwanted
from annotator.tasks.authoring.sections import Section, sections_of, with_inline_links
from annotator.tasks.authoring.tours import tour_section
from annotator.tasks.notes.files import files_below

_SUFFIXES = frozenset({".md", ".mdx", ".markdown", ".tour"})
_HIDDEN = frozenset({".tours", ".vscode", ".github"})
"""Where CodeTour keeps its files."""


class Notes(NamedTuple):
    """Notes, read.

    Attributes:
        sections: of all files, in order.
        texts: text of each file, for what it says of versions.
        repositories: how often links name a repository, by host, owner and name.
        refs: by repository, what links into it name as commit, tag or branch, and how often.
    """

    sections: list[Section]
    texts: Mapping[str, str]
    repositories: Counter[str]
    refs: Mapping[str, Counter[str]]

    def stated(self, names: Mapping[str, set[str]]) -> dict[str, dict[str, str]]:
        """By file and upstream, the ref that a note says the upstream was read at.

        Args:
            names: what people call each upstream.
        """
        return {
            file: {name: stated_ref(text, known) for name, known in names.items()}
            for file, text in self.texts.items()
        }


def read_notes(paths: Sequence[Path]) -> Notes:
    """Reads notes; folders give the Markdown and CodeTour files below them.

    Raises:
        UserMistake: if there are none, or one cannot be read.
    """
    sections: list[Section] = []
    texts: dict[str, str] = {}
    repositories = Counter[str]()
    refs: dict[str, Counter[str]] = {}
    for path in _files(paths):
        file = _name(path)
        data = _content(path)
        if path.suffix.lower() == ".tour":
            sections.append(tour_section(file, data))
            texts[file] = ""
            continue
        text = with_inline_links(without_unwanted(data.decode("utf-8", "replace")))
        reading = read_note(path.name, text.encode())
        if reading.problem:
            raise UserMistake(f"{file}: {reading.problem}")
        texts[file] = reading.text
        sections += sections_of(file, path.stem, text, reading.mentions)
        for mention in reading.mentions:
            if mention.kind is MentionKind.LINK:
                repository = f"{mention.site}/{mention.repository}"
                repositories[repository] += 1
                ref = mention.words.partition("/")[0]
                refs.setdefault(repository, Counter())[ref] += 1
    return Notes(sections, texts, repositories, refs)


def repository_address(repository: str) -> str:
    """Address of a repository by host, owner and name; raw files have hosts of their own."""
    host, _, name = repository.partition("/")
    host = re.sub(r"^raw\.githubusercontent\.com$|^cdn\.jsdelivr\.net$", "github.com", host)
    return f"https://{host}/{name}"


def _files(paths: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += files_below(path, _SUFFIXES, _HIDDEN)
        elif path.suffix.lower() not in _SUFFIXES:
            raise UserMistake(
                f"{shown(path)} is neither Markdown nor a CodeTour file",
                hint=f"notes are read from {', '.join(sorted(_SUFFIXES))}",
            )
        else:
            found.append(path)
    if not found:
        raise UserMistake("there are no notes to read", hint="name Markdown or CodeTour files")
    return list(dict.fromkeys(found))


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise UserMistake(f"{shown(path)} is larger than {SIZE_LIMIT:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise UserMistake(f"{shown(path)} cannot be read: {error.strerror}") from error


def _name(path: Path) -> str:
    """A name for the note that means something to others: never a path of this machine."""
    name = shown(path)
    return path.name if Path(name).is_absolute() else name
