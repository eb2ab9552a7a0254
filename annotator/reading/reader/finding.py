"""Jump and search: anchors by number, id, title and words of their notes; lines of the file on the screen."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotator.model.study import PlacedAnchor, Study
from annotator.reading.reader.notes import title_of
from annotator.reading.wording import Language
from annotator.report.style import printable

LIMIT = 60
_AROUND = 24


class Hit(NamedTuple):
    """Somewhere to go.

    Attributes:
        label: what is shown.
        anchor: position of the anchor in the route, or -1 for a line of the file on the screen.
        line: 1-based line of that file, else 0.
    """

    label: str
    anchor: int
    line: int = 0


def find(
    study: Study,
    anchors: Sequence[PlacedAnchor],
    lines: Sequence[str],
    words: str,
    language: Language,
) -> list[Hit]:
    """Where `words` leads: names first, then notes, then code.

    Args:
        study: the study.
        anchors: every anchor in reading order.
        lines: the file on the screen.
        words: what was typed; `7` is question 7, `:120` is line 120.
        language: language of titles.
    """
    wanted = words.strip().lower()
    if not wanted:
        return []
    if wanted.startswith(":") and wanted[1:].isdigit():
        number = min(max(int(wanted[1:]), 1), max(len(lines), 1))
        return [Hit(f":{number}", -1, number)]
    hits = [
        *_by_number(study, anchors, wanted, language),
        *_by_name(study, anchors, wanted, language),
        *_by_note(anchors, wanted),
        *_by_code(lines, wanted),
    ]
    return hits[:LIMIT]


def _by_number(
    study: Study, anchors: Sequence[PlacedAnchor], wanted: str, language: Language
) -> Iterator[Hit]:
    question = study.question(int(wanted)) if wanted.isdigit() and len(wanted) < 4 else None
    owner = question.id if question else wanted
    for at, placed in enumerate(anchors):
        if placed.owner.lower() == owner:
            yield Hit(title_of(study, placed, language), at)
            return


def _by_name(
    study: Study, anchors: Sequence[PlacedAnchor], wanted: str, language: Language
) -> Iterator[Hit]:
    for at, placed in enumerate(anchors):
        names = f"{placed.anchor.id} {placed.anchor.target} {title_of(study, placed, language)}"
        if wanted in names.lower():
            yield Hit(f"{placed.anchor.id}  {placed.anchor.target}", at)


def _by_note(anchors: Sequence[PlacedAnchor], wanted: str) -> Iterator[Hit]:
    for at, placed in enumerate(anchors):
        for note in (placed.anchor.note.zh, placed.anchor.note.en):
            where = (note or "").lower().find(wanted)
            if note and where >= 0:
                around = note[max(where - _AROUND, 0) : where + len(wanted) + _AROUND]
                yield Hit(f"{placed.anchor.id}  …{' '.join(around.split())}…", at)
                break


def _by_code(lines: Sequence[str], wanted: str) -> Iterator[Hit]:
    for number, line in enumerate(lines, start=1):
        if wanted in line.lower():
            yield Hit(f":{number}  {printable(line.strip())}", -1, number)
