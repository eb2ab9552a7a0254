"""Facts that were found, each with where."""

from collections.abc import Iterable
from typing import NamedTuple


class Found(NamedTuple):
    """A fact for a record.

    Attributes:
        fact: its path in a record, such as `gpu.model`.
        value: the fact.
        where: where it was found, in a few words.
    """

    fact: str
    value: str
    where: str


def first_of_each(found: Iterable[Found]) -> dict[str, Found]:
    """The facts by path; of several for one path the first, which comes from the better source."""
    facts: dict[str, Found] = {}
    for one in found:
        if one.value.strip():
            facts.setdefault(one.fact, one)
    return facts
