"""The definitions of a tree that the rest of it speaks of most: where a first reading can begin."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from annotator.model.symbol import Outline, Symbol
from annotator.model.words import SymbolKind
from annotator.outline.engine import language_of
from annotator.outline.names import leaf_name
from annotator.resolve.lexing import identifiers
from annotator.resolve.quotes import statements
from annotator.resolve.snapshot import Snapshot

FILES = 800
"""Most files that are read; in a larger tree, those nearest to its root."""

_CODE = frozenset({"python", "cpp", "rust"})
_BESIDE = re.compile(
    r"(?:^|/)(?:\.[^/]+|_?tests?|testing|test_[^/]*|[^/]*_test\.\w+|conftest\.py|docs?|examples?"
    r"|benchmarks?|third_?party|vendor|vendored|external|tools|scripts|setup\.py|node_modules)(?:/|$)",
    re.IGNORECASE,
)
"""What a project has besides the code that it is."""

_DEFINITIONS = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.TYPE}
)
_READABLE = range(4, 90)
"""Lines of a definition that can be read in one go and has something to say."""

_SHORTEST = 4
"""Letters of a name that is not a word of every program."""

_TWO_WORDS = re.compile(r"\w_\w|[a-z][A-Z]")
_STRING = re.compile(r"[rRuU]?[\"']")
_RUST_DOCUMENTATION = re.compile(r"\A(?:#\[[^\n]*\n)*\s*(?:///|/\*\*)")


class Central(NamedTuple):
    """A definition and how many files name it.

    Attributes:
        path: its file.
        symbol: the definition.
        files: files of the tree, besides its own, that its name stands in.
    """

    path: str
    symbol: Symbol
    files: int


def central_definitions(snapshot: Snapshot, count: int) -> list[Central]:
    """The documented definitions that most files name, one a file, the most central first.

    Only names that are given once count, since of others nobody could say which one a file means. Where
    nothing is documented, documentation is not asked for.
    """
    paths = _code_files(snapshot)
    snapshot.load(paths)
    named = Counter(
        name
        for path in paths
        for name in identifiers(snapshot.data(path))
        if len(name) >= _SHORTEST
    )
    snapshot.outline_all(paths)
    outlines = [(path, snapshot.outline(path)) for path in paths]
    given = Counter(leaf for path, outline in outlines for leaf in _leaves(path, outline))
    found = sorted(
        (
            Central(path, symbol, named[leaf.encode()] - 1)
            for path, outline in outlines
            for symbol in outline.symbols
            if symbol.kind in _DEFINITIONS
            and symbol.end - symbol.start + 1 in _READABLE
            and (leaf := leaf_name(symbol.name, outline.language))[:1] != "_"
            and given[leaf] == 1
        ),
        key=lambda one: (not _is_distinct(one), -one.files, one.path, one.symbol.start),
    )
    documented = (one for one in found if _is_documented(snapshot, one))
    return _one_a_file(chain(documented, found), count)


def _code_files(snapshot: Snapshot) -> list[str]:
    paths = [path for path in snapshot.files if language_of(path) in _CODE and path.isprintable()]
    own = [path for path in paths if not _BESIDE.search(path)] or paths
    return sorted(own, key=lambda path: (path.count("/"), path))[:FILES]


def _leaves(path: str, outline: Outline) -> Iterator[str]:
    for symbol in outline.symbols:
        if symbol.kind is not SymbolKind.IMPORT:
            yield leaf_name(symbol.name, outline.language)


def _is_documented(snapshot: Snapshot, one: Central) -> bool:
    """Whether it says what it is for: a docstring, a doc comment, or in C++ a comment right above."""
    language, text = snapshot.language(one.path), snapshot.text(one.path, one.symbol)
    if language == "rust":
        return _RUST_DOCUMENTATION.search(text) is not None
    if language == "python":
        parts = [part for part in statements(text, language) if part[0].text != "@"]
        return len(parts) > 1 and _STRING.match(parts[1][0].text) is not None
    above = snapshot.data(one.path)[: one.symbol.start_byte].rstrip().rpartition(b"\n")[2].strip()
    return above.startswith(b"//") or above.endswith(b"*/")


def _is_distinct(one: Central) -> bool:
    """Whether it is no member and its name no word: others hardly mean something else by it."""
    leaf = leaf_name(one.symbol.name, language_of(one.path))
    return leaf == one.symbol.name and _TWO_WORDS.search(leaf) is not None


def _one_a_file(found: Iterable[Central], count: int) -> list[Central]:
    chosen: dict[str, Central] = {}
    for one in found:
        if len(chosen) == count:
            break
        chosen.setdefault(one.path, one)
    return list(chosen.values())
