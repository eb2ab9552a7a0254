"""Definitions of Rust source."""

import re
from collections import deque
from typing import NamedTuple

from tree_sitter import Node

from annotator.model.words import SymbolKind
from annotator.outline.parsing import Collector, parse
from annotator.outline.reading import Reading, Source

_NESTED_ITEM = re.compile(rb"\b(?:fn|struct|enum|impl|mod)\s")

_KINDS = {
    "associated_type": SymbolKind.TYPE,
    "const_item": SymbolKind.CONSTANT,
    "enum_item": SymbolKind.CLASS,
    "function_item": SymbolKind.FUNCTION,
    "function_signature_item": SymbolKind.FUNCTION,
    "macro_definition": SymbolKind.MACRO,
    "mod_item": SymbolKind.CLASS,
    "static_item": SymbolKind.CONSTANT,
    "struct_item": SymbolKind.CLASS,
    "trait_item": SymbolKind.CLASS,
    "type_item": SymbolKind.TYPE,
    "union_item": SymbolKind.CLASS,
}


class _Block(NamedTuple):
    """A list of items to look through.

    Attributes:
        node: the list.
        name: qualified name that its items go below.
        of_type: whether functions in it are methods.
    """

    node: Node
    name: str = ""
    of_type: bool = False


def read(source: Source) -> Reading:
    """Functions, methods, types, traits, inline modules, constants, macros, also inside functions.

    Methods are `Type::f` for inherent and for trait implementations alike. The range of an item starts at
    the first of the attributes and doc comments above it. A module file (`mod name;`) is no definition.
    """
    tree = parse("tree_sitter_rust", source.data)
    found = Collector(source)
    todo = deque([_Block(tree.root_node)])
    while todo:
        block = todo.popleft()
        first: Node | None = None
        for item in block.node.children:
            if item.type == "attribute_item" or _is_doc_comment(item):
                first = first or item
            elif item.type not in {"line_comment", "block_comment"}:
                todo.extend(_read_item(item, first or item, block, found))
                first = None
    return found.reading(tree.root_node)


def _read_item(item: Node, first: Node, block: _Block, found: Collector) -> list[_Block]:
    """Records an item; returns the lists of items inside it."""
    body = item.child_by_field_name("body")
    kind = _KINDS.get(item.type)
    if kind is None:
        if item.type == "impl_item" and body is not None:
            return [_Block(body, _join(block.name, _implemented(item, found)), of_type=True)]
        if item.type == "foreign_mod_item" and body is not None:
            return [_Block(body, block.name)]
        return [_Block(item, block.name, block.of_type)] if item.type == "ERROR" else []
    leaf = item.child_by_field_name("name")
    if leaf is None or (item.type == "mod_item" and body is None):
        return []
    name = _join(block.name, found.text(leaf))
    if kind is SymbolKind.FUNCTION and block.of_type:
        kind = SymbolKind.METHOD
    found.add(name, kind, first, item)
    if body is None or not found.may_enter(name):
        return []
    if item.type in {"mod_item", "trait_item"}:
        return [_Block(body, name, of_type=item.type == "trait_item")]
    if item.type == "function_item" and _NESTED_ITEM.search(
        found.source.data, body.start_byte, body.end_byte
    ):
        return [_Block(body, name)]
    return []


def _implemented(item: Node, found: Collector) -> str:
    """Name of the type that an `impl` block is for, without path, arguments, and references."""
    node = item.child_by_field_name("type")
    while node is not None:
        inner = node.child_by_field_name(
            "name" if node.type == "scoped_type_identifier" else "type"
        )
        if node.type == "dynamic_type":
            inner = node.child_by_field_name("trait")
        if inner is None:
            return " ".join(found.text(node).split())
        node = inner
    return ""


def _is_doc_comment(node: Node) -> bool:
    return (
        node.type in {"line_comment", "block_comment"}
        and node.child_by_field_name("outer") is not None
    )


def _join(parent: str, name: str) -> str:
    return f"{parent}::{name}" if parent and name else parent or name
