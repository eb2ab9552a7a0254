"""What is wrong in the files of a study, each with its place and what to do about it."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from annotator.model.failures import UserMistake

_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: |\r?$)", re.MULTILINE)


class Problem(NamedTuple):
    """One mistake in one file. Problems sort by place.

    Attributes:
        file: path as it is shown to the user.
        line: 1-based.
        column: 1-based, in characters.
        message: what is wrong, in a plain sentence.
        hint: what to do, or an empty string.
    """

    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """The problem in one line that editors and terminals can jump from."""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{hint}"


class ProblemsFound(UserMistake):
    """Every problem of one run, told at once.

    Attributes:
        problems: sorted by file, line and column.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def shown(path: Path) -> str:
    """`path` as it is shown to the user: from the working folder where it lies in it."""
    path = path.absolute()
    working = Path.cwd()
    return (path.relative_to(working) if path.is_relative_to(working) else path).as_posix()


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A clause that offers the known word most like `word`, or an empty string."""
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def conflict_line(text: str) -> int:
    """The line of the first marker that an unfinished git merge left in `text`, or 0."""
    marker = _CONFLICT.search(text)
    return text.count("\n", 0, marker.start()) + 1 if marker else 0
