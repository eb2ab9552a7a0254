"""What Python import statements bind, and where it comes from."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from annotator.model.symbol import Outline, Symbol
from annotator.model.words import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node


def bound_names(statement: "Node", text: Callable[["Node"], str]) -> Iterator[tuple[str, str]]:
    """Names that an import statement binds, each with its origin as written.

    `import a.b` binds `a` from `a`; `import a.b as c` binds `c` from `a.b`; `from .m import X as Y` binds `Y`
    from `.m:X`; `from m import *` is told as the name `*` from `m:*`. `from __future__` binds nothing of use.
    """
    prefix = ""
    awaits_module = statement.type == "import_from_statement"
    for node in statement.children:
        kind = node.type
        if kind == "dotted_name":
            origin = _dotted(text(node))
            if awaits_module:
                prefix, awaits_module = origin + ":", False
            elif prefix:
                yield origin, prefix + origin
            else:
                top = origin.partition(".")[0]
                yield top, top
        elif kind == "relative_import":
            prefix, awaits_module = _dotted(text(node)) + ":", False
        elif kind == "aliased_import":
            original = node.child_by_field_name("name")
            alias = node.child_by_field_name("alias")
            if original is not None and alias is not None:
                yield text(alias), prefix + _dotted(text(original))
        elif kind == "wildcard_import":
            yield "*", prefix + "*"


def _dotted(text: str) -> str:
    """A dotted name without the blanks that may stand around its dots."""
    return text if text.isidentifier() else "".join(text.split())


def place_imports(path: str, outline: Outline) -> Outline:
    """The outline with relative origins made absolute, as for a file at `path`.

    The dotted name is the path from the root of the tree: a package below `src/` keeps its `src.`. An
    import that leaves the tree stays relative.
    """
    if not any(symbol.detail.startswith(".") for symbol in outline.symbols):
        return outline
    package = path.split("/")[:-1]
    return outline._replace(
        symbols=tuple(
            symbol._replace(detail=_absolute(symbol.detail, package))
            if _is_relative(symbol)
            else symbol
            for symbol in outline.symbols
        )
    )


def _is_relative(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.IMPORT and symbol.detail.startswith(".")


def _absolute(origin: str, package: list[str]) -> str:
    module, _, name = origin.partition(":")
    tail = module.lstrip(".")
    up = len(module) - len(tail) - 1
    if up >= len(package):
        return origin
    parts = package[: len(package) - up] + ([tail] if tail else [])
    return f"{'.'.join(parts)}:{name}"
