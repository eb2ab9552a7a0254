"""What a lint finds: one thing to improve, with its place."""

from enum import StrEnum
from typing import NamedTuple

from annotator.model.study import Kind, PlacedAnchor, Study


class Level(StrEnum):
    """How much a finding matters.

    `error`: the study contradicts itself, its handbook or the source. `warning`: something is missing
    or weak. `info`: worth a look.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Finding(NamedTuple):
    """One thing to improve. Findings sort by place.

    Attributes:
        file: path below the study's folder, with forward slashes.
        line: 1-based.
        level: how much it matters.
        rule: name of what was checked, to select findings by.
        message: a plain sentence.
    """

    file: str
    line: int
    level: Level
    rule: str
    message: str


def finding_at(
    study: Study, where: tuple[Kind, str], level: Level, rule: str, message: str
) -> Finding:
    """A finding at the thing of a kind and name or number."""
    place = study.where[where]
    return Finding(place.file, place.line, level, rule, message)


def finding_at_anchor(placed: PlacedAnchor, level: Level, rule: str, message: str) -> Finding:
    """A finding at an anchor."""
    return Finding(placed.file, placed.line, level, rule, message)
