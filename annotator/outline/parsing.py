"""Trees of tree-sitter: grammars loaded when first needed, errors told in plain words."""

import importlib
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, cached_property
from time import monotonic, thread_time

from tree_sitter import Language, Node, Parser, Tree

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.reading import NAME_LIMIT, NAMES_LIMIT, Reading, Source, Unreadable
from annotator.outline.text import line_starts

_SURELY_FAST = 64_000
_SECONDS = 2.0
_BYTES_A_SECOND = 200_000
_CHUNK = 16_384
"""Bytes handed out at a time: each is copied, and where a grammar goes back and forth, often."""


@cache
def grammar(package: str) -> Language:
    """The grammar in an installed package such as `tree_sitter_python`."""
    return Language(importlib.import_module(package).language())


def parse(package: str, data: bytes) -> Tree:
    """The syntax tree of a text, with error nodes where the text is broken.

    Grammars read some megabytes of source a second, but a few constructs cost them quadratic time. Processor
    time is therefore limited, to fifty times what ordinary source takes.

    Raises:
        Unreadable: if the limit is reached.
    """
    parser = Parser(grammar(package))
    if len(data) < _SURELY_FAST:
        return parser.parse(data)
    view = memoryview(data)
    limit = _SECONDS + len(data) / _BYTES_A_SECOND
    deadline = thread_time() + limit
    not_before = (
        monotonic() + limit
    )  # clocks of threads are slow to ask, and never ahead of this one
    try:
        return parser.parse(
            lambda start, _: view[start : start + _CHUNK],
            progress_callback=lambda *_: monotonic() > not_before and thread_time() > deadline,
        )
    except ValueError as error:
        raise Unreadable("takes too long to parse; not outlined") from error


def error_line(root: Node) -> int | None:
    """Line of the first syntax error below a node, 1-based."""
    node: Node | None = root
    while node is not None and node.has_error:
        if node.is_error or node.is_missing:
            return node.start_point.row + 1
        node = next((child for child in node.children if child.has_error or child.is_missing), None)
    return node.start_point.row + 1 if node is not None and node.is_missing else None


class Collector:
    """Gathers the symbols of one tree and guards against texts made to exhaust memory."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.symbols: list[Symbol] = []
        self._original = source.original
        self._encoding = source.encoding
        self._warnings: list[str] = []
        self._room = NAMES_LIMIT

    def text(self, node: Node) -> str:
        """The decoded text of a node."""
        return self._original[node.start_byte : node.end_byte].decode(self._encoding, "replace")

    def add(
        self, name: str, kind: SymbolKind, first: Node, last: Node | None = None, detail: str = ""
    ) -> None:
        """Records the definition `name` that reaches from the node `first` to the end of `last`."""
        self.add_all(((name, detail),), kind, first, last)

    def add_all(
        self,
        names: Iterable[tuple[str, str]],
        kind: SymbolKind,
        first: Node,
        last: Node | None = None,
    ) -> None:
        """Records several definitions of one range, each with its name and detail; see `add`."""
        last = last or first
        row = first.start_point[0]
        end_row, end_column = last.end_point
        end_byte = last.end_byte
        if end_column == 0 and end_row > row:
            # The grammar counts the line feed in; the range ends on the line before.
            end_row -= 1
            end_byte -= 1
        span = row + 1, end_row + 1, first.start_byte, end_byte
        for name, detail in names:
            self._keep(Symbol(name, kind, *span, detail))

    def add_span(self, name: str, kind: SymbolKind, start_byte: int, end_byte: int) -> None:
        """Records a definition that no node stands for."""
        data = self.source.data
        end_byte = start_byte + len(data[start_byte:end_byte].rstrip())
        row = bisect_right(self._line_starts, start_byte)
        end_row = bisect_right(self._line_starts, end_byte - 1)
        self._keep(Symbol(name, kind, row, end_row, start_byte, end_byte))

    @cached_property
    def _line_starts(self) -> list[int]:
        return line_starts(self.source.data)

    def _keep(self, symbol: Symbol) -> None:
        self._room -= len(symbol.name)
        if self._room >= 0:
            self.symbols.append(symbol)
        else:
            self._warn("its names together are too long; the rest is left out")

    def may_enter(self, name: str) -> bool:
        """Whether to look for definitions inside `name`."""
        if len(name) <= NAME_LIMIT:
            return True
        self._warn("nested too deep; what is inside is left out")
        return False

    def reading(self, root: Node) -> Reading:
        """Everything gathered, with a warning where the text has syntax errors."""
        line = error_line(root) if root.has_error else None
        if line is not None:
            self._warn(
                f"line {line}: syntax that the grammar does not know; outline is best effort"
            )
        return Reading(self.symbols, self._warnings)

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warnings:
            self._warnings.append(sentence)
