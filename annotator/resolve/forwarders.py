"""Names that stayed behind when their logic left: imports, aliases, thin forwarders.

A note is about the logic, so an anchor follows such a name to the place where the logic is now.
"""

from typing import NamedTuple

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.lookup import find_symbol, leaf_name
from annotator.resolve.snapshot import Snapshot

_MAX_STEPS = 6


class Followed(NamedTuple):
    """Where a name that stayed behind leads to.

    Attributes:
        path: file of the logic.
        symbol: the logic.
        steps: how it was reached, one sentence a step.
    """

    path: str
    symbol: Symbol
    steps: tuple[str, ...]


def follow(snapshot: Snapshot, path: str, symbol: Symbol) -> Followed | None:
    """Follows imports, aliases and forwarders from a symbol to a definition with logic of its own.

    Returns:
        The place reached, or none if the symbol does not lead anywhere in the tree.
    """
    steps: list[str] = []
    seen = {(path, symbol.name)}
    here: tuple[str, Symbol] | None = (path, symbol)
    reached: tuple[str, Symbol] | None = None
    while here is not None and len(steps) < _MAX_STEPS:
        next_place = _next(snapshot, *here)
        if next_place is None or (next_place[0], next_place[1].name) in seen:
            break
        what = "imports it" if here[1].kind is SymbolKind.IMPORT else "only passes on"
        steps.append(f"{here[0]}::{here[1].name} {what} from {next_place[0]}::{next_place[1].name}")
        seen.add((next_place[0], next_place[1].name))
        here = reached = next_place
    if reached is None or reached[1].kind is SymbolKind.IMPORT:
        return None
    return Followed(*reached, tuple(steps))


def _next(snapshot: Snapshot, path: str, symbol: Symbol) -> tuple[str, Symbol] | None:
    if snapshot.language(path) != "python":
        return None
    if symbol.kind is SymbolKind.IMPORT:
        return find_import(snapshot, symbol.detail)
    from annotator.resolve.passing_on import forwarded_name  # noqa: PLC0415 - loads libcst, see definitions

    callee = forwarded_name(snapshot.text(path, symbol), leaf_name(symbol.base_name, "python"))
    return _find_name(snapshot, path, symbol, callee) if callee else None


def find_import(snapshot: Snapshot, origin: str) -> tuple[str, Symbol] | None:
    """Finds the definition or further import that `package.module:Name` names in the tree."""
    module, _, name = origin.partition(":")
    if not name:
        return None
    stem = module.replace(".", "/")
    for path in (f"{stem}.py", f"{stem}/__init__.py"):
        if path in snapshot.files:
            symbol = find_symbol(snapshot.outline(path), name)
            if symbol is not None:
                return path, symbol
    return None


def _find_name(
    snapshot: Snapshot, path: str, symbol: Symbol, dotted: str
) -> tuple[str, Symbol] | None:
    """Finds what a dotted name used in a symbol's body stands for, in its file or by its imports."""
    outline = snapshot.outline(path)
    first, _, rest = dotted.partition(".")
    if first in {"self", "cls"} and rest:
        scope = symbol.base_name.rpartition(".")[0]
        found = find_symbol(outline, f"{scope}.{rest}")
        return (path, found) if found else None
    found = find_symbol(outline, first)
    if found is None or found.name == symbol.name:
        return None
    if found.kind is SymbolKind.IMPORT:
        module, _, name = found.detail.partition(":")
        origin = (
            found.detail if not rest else f"{module}.{name}:{rest}" if name else f"{module}:{rest}"
        )
        reached = find_import(snapshot, origin)
        if reached is None and rest and name:
            inner = find_import(snapshot, found.detail)
            method = find_symbol(snapshot.outline(inner[0]), f"{name}.{rest}") if inner else None
            return (inner[0], method) if inner and method else None
        return reached
    whole = find_symbol(outline, dotted) if rest else found
    return (path, whole) if whole else None
