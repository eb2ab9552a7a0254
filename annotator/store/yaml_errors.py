"""What a YAML parser's complaint means for the person who wrote the file."""

import re
from typing import NamedTuple

import yaml

from annotator.store.problems import Problem, conflict_line


class _Reading(NamedTuple):
    """What one complaint means.

    Attributes:
        complaint: pattern of what the parser says, in libyaml's words or PyYAML's.
        message: what is wrong.
        hint: what to do.
        at_context: whether the cause stands where the parser began, not where it gave up.
    """

    complaint: str
    message: str
    hint: str
    at_context: bool = False


_TAB = _Reading(r"a tab character", "a tab is used as indentation", "use spaces")

_READINGS = [
    _TAB,
    _Reading(
        r"cannot start any token",
        "text cannot begin with this character",
        "put the text in double quotes",
    ),
    _Reading(
        r"mapping values are not allowed",
        "a ':' stands where no key can be",
        "check the indentation; text with ': ' in it needs double quotes",
    ),
    _Reading(
        r"sequence entries are not allowed",
        "a list entry ('- ') cannot begin here",
        "begin a new line below the key; text that starts with '- ' needs double quotes",
    ),
    _Reading(
        r"unexpected end of stream|unexpected document separator",
        "a quote is opened here and never closed",
        "close it with the same quote",
        at_context=True,
    ),
    _Reading(
        r"unknown escape character|escape code|escape sequence of",
        "a backslash in double quotes starts an escape, and there is none of this kind",
        r"write \\ for a backslash",
    ),
    _Reading(
        r"expected ',' or '\]'",
        "a '[' list is opened here and not properly closed",
        "separate entries with ',' and close with ']'; text that starts with '[' needs double quotes",
        at_context=True,
    ),
    _Reading(
        r"expected ',' or '\}'",
        "a '{' mapping is opened here and not properly closed",
        "separate entries with ',' and close with '}'; text that starts with '{' needs double quotes",
        at_context=True,
    ),
    _Reading(
        r"could not find expected ':'",
        "a key is expected here, but no ': ' follows",
        "write `key: value`, or indent the line if it continues a text",
        at_context=True,
    ),
    _Reading(
        r"did not find expected key|expected <block end>, but found '<",
        "this does not fit what stands before it",
        'check the indentation; inside double quotes write \\" for a quote',
    ),
    _Reading(
        r"expected '-' indicator|expected <block end>, but found '\?'",
        "the list above is not continued here",
        "begin the line with '- ', or change its indentation",
    ),
    _Reading(
        r"expected comment or line break|expected a comment|expected chomping",
        "text behind | or > has to begin on the next line",
        "begin a new line, or put the text in double quotes",
    ),
    _Reading(
        r"alphabetic or numeric character",
        "text cannot begin with '*' or '&'",
        "put the text in double quotes",
        at_context=True,
    ),
    _Reading(
        r"node content", "text cannot begin with this character", "put the text in double quotes"
    ),
    _Reading(
        r"undefined tag handle",
        "text cannot begin with '!'",
        "put the text in double quotes",
        at_context=True,
    ),
]

_FULL_WIDTH_COLON = re.compile(r"\s*(?:- +)?[\w-]+：")


def explain_syntax_error(error: Exception, text: str, file: str) -> Problem:
    """The problem behind a parser's `error` in `text`, in plain words."""
    if line := conflict_line(text):
        message = "git's conflict markers are still in the file"
        return Problem(file, line, 1, message, "finish the merge")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Problem(file, 1, 1, f"this is not YAML: {error}")
    complaint = error.problem or ""
    reading = next((known for known in _READINGS if re.search(known.complaint, complaint)), None)
    mark = error.problem_mark
    if reading is None:
        where = f" {error.context}" if error.context else ""
        return Problem(
            file, mark.line + 1, mark.column + 1, f"this is not YAML: {complaint}{where}"
        )
    if reading.at_context and error.context_mark is not None:
        mark = error.context_mark
    lines = f"{text}\n\n".splitlines()
    if lines[mark.line][mark.column : mark.column + 1] == "\t":
        reading = _TAB
    hint = reading.hint
    if any(map(_FULL_WIDTH_COLON.match, lines[max(0, mark.line - 1) : mark.line + 1])):
        hint = "the ':' behind the key is a full-width one; write ': '"
    return Problem(file, mark.line + 1, mark.column + 1, reading.message, hint)
