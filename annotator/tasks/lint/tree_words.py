"""Every word of the code in one tree: what a text can name and be right."""

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from annotator.model.version import __version__
from annotator.outline.engine import language_of
from annotator.outline.text import is_binary
from annotator.resolve.lexing import identifiers
from annotator.store.answer_file import change, rows
from annotator.upstream.repository import Repository, Tree

FORMAT = f"{__version__}/1"
"""Part of every key: raise the number when a tree gives other words than before."""

KEPT = 32
"""Trees remembered, the latest; the words of a large one take some 2 MB."""

_TABLE = """
CREATE TABLE IF NOT EXISTS words (number INTEGER PRIMARY KEY AUTOINCREMENT, tree TEXT UNIQUE, words BLOB)
"""
_INSERT = "INSERT OR REPLACE INTO words (tree, words) VALUES (?, ?)"
_FORGET = "DELETE FROM words WHERE number <= (SELECT max(number) FROM words) - ?"

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".pdf", ".mp4", ".woff2")
"""Files that are not read: they hold no names but much noise."""

_OPTION = re.compile(rb"--[A-Za-z][\w-]+")
_IMPORTED = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\w++)[\w.]*+[ \t]+import\b"
    rb"|import[ \t]+(\w++)[\w.]*+[ \t]*(?:$|,|as\b|\#))",
    re.MULTILINE,
)
_WORD = re.compile(rb"[A-Za-z_]\w+")
# Bounded and possessive: no file can make these slow.
_CLASS = {
    "python": re.compile(
        rb"^[ \t]*class[ \t]+(?P<name>\w+)[ \t]*(?:\[[^\]\n]*\])?"
        rb"[ \t]*(?:\((?P<bases>[^()]{0,999}+(?:\([^()]{0,999}+\)[^()]{0,999}+)*)\))?[ \t]*:",
        re.MULTILINE,
    ),
    "cpp": re.compile(
        rb"\b(?:class|struct|union|enum(?:[ \t]+class)?)[ \t]+(?:[A-Z_]+[ \t]+)?"
        rb"(?P<name>\w++)(?P<bases>[^;{}()]{0,999}+)\{"
    ),
    "rust": re.compile(
        rb"\b(?:struct|enum|trait|union|impl(?:<[^>\n]{0,999}+>)?)[ \t]+"
        rb"(?:(?P<bases>\w++)(?:<[^>\n]{0,999}+>)?[ \t]+for[ \t]+)?(?P<name>\w+)"
    ),
}


class ClassPlaces(NamedTuple):
    """Where classes of one name are defined.

    Attributes:
        paths: the files.
        bases: words of their lists of bases.
    """

    paths: tuple[str, ...]
    bases: tuple[str, ...]


class TreeWords(NamedTuple):
    """The words of a tree, of its comments, strings and pages too.

    Attributes:
        names: identifiers of at least three letters.
        options: `--like-this`.
        modules: what its Python files import, by the first part of the name.
        classes: classes, structs, enums and traits by name.
        paths: its files.
        folders: their folders.
    """

    names: frozenset[str]
    options: frozenset[str]
    modules: frozenset[str]
    classes: Mapping[str, ClassPlaces]
    paths: frozenset[str]
    folders: frozenset[str]


class WordCache:
    """Words of trees by commit. Losing them costs seconds only, so every database error is ignored.

    Args:
        folder: folder of the database.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "words.sqlite"

    def words(self, repository: Repository, commit: str, besides: Tree | None = None) -> TreeWords:
        """The words of the tree of a commit, remembered or collected in one pass over its files.

        Args:
            repository: where the commit is.
            commit: its full id.
            besides: a tree whose files are left out, to see quickly what another one has more.

        Raises:
            Incomplete: if the tree or one of its files is not there.
        """
        files = repository.tree(commit).files
        key = f"{FORMAT} {commit} {besides.commit if besides else ''}"
        known = self._find(key)
        if known is None:
            left_out = frozenset(besides.files.values()) if besides else frozenset()
            known = _collect(repository, files, left_out)
            self._keep(key, known)
        names, options, modules, classes = known
        return TreeWords(
            frozenset(names),
            frozenset(options),
            frozenset(modules),
            {name: ClassPlaces(tuple(paths), tuple(bases)) for name, paths, bases in classes},
            frozenset(files),
            _folders(files),
        )

    def _find(self, key: str) -> "_Collected | None":
        for (words,) in rows(self._file, "SELECT words FROM words WHERE tree = ?", (key,)):
            with suppress(zlib.error, ValueError, TypeError):
                return _Collected(*json.loads(zlib.decompress(words)))
        return None

    def _keep(self, key: str, words: "_Collected") -> None:
        row = (key, zlib.compress(json.dumps(words).encode(), 1))
        change(self._file, [(_TABLE, ()), (_INSERT, row), (_FORGET, (KEPT,))])


class _Collected(NamedTuple):
    """What is remembered of a tree, in the form of its JSON."""

    names: list[str]
    options: list[str]
    modules: list[str]
    classes: list[tuple[str, list[str], list[str]]]


def _collect(
    repository: Repository, files: Mapping[str, str], left_out: frozenset[str]
) -> _Collected:
    paths_of = defaultdict[str, list[str]](list)
    for path, blob in files.items():
        if blob not in left_out and not path.lower().endswith(_PICTURES):
            paths_of[blob].append(path)
    names, options, modules = set[bytes](), set[bytes](), set[bytes]()
    places = defaultdict[bytes, set[str]](set)
    bases = defaultdict[bytes, set[bytes]](set)
    for blob, data in repository.read(sorted(paths_of)):
        if is_binary(data):
            continue
        names |= identifiers(data)
        if b"--" in data:
            options.update(_OPTION.findall(data))
        language = language_of(paths_of[blob][0])
        if language == "python":
            modules.update(first or second for first, second in _IMPORTED.findall(data))
        if language in _CLASS:
            for match in _CLASS[language].finditer(data):
                places[match["name"]].update(paths_of[blob])
                bases[match["name"]].update(_WORD.findall(match["bases"] or b""))
    classes = [
        (name.decode(errors="replace"), sorted(places[name]), _words(bases[name]))
        for name in sorted(places)
    ]
    return _Collected(_words(names), _words(options), _words(modules), classes)


def _words(found: Iterable[bytes]) -> list[str]:
    return sorted(word.decode(errors="replace") for word in found)


def _folders(files: Iterable[str]) -> frozenset[str]:
    folders = set[str]()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)
