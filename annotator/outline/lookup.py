"""Finding a symbol of an outline by what a person wrote, by lines, or by its container."""

import re

from annotator.model.symbol import Outline, Symbol
from annotator.model.words import SymbolKind
from annotator.outline.names import (
    join_name,
    leaf_name,
    parent_name,
    split_name,
    strip_template_arguments,
    without_number,
)

_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^>]*>")
_EMPHASIS = re.compile(r"(\*{1,3}|(?<!\w)_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_DASHES = re.compile(r"-{2,}")
_SLUG_NUMBER = re.compile(r"([-_#])(\d+)$")


def find_symbol(outline: Outline, name: str) -> Symbol | None:
    """The symbol of exactly this qualified name; `name#1` is the same as `name`."""
    plain = name.removesuffix("#1")
    return next((symbol for symbol in outline.symbols if symbol.name in {name, plain}), None)


def match_symbols(outline: Outline, selector: str, heading: bool = False) -> tuple[Symbol, ...]:
    """The symbols that a selector written by a person can mean, in source order.

    The first rule that gives anything decides: the exact name; the name whatever its number; for C++
    the name with namespaces before it, or without template arguments, of the wanted number if there is
    one; for a heading the end of its path, its own text, or the fragment that GitHub or MkDocs makes of
    it, where `#2`, `-1` and `_1` ask for the second of several.

    Args:
        outline: where to look.
        selector: the part of a target behind `::` or `#`.
        heading: whether it stood behind `#`.

    Returns:
        Nothing if there is no such symbol, several if the selector does not say which.
    """
    exact = find_symbol(outline, selector)
    if exact is not None:
        return (exact,)
    if heading:
        return _match_headings(outline, selector)
    plain = without_number(selector)
    same = tuple(symbol for symbol in outline.symbols if symbol.base_name == plain)
    if same or outline.language != "cpp":
        return same
    found = _match_cpp(outline, plain)
    number = selector[len(plain) :]
    return tuple(symbol for symbol in found if _number(symbol) == number) or found


def enclosing(outline: Outline, start: int, end: int) -> Symbol | None:
    """The innermost symbol whose range covers the lines from `start` to `end`, 1-based and inclusive."""
    best: Symbol | None = None
    for symbol in outline.symbols:
        if symbol.start > start:
            break
        if symbol.end >= end and (
            best is None or symbol.end - symbol.start <= best.end - best.start
        ):
            best = symbol
    return best


def children(outline: Outline, symbol: Symbol) -> tuple[Symbol, ...]:
    """The direct members of a symbol, in source order.

    Members defined elsewhere in the file (Rust `impl` blocks, C++ `Type::method` definitions) belong to
    the first definition of their type.
    """
    twins = [other for other in outline.symbols if other.base_name == symbol.base_name]
    return tuple(
        member
        for member in outline.symbols
        if parent_name(member.name, outline.language) == symbol.base_name
        and _owner(member, twins) is symbol
    )


def slug(heading_text: str) -> str:
    """The fragment that GitHub makes of the text of a heading."""
    text = _TAG.sub("", _LINK.sub(r"\1", heading_text))
    text = _EMPHASIS.sub(r"\2", text)
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def _match_headings(outline: Outline, selector: str) -> tuple[Symbol, ...]:
    headings = [symbol for symbol in outline.symbols if symbol.kind is SymbolKind.HEADING]
    found = _headings_named(headings, selector)
    number = _SLUG_NUMBER.search(selector)
    if found or number is None:
        return tuple(found)
    found = _headings_named(headings, selector[: number.start()])
    position = int(number[2]) - (number[1] == "#")
    return tuple(found[position : position + 1]) if position >= 0 else ()


def _headings_named(headings: list[Symbol], wanted: str) -> list[Symbol]:
    named = [symbol for symbol in headings if f" > {symbol.base_name}".endswith(f" > {wanted}")]
    if named:
        return named
    fragment = _one_dash(slug(wanted))
    return [
        symbol
        for symbol in headings
        if fragment in {symbol.detail.lower(), _one_dash(slug(leaf_name(symbol.name, "markdown")))}
        and fragment
    ]


def _one_dash(fragment: str) -> str:
    """A fragment as MkDocs makes it: where GitHub has several dashes, it has one."""
    return _DASHES.sub("-", fragment)


def _match_cpp(outline: Outline, selector: str) -> tuple[Symbol, ...]:
    wanted = "::" + strip_template_arguments(selector)
    found: list[Symbol] = []
    longest = 0
    for symbol in outline.symbols:
        name = strip_template_arguments(symbol.base_name)
        if len(name) < longest or not wanted.endswith("::" + name):
            continue
        if len(name) > longest:
            longest = len(name)
            found.clear()
        found.append(symbol)
    return tuple(found)


def _number(symbol: Symbol) -> str:
    return symbol.name[len(symbol.base_name) :] or "#1"


def _owner(member: Symbol, twins: list[Symbol]) -> Symbol:
    around = [twin for twin in twins if twin.start <= member.start and member.end <= twin.end]
    return (around or twins)[-1 if around else 0]


__all__ = [
    "children",
    "enclosing",
    "find_symbol",
    "join_name",
    "leaf_name",
    "match_symbols",
    "parent_name",
    "slug",
    "split_name",
    "without_number",
]
