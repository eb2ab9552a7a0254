"""Rows of the code pane: a file with its place marked, or a difference. Marks never rely on colour."""

import difflib
from collections.abc import Iterator, Sequence

from rich.syntax import Syntax
from rich.text import Text

from annotator.report.style import printable
from annotator.tasks.views import View

_LEXERS = {"python": "python", "cpp": "cuda", "rust": "rust", "markdown": "markdown", "rst": "rst"}
_PLACE, _QUOTE = "▌", "▶"
_TAB = 8
_LONGEST = 2_000
"""Characters of a line that are shown."""
_NEAR = 3
"""Equal lines around a difference."""


def highlighted(lines: Sequence[str], language: str) -> tuple[Text, ...]:
    """The lines of a file in colour, made safe for a terminal."""
    shown = [printable(line.expandtabs(_TAB))[:_LONGEST] for line in lines]
    syntax = Syntax("", _LEXERS.get(language, "text"), theme="ansi_dark")
    text = syntax.highlight("\n".join(shown))
    coloured = text.split("\n", allow_blank=True)
    return tuple(coloured[: len(lines)])


def code_rows(lines: Sequence[Text], view: View) -> list[Text]:
    """The whole file with line numbers: a bar along the place, an arrow at the quoted statement."""
    width = len(str(max(len(lines), 1)))
    first, last = view.quote or (0, 0)
    rows = []
    for number, line in enumerate(lines, start=1):
        inside = view.start <= number <= view.end
        quoted = first <= number <= last
        mark = _QUOTE if quoted else _PLACE if inside else " "
        row = Text(no_wrap=True, end="")
        row.append(f"{number:>{width}}", style="bold" if quoted else "dim")
        row.append(mark, style="bold yellow" if quoted else "cyan")
        row.append_text(line)
        if quoted:
            row.stylize("bold", width + 1)
        elif not inside:
            row.stylize("dim", width + 1)
        rows.append(row)
    return rows


def difference_rows(old: View, new: View) -> list[Text]:
    """The difference between two places with the line numbers of both; empty if text and path are the same."""
    before, now = old.text.split("\n"), new.text.split("\n")
    width = len(str(max(old.end, new.end)))
    matcher = difflib.SequenceMatcher(a=before, b=now, autojunk=False)
    rows: list[Text] = []
    if old.path != new.path:
        rows.append(Text(f"{printable(old.path)} → {printable(new.path)}", style="bold"))
    for at, group in enumerate(matcher.get_grouped_opcodes(_NEAR)):
        if at:
            rows.append(Text("⋯", style="dim"))
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                for offset in range(old_end - old_start):
                    a, b = old_start + offset, new_start + offset
                    rows.append(_row(" ", old.start + a, new.start + b, before[a], width))
                continue
            rows += _side("-", before[old_start:old_end], old.start + old_start, width)
            rows += _side("+", now[new_start:new_end], new.start + new_start, width)
    return rows


def _side(sign: str, lines: Sequence[str], first: int, width: int) -> Iterator[Text]:
    for offset, line in enumerate(lines):
        number = first + offset
        old, new = (number, 0) if sign == "-" else (0, number)
        yield _row(sign, old, new, line, width)


def _row(sign: str, old: int, new: int, line: str, width: int) -> Text:
    numbers = f"{old or '':>{width}} {new or '':>{width}} "
    row = Text(no_wrap=True, end="")
    row.append(numbers, style="dim")
    style = {"-": "red", "+": "green"}.get(sign, "")
    row.append(f"{sign} {printable(line.expandtabs(_TAB))[:_LONGEST]}", style=style)
    return row
