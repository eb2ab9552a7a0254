"""Section titles of reStructuredText documents.

Titles are found line by line, by the rules of the docutils specification ("Sections"). A grammar for all of the
markup takes quadratic time on some of it, and only titles are wanted.
"""

import re
from collections.abc import Iterator

from annotator.outline.reading import Reading, Source
from annotator.outline.sections import Heading, read_sections
from annotator.outline.text import split_lines

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_SHORTEST = 4


def read(source: Source) -> Reading:
    """Titles with their adornments; a style of adornment gets its level when it is first used."""
    return read_sections(source, _headings(split_lines(source.text(0, len(source.data)))))


def _headings(lines: list[str]) -> Iterator[Heading]:
    lines = [line.rstrip() for line in lines]
    styles: dict[tuple[str, bool], int] = {}
    row = 0
    free = True
    while row < len(lines):
        height = _title_height(lines, row) if free else 0
        if height:
            overlined = height == 3
            style = (lines[row + height - 1][0], overlined)
            level = styles.setdefault(style, len(styles) + 1)
            yield Heading(" ".join(lines[row + overlined].split()), level, row)
        else:
            # Behind a line of running text at the margin there can be no title.
            free = not lines[row] or lines[row][0] in " \t" or lines[row].startswith("..")
        row += height or 1


def _title_height(lines: list[str], row: int) -> int:
    """Number of lines of the title that starts at `row`, 0 if none does."""
    first, second, third = [*lines[row : row + 3], "", ""][:3]
    if _ADORNMENT.match(first):
        same = first == third and second and not _ADORNMENT.match(second)
        return 3 if same and _fits(first, second.strip()) else 0
    if first and first[0] not in " \t" and _ADORNMENT.match(second) and _fits(second, first):
        return 2
    return 0


def _fits(adornment: str, title: str) -> bool:
    return len(adornment) >= min(_SHORTEST, len(title))
