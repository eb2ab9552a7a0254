"""How the slow parts of a sync say how far they are."""

from collections.abc import Callable
from typing import NamedTuple


class Step(NamedTuple):
    """How far one stage of a sync is.

    Attributes:
        stage: what is being done, in a few words.
        done: how much of it is done, in `unit`.
        total: how much there is, or None if that is not known.
        unit: `bytes`, `files`, `objects` or an empty string for plain steps.
    """

    stage: str
    done: int = 0
    total: int | None = None
    unit: str = ""


ProgressCallback = Callable[[Step], None]


def silent(step: Step) -> None:
    """A callback that shows nothing."""
