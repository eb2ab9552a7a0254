"""What differs between two experiments."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from annotator.model.record import Record


class FactDifference(NamedTuple):
    """A fact in which two records differ.

    Attributes:
        fact: its path; parts of a connector's configuration have paths of their own.
        old: the first record's value, empty if it has none.
        new: the second record's value, empty if it has none.
    """

    fact: str
    old: str
    new: str


def record_differences(old: Record, new: Record) -> list[FactDifference]:
    """The facts in which two records differ, in the template's order."""
    before, now = dict(_parts(old)), dict(_parts(new))
    return [
        FactDifference(fact, before.get(fact, ""), now.get(fact, ""))
        for fact in dict.fromkeys([*before, *now])
        if before.get(fact) != now.get(fact)
    ]


def _parts(record: Record) -> Iterator[tuple[str, str]]:
    for fact, value in record.facts():
        if fact == "connector.config":
            yield from _config(fact, value)
        else:
            yield fact, value


def _config(fact: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        data = json.loads(text)
    except ValueError:
        yield fact, text
    else:
        yield from _flat(fact, data)


def _flat(path: str, data: Any) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _flat(f"{path}.{key}", value)
    else:
        yield path, data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
