"""The part of a target tree in which a lost symbol can have a successor.

A successor stands in a file that differs from the baseline, so files with an unchanged blob are left out. Files are
searched by the identifiers in them before any is parsed.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from heapq import nlargest
from itertools import chain

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.resolve.contents import Contents
from annotator.resolve.lexing import identifiers
from annotator.resolve.snapshot import Snapshot

SIZE_LIMIT = 2_000_000
SHARED = 0.25
"""Share of a text's telling identifiers that a file must have to be like it."""
_COMMON = 5
"""Files that may define a name on both sides before it counts as a common one."""
_DATA = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.CONSTANT})
_DEFINES = {
    "python": rb"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+%b\b",
    "python data": rb"^[ \t]*%b[ \t]*(?::[^\n=]*)?=[^=]",
    "rust": rb"\b(?:fn|struct|enum|trait|union|mod|type|const|static|macro_rules!)[ \t]+%b\b",
    "cpp": rb"\b(?:class|struct|enum|union|using|define)[ \t]+%b\b|^[^\n;=#]*[ \t*&:]%b[ \t]*\(",
}
"""What defines a name; good enough to count files, not to find places."""


class Pool:
    """The changed and added files of one language between two commits.

    Args:
        base: the baseline.
        target: the commit in which successors are sought.
        language: language of the files.
    """

    def __init__(self, base: Snapshot, target: Snapshot, language: str) -> None:
        self.base = base
        self.target = target
        self.language = language
        self._appeared: dict[str, tuple[Symbol, ...]] = {}
        self._uniqueness: dict[tuple[str, SymbolKind], float] = {}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Changed and added files of the language."""
        before = self.base.files
        return tuple(
            path
            for path, blob in self.target.files.items()
            if before.get(path) != blob and self.target.language(path) == self.language
        )

    @cached_property
    def _contents(self) -> Contents:
        return _contents_of(self.target, self.paths)

    @cached_property
    def _replaced(self) -> Contents:
        """Contents of the baseline's files that changed or are gone."""
        after = self.target.files
        paths = [
            path
            for path, blob in self.base.files.items()
            if after.get(path) != blob and self.base.language(path) == self.language
        ]
        return _contents_of(self.base, paths)

    def backward(self) -> "Pool":
        """The pool from the target to the baseline: the files that changed or are gone. What both read is kept once."""
        pool = Pool(self.target, self.base, self.language)
        pool._contents, pool._replaced = self._replaced, self._contents
        return pool

    def uniqueness(self, name: str, kind: SymbolKind) -> float:
        """How surely definitions of this name and kind are one thing that moved, 0 to 1.

        1 where a single file lost such a definition and a single file gained one; less where many did, or
        where many files have one on both sides.
        """
        if (name, kind) not in self._uniqueness:
            data = " data" if self.language == "python" and kind in _DATA else ""
            pattern = _DEFINES.get(self.language + data, _DEFINES["python"])
            before = _defining(self._replaced, name.encode(), pattern)
            after = _defining(self._contents, name.encode(), pattern)
            moved = max(1, len(before - after), len(after - before))
            common = max(1, len(before & after))
            self._uniqueness[name, kind] = min(1.0, _COMMON / common) / moved
        return self._uniqueness[name, kind]

    def files_naming(self, name: str) -> list[str]:
        """Files in which an identifier occurs."""
        word = name.encode()
        whole = _whole_word(word).search
        return [path for path, data in self._contents.with_name(word) if whole(data)]

    def names(self, path: str, name: str) -> bool:
        """Whether an identifier occurs in one of the files."""
        word = name.encode()
        return any(_whole_word(word).search(data) for _, data in self._contents.of([path]))

    @property
    def left_out(self) -> Sequence[str]:
        """Files that are too large to be searched."""
        return self._contents.left_out

    @cached_property
    def _words(self) -> dict[str, bytes]:
        return self._contents.words()

    def files_like(self, text: bytes, limit: int) -> list[str]:
        """Files that share the most telling identifiers with a text, the likeliest first."""
        names = identifiers(text)
        shared = {
            path: tuple(some)  # a set takes several times the memory
            for path, words in self._words.items()
            if (some := names.intersection(words.split()))
        }
        weights = telling(len(self._words) + 1, Counter(chain.from_iterable(shared.values())))
        floor = SHARED * math.fsum(weights.values())
        scored = (
            (math.fsum(map(weights.__getitem__, some)), path) for path, some in shared.items()
        )
        return [path for score, path in nlargest(limit, scored) if score >= floor]

    def appeared(self, path: str) -> tuple[Symbol, ...]:
        """Symbols of a target file that the baseline's file of that path does not have."""
        if path not in self._appeared:
            self._appeared[path] = _only_in(self.target, self.base, path)
        return self._appeared[path]

    def appeared_in(self, paths: Iterable[str]) -> Iterator[tuple[str, Symbol]]:
        """Symbols that appeared in any of the files."""
        wanted = list(paths)
        self.target.outline_all(wanted)
        self.base.outline_all(path for path in wanted if path in self.base.files)
        for path in wanted:
            for symbol in self.appeared(path):
                yield path, symbol

    def vanished(self, path: str) -> tuple[Symbol, ...]:
        """Symbols of a baseline file that the target's file of that path does not have."""
        return _only_in(self.base, self.target, path)


def _contents_of(snapshot: Snapshot, paths: Iterable[str]) -> Contents:
    blobs = {path: snapshot.files[path] for path in paths}
    return Contents(blobs, partial(snapshot.repository.read, size_limit=SIZE_LIMIT))


@lru_cache(maxsize=256)
def _whole_word(name: bytes) -> re.Pattern[bytes]:
    word = re.escape(name)  # first, so that it is looked for as plain text
    return re.compile(rb"%b(?!\w)(?<!\w%b)" % (word, word))


def telling(files: int, spread: Mapping[bytes, int]) -> dict[bytes, float]:
    """How much each identifier tells: the fewer files it occurs in, the more.

    Args:
        files: how many files there are.
        spread: in how many of them each identifier occurs.
    """
    return {name: math.log(files / count) for name, count in spread.items() if count}


def _defining(contents: Contents, name: bytes, pattern: bytes) -> set[str]:
    """Files that define a name. Only lines that have it are matched: the patterns are slow on whole files."""
    defines = re.compile(pattern.replace(b"%b", re.escape(name)), re.MULTILINE)
    return {path for path, data in contents.with_name(name) if _defines(data, name, defines)}


def _defines(data: bytes, name: bytes, defines: re.Pattern[bytes]) -> bool:
    at = data.find(name)
    while at >= 0:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end + 1
        if defines.search(data[data.rfind(b"\n", 0, at) + 1 : end]):
            return True
        at = data.find(name, end)
    return False


def _only_in(one: Snapshot, other: Snapshot, path: str) -> tuple[Symbol, ...]:
    """Symbols of a file in one tree that the other tree's file does not have.

    An import of a name is no definition of it, and data that became code of the same name is another thing.
    """
    if path not in one.files:
        return ()
    known = (
        {(symbol.name, symbol.kind in _DATA) for symbol in _definitions(other, path)}
        if path in other.files
        else frozenset()
    )
    return tuple(
        symbol
        for symbol in _definitions(one, path)
        if (symbol.name, symbol.kind in _DATA) not in known
    )


def _definitions(snapshot: Snapshot, path: str) -> Iterator[Symbol]:
    symbols = snapshot.outline(path).symbols
    return (symbol for symbol in symbols if symbol.kind is not SymbolKind.IMPORT)
