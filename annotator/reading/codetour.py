"""CodeTour files for VS Code (github.com/microsoft/codetour): one tour a question, one step an anchor."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from annotator.model.anchor import Anchor
from annotator.model.study import Question
from annotator.reading.wording import Language, word
from annotator.tasks.views import View

SCHEMA = "https://aka.ms/codetour-schema"

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}/]")
_LONGEST_PATTERN = 24
"""Most lines that a pattern takes to tell a place from equal ones."""


class Stop(NamedTuple):
    """An anchor with its place.

    Attributes:
        anchor: the anchor.
        view: where it is.
    """

    anchor: Anchor
    view: View


def tour(
    question: Question, stops: Sequence[Stop], following: Question | None, language: Language
) -> dict[str, Any]:
    """The tour of one question, as JSON data.

    Args:
        question: the question.
        stops: its anchors with their places, all at one commit.
        following: the question after it, whose tour CodeTour offers at the end.
        language: language of titles and notes.
    """
    made: dict[str, Any] = {
        "$schema": SCHEMA,
        "title": title(question, language),
        "description": question.question.in_language(language),
        "ref": stops[0].view.commit,
        "steps": [_introduction(question, language), *(_step(stop, language) for stop in stops)],
    }
    if following is not None:
        made["nextTour"] = title(following, language)
    return made


def title(question: Question, language: Language) -> str:
    """Title of a question's tour; CodeTour sorts and links tours by the number in front."""
    return f"{question.number} - {question.title.in_language(language)}"


def file_name(question: Question) -> str:
    """Name of a question's file in the folder `.tours`."""
    return f"{question.number:02}-{question.id}.tour"


def line_pattern(lines: Sequence[str], line: int) -> str:
    """A regular expression (JavaScript's, with its flag `m`) whose first match begins at `line`.

    It takes in as many of the following lines as are needed to tell the place from equal ones before it.
    """
    pattern = ""
    for count in range(1, _LONGEST_PATTERN + 1):
        wanted = lines[line - 1 : line - 1 + count]
        if len(wanted) < count:
            break
        pattern = "^" + r"\r?\n".join(_escaped(text) for text in wanted) + "\\r?$"
        first = next(
            (at for at in range(line) if list(lines[at : at + count]) == list(wanted)), line - 1
        )
        if first == line - 1:
            break
    return pattern


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], text).replace("\t", r"\t")


def _introduction(question: Question, language: Language) -> dict[str, Any]:
    parts = [f"### {question.question.in_language(language)}"]
    if question.read_first:
        parts.append(
            f"**{word('read first', language)}** {question.read_first.in_language(language)}"
        )
    if question.answer:
        parts.append(question.answer.in_language(language))
    return {
        "title": question.title.in_language(language),
        "description": _inert("\n\n".join(parts)),
    }


def _step(stop: Stop, language: Language) -> dict[str, Any]:
    anchor, view = stop
    start, end = view.focus
    parts = [anchor.note.in_language(language)]
    if anchor.reason:
        parts.append(f"**{word('why', language)}** {anchor.reason.in_language(language)}")
    parts += [
        f"- **{word('claim', language)}** {claim.text.in_language(language)}"
        for claim in anchor.claims
    ]
    if view.link:
        parts.append(f"[{view.path}:{start}]({view.link})")
    step: dict[str, Any] = {
        "title": anchor.id,
        "file": view.path,
        "description": _inert("\n\n".join(parts)),
        "line": start,
        "pattern": line_pattern(view.lines, start),
    }
    if view.quote is not None:
        last = view.lines[end - 1] if end <= len(view.lines) else ""
        step["selection"] = {
            "start": {"line": start, "character": 1},
            "end": {"line": end, "character": len(last) + 1},
        }
    return step


def _inert(text: str) -> str:
    """Text without what CodeTour would run: it trusts `command:` links, and offers `>> …` to the terminal."""
    text = re.sub(r"(?im)^(\s*)>>", r"\1\\>\\>", text)
    return re.sub(r"(?i)command:", "command&#58;", text)
