"""Source text to an outline, in the language that its path says."""

import importlib
from functools import cache
from typing import NamedTuple, cast

from annotator.model.symbol import Outline
from annotator.outline.python_imports import place_imports
from annotator.outline.reading import Reader, Source, Unreadable, in_order, numbered
from annotator.outline.text import count_lines, encoding_of, is_binary

OUTLINE_VERSION = 4
"""Raised whenever the same text gives another outline than before; cached outlines are then dropped."""

SIZE_LIMIT = 11_000_000
"""Largest text, in bytes, that is outlined. Its syntax tree takes some 40 times as much memory, and generated code beyond
it is no reading material."""


class Language(NamedTuple):
    """One row of the table of languages.

    Attributes:
        module: name of its module in this package.
        grammar: distribution that its grammar comes from, if it has one.
        suffixes: file name endings, in lower case.
    """

    module: str
    grammar: str
    suffixes: tuple[str, ...]


LANGUAGES: dict[str, Language] = {
    "python": Language("python", "tree-sitter-python", (".py", ".pyi")),
    "cpp": Language(
        "cpp",
        "tree-sitter-cuda",
        (".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".cc", ".cpp", ".cxx", ".c", ".inl", ".hip"),
    ),
    "rust": Language("rust", "tree-sitter-rust", (".rs",)),
    "markdown": Language("markdown", "tree-sitter-markdown", (".md", ".markdown")),
    "rst": Language("rst", "", (".rst",)),
}

HEADED = frozenset({"markdown", "rst"})
"""Languages whose symbols are headings."""

_BY_SUFFIX = {suffix: name for name, row in LANGUAGES.items() for suffix in row.suffixes}


def language_of(path: str) -> str:
    """Name of the language of a path, or an empty string for one that has no outline."""
    name = path.rpartition("/")[2]
    _, dot, suffix = name.rpartition(".")
    return _BY_SUFFIX.get(dot + suffix.lower(), "")


def outline_text(path: str, data: bytes) -> Outline:
    """The outline of one file.

    Args:
        path: path from the root of the source tree, with forward slashes; chooses the language, and
            relative Python imports are resolved against it.
        data: content of the file.

    Returns:
        The outline. Text that cannot be read in part or at all says so in `warnings`; nothing is raised.
    """
    return place(path, outline_blob(language_of(path), data))


def outline_blob(language: str, data: bytes) -> Outline:
    """The outline of a content whatever its path, as the cache keeps it; `place` makes it a file's."""
    lines = count_lines(data)
    if not language or not data:
        return Outline(language, lines, ())
    if len(data) > SIZE_LIMIT:
        return _unread(language, lines, f"larger than {SIZE_LIMIT:,} bytes; not outlined")
    encoding = encoding_of(data)
    if is_binary(data) or encoding == "utf-16":
        return _unread(language, lines, "binary or UTF-16 content; not outlined")
    try:
        reading = _reader(language).read(Source(data, encoding))
    except Unreadable as reason:
        return _unread(language, lines, str(reason))
    return Outline(language, lines, numbered(in_order(reading.symbols)), tuple(reading.warnings))


def place(path: str, outline: Outline) -> Outline:
    """The outline of a content as that of the file `path`: relative imports get their full names."""
    return place_imports(path, outline) if outline.language == "python" else outline


@cache
def _reader(language: str) -> Reader:
    module = LANGUAGES[language].module
    return cast("Reader", importlib.import_module(f"annotator.outline.{module}"))


def _unread(language: str, lines: int, why: str) -> Outline:
    return Outline(language, lines, (), (why,))
