"""The files in which a lost symbol can have its successor, kept up while the target moves."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.resolve.contents import Contents
from annotator.resolve.lexing import identifiers, words_of
from annotator.resolve.pool import SHARED, SIZE_LIMIT, Pool, telling
from annotator.resolve.readings import Notebook
from annotator.resolve.snapshot import Snapshot

Touched = Callable[[str], bool]
"""Whether a commit touched any file in which an identifier occurs, before or after."""

_KEPT = 0.8
"""Part of the share that makes a file like a text from which a file is looked at again after each commit."""


class FileStep(NamedTuple):
    """What one commit did to a file.

    Attributes:
        path: the file.
        blob: id of its content, none if it is not there.
        before: what its content was, none if it was not there.
        after: its content.
    """

    path: str
    blob: str | None
    before: bytes | None
    after: bytes | None


class MovingPool(Pool):
    """A pool that answers as a new one would after each commit, without reading more than the commit changed.

    Args:
        base: the baseline.
        target: the target; it may move.
        language: language of the files.
        notebook: where what is asked is noted.
    """

    def __init__(self, base: Snapshot, target: Snapshot, language: str, notebook: Notebook) -> None:
        super().__init__(base, target, language)
        self._notebook = notebook
        self._naming: dict[str, set[str]] = {}
        self._likenesses: dict[bytes, _Likeness] = {}

    @cached_property
    def _contents(self) -> Contents:
        with self._notebook.quietly():
            return super()._contents

    @cached_property
    def _replaced(self) -> Contents:
        with self._notebook.quietly():
            return super()._replaced

    @cached_property
    def _word_sets(self) -> dict[str, frozenset[bytes]]:
        """The words of each file; as sets, since they are looked up after every commit."""
        return {path: words_of(data) for path, data in self._contents.of(self._contents)}

    def backward(self) -> Pool:
        """The pool from the target, as it is now, to the baseline; it reads, and notes, for itself."""
        return Pool(self.target, self.base, self.language)

    def uniqueness(self, name: str, kind: SymbolKind) -> float:
        """How surely definitions of this name and kind are one thing that moved, 0 to 1."""
        self._notebook.now.names.add((self.language, name))
        return super().uniqueness(name, kind)

    def files_naming(self, name: str) -> list[str]:
        """Files in which an identifier occurs."""
        self._notebook.now.names.add((self.language, name))
        if name not in self._naming:
            self._naming[name] = set(super().files_naming(name))
        return sorted(self._naming[name])

    def files_like(self, text: bytes, limit: int) -> list[str]:
        """Files that share the most telling identifiers with a text, the likeliest first."""
        self._notebook.now.texts.add((self.base.commit, self.language, text))
        if text not in self._likenesses:
            self._likenesses[text] = _Likeness(text, self._word_sets)
        return self._likenesses[text].answer[:limit]

    def appeared(self, path: str) -> tuple[Symbol, ...]:
        """Symbols of a target file that the baseline's file of that path does not have."""
        self._notebook.now.files.add(path)
        return super().appeared(path)

    def move(self, steps: Sequence[FileStep], touched: Touched) -> frozenset[bytes]:
        """Takes in what a commit did to files of this language.

        Args:
            steps: what it did, file by file.
            touched: whether an identifier occurs in any of these files, before or after.

        Returns:
            The texts that the same files as before are like.
        """
        if not steps:
            return frozenset(self._likenesses)
        self._uniqueness = {
            key: value for key, value in self._uniqueness.items() if not touched(key[0])
        }
        for step in steps:
            self._appeared.pop(step.path, None)
            if "_contents" in self.__dict__:  # else nobody has searched yet
                self._move_file(step)
        for name in filter(touched, self._naming):
            for step in steps:
                self._naming[name].discard(step.path)
                if self.names(step.path, name):
                    self._naming[name].add(step.path)
        return frozenset(
            text
            for text, likeness in self._likenesses.items()
            if likeness.answer == likeness.weigh(self._word_sets)
        )

    def _move_file(self, step: FileStep) -> None:
        path = step.path
        original = self.base.files.get(path)
        differs = step.blob != original
        self._contents.drop(path)
        if differs and step.blob and step.after is not None and len(step.after) <= SIZE_LIMIT:
            self._contents.put(path, step.blob, step.after)
        if "_replaced" in self.__dict__:
            if not differs:
                self._replaced.drop(path)
            elif original and len(data := self.base.data(path)) <= SIZE_LIMIT:
                self._replaced.put(path, original, data)
        if "_word_sets" not in self.__dict__:
            return
        before = self._word_sets.pop(path, frozenset())
        after = words_of(step.after or b"") if path in self._contents else frozenset()
        if path in self._contents:
            self._word_sets[path] = after
        for likeness in self._likenesses.values():
            likeness.change(path, before, after)


class _Likeness:
    """The files like one text.

    A weight changes little with a commit, so a file far below the mark stays below it: only those near the mark, and
    those that changed, are weighed again until weights have changed by more than that distance.

    Attributes:
        answer: the files like the text, the likeliest first, when they were last weighed.
    """

    def __init__(self, text: bytes, files: Mapping[str, frozenset[bytes]]) -> None:
        self._names = identifiers(text)
        shared = (self._names & words for words in files.values())
        self._spread = Counter(chain.from_iterable(shared))
        self._weights: dict[bytes, float] = {}
        self._near: set[str] = set()
        self.answer = self.weigh(files)

    def change(self, path: str, before: frozenset[bytes], after: frozenset[bytes]) -> None:
        """Takes in other words of a file."""
        self._spread.subtract(self._names & before)
        self._spread.update(self._names & after)
        self._near.add(path)

    def weigh(self, files: Mapping[str, frozenset[bytes]]) -> list[str]:
        """Finds the files that share enough with the text, the likeliest first.

        Args:
            files: the words of all files.
        """
        weights = telling(len(files) + 1, self._spread)
        floor = SHARED * math.fsum(weights.values())
        gained = math.fsum(
            max(0.0, weight - self._weights.get(name, 0.0)) for name, weight in weights.items()
        )
        far = _KEPT * SHARED * math.fsum(self._weights.values())
        if not self._weights or far + gained >= floor:
            self._weights, self._near = weights, set(files)
        scores = {
            path: math.fsum(map(weights.__getitem__, self._names & files[path]))
            for path in self._near
            if path in files
        }
        if self._weights is weights:
            self._near = {path for path, score in scores.items() if score >= _KEPT * floor}
        ranked = sorted(((score, path) for path, score in scores.items()), reverse=True)
        self.answer = [path for score, path in ranked if score >= floor > 0]
        return self.answer


def touched_names(steps: Iterable[FileStep]) -> Touched:
    """Tells whether an identifier occurs in any of some files, before or after a commit."""
    contents = [data for step in steps for data in (step.before, step.after) if data]
    words = frozenset().union(*map(words_of, contents))

    def touched(name: str) -> bool:
        wanted = name.encode()
        plain = len(wanted) >= 3 and name.isascii() and name.isidentifier()
        return wanted in words if plain else any(wanted in data for data in contents)

    return touched
