"""Everything that differs between a symbol and its successor: place, content, split."""

from typing import NamedTuple

from annotator.model.resolution import Change
from annotator.model.symbol import Symbol
from annotator.model.words import ChangeKind, SymbolKind
from annotator.outline.lookup import find_symbol, leaf_name, parent_name
from annotator.resolve.compare import compare_texts
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.scoring import describe
from annotator.resolve.similarity import sketch
from annotator.resolve.splits import split_parts


class Differences(NamedTuple):
    """What differs.

    Attributes:
        changes: every difference.
        parts: for a split, the symbols that the old one became, its main successor first.
    """

    changes: tuple[Change, ...]
    parts: tuple[Symbol, ...] = ()


def differences(
    ladder: Ladder, path: str, symbol: Symbol, found: Found, *, content: bool = True
) -> Differences:
    """Compares a symbol of the baseline with the successor that was found for it.

    Args:
        ladder: the search it was found with.
        path: file of the symbol at the baseline.
        symbol: the symbol there.
        found: its successor; there must be one.
        content: whether to compare the texts, and not only the places.
    """
    new = found.symbol
    assert new is not None  # noqa: S101 - the caller's duty
    language = ladder.base.language(path)
    old_leaf, new_leaf = leaf_name(symbol.base_name, language), leaf_name(new.base_name, language)
    if found.special is ChangeKind.MERGED:
        return Differences((Change(kind=ChangeKind.MERGED, detail=f"into {new.name}"),))
    changes = _place_changes(ladder, path, symbol, found, new)
    parts: list[Symbol] = []
    if content:
        compared = compare_texts(
            ladder.base.text(path, symbol),
            ladder.target.text(found.path, new),
            language,
            symbol.kind,
            (old_leaf, new_leaf),
        )
        changes += compared
        if any(change.kind is ChangeKind.BODY for change in compared):
            parts = _parts(ladder, path, symbol, found, new)
    if parts:
        detail = "into " + ", ".join(part.name for part in parts)
        changes.append(Change(kind=ChangeKind.SPLIT, detail=detail))
    return Differences(tuple(changes), tuple(parts))


def _place_changes(
    ladder: Ladder, path: str, symbol: Symbol, found: Found, new: Symbol
) -> list[Change]:
    language = ladder.base.language(path)
    changes: list[Change] = []
    if found.special is ChangeKind.RE_EXPORTED:
        changes.append(Change(kind=ChangeKind.RE_EXPORTED, detail=f"{path}::{symbol.name} remains"))
    if found.path != path:
        changes.append(Change(kind=ChangeKind.MOVED_FILE, detail=f"{path} → {found.path}"))
    leaves = [leaf_name(item.base_name, language) for item in (symbol, new)]
    if leaves[0] != leaves[1]:
        changes.append(Change(kind=ChangeKind.RENAMED, detail=f"{leaves[0]} → {leaves[1]}"))
    scopes = [parent_name(item.base_name, language) for item in (symbol, new)]
    if scopes[0] != scopes[1]:
        own_names = [leaf_name(scope, language) for scope in scopes]
        renamed = own_names[0] != own_names[1] and _is_successor(
            ladder, path, scopes[0], found.path, scopes[1]
        )
        kind = ChangeKind.RENAMED if renamed else ChangeKind.MOVED_SCOPE
        detail = f"{scopes[0] or 'module'} → {scopes[1] or 'module'}"
        changes.append(Change(kind=kind, detail=detail))
    return changes


def _is_successor(ladder: Ladder, path: str, scope: str, new_path: str, new_scope: str) -> bool:
    """Whether one scope became the other, so that its members were renamed and not moved."""
    old = find_symbol(ladder.base.outline(path), scope) if scope and new_scope else None
    if old is None:
        return False
    found = ladder.find(path, old)
    return found.symbol is not None and (found.path, found.symbol.base_name) == (
        new_path,
        new_scope,
    )


def _parts(ladder: Ladder, path: str, symbol: Symbol, found: Found, new: Symbol) -> list[Symbol]:
    if symbol.kind is SymbolKind.HEADING:
        return []
    if found.special is ChangeKind.SPLIT:
        return [item.symbol for item in found.candidates[:2]]
    language = ladder.base.language(path)
    old = describe(ladder.base, path, symbol).sketch
    leaf = leaf_name(new.base_name, language)
    kept = sketch(ladder.target.text(found.path, new), language, leaf)
    parts = split_parts(ladder.pool(language), old, kept, found.path, new)
    return [new, *parts] if parts else []
