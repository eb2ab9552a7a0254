"""Hand-made histories of Python functions, and annot's words in theirs."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from annotator.model.history import Step
from annotator.model.words import ChangeKind
from annotator.outline.names import leaf_name, without_number

_ORACLE_WORDS = {
    "Ybodychange": "body",
    "Yparameterchange": "signature",
    "Yparametermetachange": "signature",
    "Yreturntypechange": "return",
    "Yannotationchange": "decorators",
    "Yrename": "renamed",
    "Yfilerename": "moved",
    "Ymovefromfile": "moved",
}
_ANNOT_WORDS = {
    ChangeKind.BODY: "body",
    ChangeKind.DOCSTRING: "body",
    ChangeKind.MERGED: "body",
    ChangeKind.SPLIT: "body",
    ChangeKind.SIGNATURE: "signature",
    ChangeKind.RETURN_ANNOTATION: "return",
    ChangeKind.DECORATORS: "decorators",
    ChangeKind.RENAMED: "renamed",
    ChangeKind.MOVED_FILE: "moved",
}
_LAYOUT_WORDS = {ChangeKind.FORMATTING: "body"}
"""Quotes and layout: the same program to annot, a changed body to an oracle."""

_INTRODUCED = "Yintroduced"


class Oracle(NamedTuple):
    """One function and the commits that changed it.

    Attributes:
        name: name of its file.
        repository: name of the project.
        path: file at `start`.
        function: name at `start`, without class.
        line: a line near its beginning there, 1-based.
        start: the commit that its history is told from, backwards.
        changes: commit → what it did, in a few words that annot's answers can be put in as well.
        introduced: the commit that added it.
    """

    name: str
    repository: str
    path: str
    function: str
    line: int
    start: str
    changes: Mapping[str, frozenset[str]]
    introduced: str


def read_oracles(folder: Path) -> Iterator[Oracle]:
    """Reads every oracle of a folder."""
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        words = {
            commit: frozenset(re.findall(r"Y[a-z]+", kinds.replace("Ymultichange", "")))
            for commit, kinds in data["expectedResult"].items()
        }
        yield Oracle(
            name=file.stem,
            repository=data["repositoryName"],
            path=data["filePath"],
            function=data["functionName"],
            line=data["functionStartLine"],
            start=data["startCommitName"],
            changes={
                commit: frozenset(_ORACLE_WORDS.get(kind, kind) for kind in kinds)
                for commit, kinds in words.items()
                if _INTRODUCED not in kinds
            },
            introduced=next(commit for commit, kinds in words.items() if _INTRODUCED in kinds),
        )


def in_oracle_words(step: Step, *, layout: bool = False) -> frozenset[str]:
    """What a step of annot's did, as an oracle would tell it; nothing if it would not list the commit.

    Args:
        step: the step.
        layout: whether quotes and layout count as a changed body, as they do to an oracle.
    """
    words = _ANNOT_WORDS | (_LAYOUT_WORDS if layout else {})
    kinds = {words[change.kind] for change in step.changes if change.kind in words}
    if step.new and last_name(step.old.symbol) == last_name(step.new.symbol):
        kinds.discard("renamed")  # only the class around it was
    return frozenset(kinds)


def last_name(symbol: str) -> str:
    """The name of a function without what is around it."""
    return leaf_name(without_number(symbol), "python")
