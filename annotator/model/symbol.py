"""Outlines: the symbols of one source text, with their ranges."""

from typing import NamedTuple

from annotator.model.words import SymbolKind


class Symbol(NamedTuple):
    """One definition, heading or import in a source text.

    Attributes:
        name: qualified name within its file. Python: `Class.method.inner`; Rust and C++:
            `Type::method` (C++ namespaces are left out); headings: `Title > Section`. The second
            definition of the same name in one file is `name#2`, and so on, in source order.
        kind: what it is.
        start: first line, 1-based; includes decorators, `template<…>`, Rust's attributes and doc comments.
        end: last line, 1-based and inclusive.
        start_byte: offset of the first byte of the range (of the line's first non-blank byte).
        end_byte: offset one past the last byte of the range.
        detail: kind-dependent fact: for an import the dotted origin (`pkg.mod:Name`), for a
            class its bases, for a heading the id that its author gave it (`{#id}`), otherwise empty.
    """

    name: str
    kind: SymbolKind
    start: int
    end: int
    start_byte: int
    end_byte: int
    detail: str = ""

    @property
    def base_name(self) -> str:
        """The qualified name without its `#n`."""
        head, sep, tail = self.name.rpartition("#")
        return head if sep and tail.isdigit() and head else self.name


class Outline(NamedTuple):
    """All symbols of one source text, in source order.

    Attributes:
        language: name of the grammar, or an empty string for a text without one.
        lines: number of lines.
        symbols: the symbols; a container stands before its members.
        warnings: plain sentences on what could not be read (syntax errors, size limits).
    """

    language: str
    lines: int
    symbols: tuple[Symbol, ...]
    warnings: tuple[str, ...] = ()
