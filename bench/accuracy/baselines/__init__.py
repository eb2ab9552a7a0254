"""What else can be asked where a symbol went; each baseline answers or says that it cannot be asked."""

from collections.abc import Callable
from typing import NamedTuple

from annotator.resolve.snapshot import Snapshot
from bench.accuracy.answers import Answer
from bench.accuracy.rows import Row


class Pair(NamedTuple):
    """The two trees that a row is about."""

    old: Snapshot
    new: Snapshot


Baseline = Callable[[Row, Pair], Answer | None]
"""Answers a row, or gives none where the tool has no way to be asked."""
