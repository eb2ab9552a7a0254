"""The documents that show commands, read for what can be run in them.

In a fenced block `console`, lines behind `$ ` are commands and the others what they print. A comment right above a block
says what its reader does not need to see:

    <!-- docs: exit 1 -->               every command of the block ends with that code; `exit 0,1` one each
    <!-- docs: not run: network -->     why it is not run, a key of `NOT_RUN`
    <!-- docs: file notes/pool.md -->   the block below is that file, which the reader has made

and one at the top of a document, `<!-- docs: in project -->`, in which surroundings it is run.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

NOT_RUN = {
    "network": "gets something from a git host or a package index (tests/upstream)",
    "terminal": "needs a terminal and its reader (tests/reading, tests/cli/test_review_walk.py)",
    "editor": "opens an editor (tests/tasks/test_opening.py)",
    "environment": "needs an environment with upstream's dependencies (tests/probes)",
    "gpu": "needs a GPU; never tried",
    "serves": "goes on until it is stopped",
    "browser": "builds the whole site (tests/site_pages)",
    "own files": "needs files that only its reader has (tests/tasks)",
    "cluster": "needs a Dask cluster",
}
"""Why a command is not run here, and where it is."""

_PARTS = re.compile(
    r"^(?:<!-- docs: (?P<directive>.+?) -->"
    r"|(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$)",
    re.MULTILINE | re.DOTALL,
)


class Command(NamedTuple):
    """One command of a document.

    Attributes:
        line: number of its line in the document, 1-based.
        text: what is typed, without a comment behind it.
        shown: lines that the document shows of what it prints.
        codes: exit codes it may have.
        not_run: why it is not run, empty if it is.
    """

    line: int
    text: str
    shown: tuple[str, ...]
    codes: tuple[int, ...]
    not_run: str


class File(NamedTuple):
    """A file that the reader has made.

    Attributes:
        path: where, from the working folder.
        text: what is in it.
    """

    path: str
    text: str


class Session(NamedTuple):
    """A session with Python, as doctest reads it.

    Attributes:
        line: number of its first line in the document, 1-based.
        text: the session.
    """

    line: int
    text: str


class Document(NamedTuple):
    """One document.

    Attributes:
        path: below the root of the project.
        surroundings: where its commands are run.
        steps: commands, files and sessions, in order.
    """

    path: str
    surroundings: str
    steps: tuple[Command | File | Session, ...]

    @property
    def commands(self) -> list[Command]:
        """The commands alone."""
        return [step for step in self.steps if isinstance(step, Command)]


def read_document(path: Path) -> Document:
    """Reads one document."""
    text = path.read_text(encoding="utf-8")
    surroundings = "releases"
    steps: list[Command | File | Session] = []
    directive = ""
    for part in _PARTS.finditer(text):
        if part["directive"]:
            if part["directive"].startswith("in "):
                surroundings = part["directive"].removeprefix("in ")
            else:
                directive = part["directive"]
            continue
        if directive.startswith("file "):
            steps.append(File(directive.removeprefix("file "), part["body"]))
        elif part["language"] == "pycon":
            steps.append(Session(text.count("\n", 0, part.start()) + 2, part["body"]))
        elif part["language"] in {"console", "bash"}:
            first = text.count("\n", 0, part.start()) + 2
            steps += _commands(part["body"], part["language"] == "console", first, directive)
        directive = ""
    return Document(path.relative_to(ROOT).as_posix(), surroundings, tuple(steps))


def _commands(body: str, prompted: bool, first: int, directive: str) -> Iterator[Command]:
    typed: list[tuple[int, str, list[str]]] = []
    open_line = False
    for number, line in enumerate(body.splitlines(), first):
        if open_line:
            at, text, shown = typed[-1]
            typed[-1] = (at, f"{text[:-1]}{line.strip()}", shown)
        elif not prompted or line.startswith("$ "):
            typed.append((number, line.removeprefix("$ "), []))
        else:
            typed[-1][2].append(line)
            continue
        open_line = line.endswith("\\")
    kind, _, rest = directive.partition(" ")
    codes = [int(code) for code in rest.split(",")] if kind == "exit" else [0]
    if len(codes) == 1:
        codes *= len(typed)
    assert len(codes) == len(typed), f"line {first}: {len(typed)} commands, {len(codes)} codes"
    reason = rest.removeprefix("run: ") if kind == "not" else ""
    for (number, text, shown), code in zip(typed, codes, strict=True):
        command = re.sub(r"\s+# .*$", "", text)
        yield Command(number, command, tuple(shown), (code,), reason)


def guide_pages(language: str) -> list[Path]:
    """The pages of guide and reference that people write, in one language."""
    folders = (ROOT / "site" / "guide", ROOT / "site" / "reference")
    return [path for folder in folders for path in sorted(folder.glob(f"*.{language}.md"))]
