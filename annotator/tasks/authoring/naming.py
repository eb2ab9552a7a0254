"""Proposes ids: lower-case words joined by hyphens, made from what people called things."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import count

from annotator.model.anchor import Quote
from annotator.model.target import Target
from annotator.outline.engine import language_of
from annotator.outline.names import leaf_name, parent_name

_HUMP = re.compile(r"(?<=[a-z0-9]{2})(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z])")
"""Where a name in capitals begins a word; a single letter in front belongs to it (`vLLM`, `XGrammar`)."""

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST = 5
"""Most words of an id's part."""

_SAYS_NOTHING = frozenset({"init", "new", "call", "main", "get", "set", "run", "post-init"})
"""Names that many things share; what they belong to is said too."""


def slug(text: str) -> str:
    """`text` as lower-case words joined by hyphens; empty if it has no Latin letters or digits."""
    words = _WORD.findall(_HUMP.sub("-", text).lower())
    return "-".join(words[:_LONGEST])


def anchor_id(owner: str, target: Target, quote: Quote | None, taken: Collection[str]) -> str:
    """An id for an anchor: its question's id and what it points at.

    Args:
        owner: id of the question.
        target: where it points.
        quote: the statement inside it, if there is one.
        taken: ids that are given away.
    """
    return unique(_anchor_ids(owner, target, quote), taken)


def unique(wishes: Iterable[str], taken: Collection[str]) -> str:
    """The first of `wishes` that is free, else the first with a number."""
    first = ""
    for wish in wishes:
        if wish not in taken:
            return wish
        first = first or wish
    return next(name for number in count(2) if (name := f"{first}-{number}") not in taken)


def _anchor_ids(owner: str, target: Target, quote: Quote | None) -> Iterator[str]:
    language = language_of(target.path)
    file = slug(target.path.rpartition("/")[2].partition(".")[0])
    leaf = slug(leaf_name(target.symbol, language)) if target.symbol else file
    parent = slug(leaf_name(parent_name(target.symbol, language), language)) or file
    statement = slug(quote.exact) if quote else ""
    join: Callable[[str], str] = lambda part: f"{owner}-{part}"  # noqa: E731
    if leaf and leaf not in _SAYS_NOTHING:
        yield join(leaf)
    for parts in ((parent, leaf), (leaf, statement), (parent, leaf, statement), (file, leaf)):
        if all(parts):
            yield join("-".join(parts))
    yield join(leaf or parent or "place")
