"""Definitions of Python source."""

import re
from bisect import bisect_left
from collections import deque
from enum import Enum, auto
from typing import NamedTuple

from tree_sitter import Node

from annotator.model.words import SymbolKind
from annotator.outline.parsing import Collector, parse
from annotator.outline.python_imports import bound_names
from annotator.outline.reading import Reading, Source

_NESTED_DEFINITION = re.compile(rb"\n[ \t\f]+(?:async|def|class)\b")

_COMPOUND = frozenset(
    {
        "ERROR",
        "block",
        "case_clause",
        "elif_clause",
        "else_clause",
        "except_clause",
        "finally_clause",
        "for_statement",
        "if_statement",
        "match_statement",
        "try_statement",
        "while_statement",
        "with_statement",
    }
)
"""Nodes that hold statements of the scope they stand in."""

_IMPORTS = frozenset({"import_statement", "import_from_statement"})

_TARGET_LISTS = frozenset(
    {
        "list_pattern",
        "list_splat_pattern",
        "parenthesized_expression",
        "pattern_list",
        "tuple_pattern",
    }
)


class _Where(Enum):
    MODULE = auto()
    CLASS = auto()
    FUNCTION = auto()
    INIT = auto()


class _Scope(NamedTuple):
    """What encloses a statement.

    Attributes:
        where: which of its bindings count.
        name: qualified name of the class or function, empty for the module.
        members: names that the class defines, in its body first and then in `__init__`.
    """

    where: _Where
    name: str
    members: set[str]


def read(source: Source) -> Reading:
    """Functions, classes, module variables, class and instance attributes, type aliases, imports.

    Definitions under `if`, `try`, `with`, loops and `match` belong to the scope around those. Assignments
    count at module and class level only, except that a first `self.x = …` in `__init__` is the
    attribute `Class.x` unless the class body has an `x` already.
    """
    tree = parse("tree_sitter_python", source.data)
    walk = _Walk(source)
    walk.run(tree.root_node)
    return walk.found.reading(tree.root_node)


class _Walk:
    """One pass over the statements of a module; expressions are never entered."""

    def __init__(self, source: Source) -> None:
        self.found = Collector(source)
        self._definitions = [match.end() for match in _NESTED_DEFINITION.finditer(source.data)]
        self._todo: deque[tuple[Node, _Scope]] = deque()
        self._inits: list[tuple[Node, _Scope]] = []

    def run(self, root: Node) -> None:
        """Visits all blocks; those of `__init__` last, when the class bodies are known."""
        self._todo.append((root, _Scope(_Where.MODULE, "", set())))
        while self._todo or self._inits:
            if not self._todo:
                self._todo.extend(self._inits)
                self._inits.clear()
            block, scope = self._todo.popleft()
            for statement in block.children:
                self._visit(statement, scope)

    def _visit(self, statement: Node, scope: _Scope) -> None:
        kind = statement.type
        if kind in _COMPOUND:
            if scope.where is not _Where.FUNCTION or self._has_definitions(statement):
                self._todo.append((statement, scope))
        elif kind == "function_definition":
            self._function(statement, statement, scope)
        elif kind == "class_definition":
            self._class(statement, statement, scope)
        elif kind == "decorated_definition":
            inner = statement.child_by_field_name("definition")
            if inner is not None:
                (self._function if inner.type[0] == "f" else self._class)(inner, statement, scope)
        elif scope.where is not _Where.FUNCTION:
            self._binding(kind, statement, scope)

    def _binding(self, kind: str, statement: Node, scope: _Scope) -> None:
        if kind == "expression_statement":
            expression = statement.child(0)
            if expression.type == "assignment":
                self._assignment(expression, statement, scope)
        elif kind == "type_alias_statement" and scope.where is not _Where.INIT:
            left = statement.child_by_field_name("left")
            if left is not None:
                leaf = self.found.text(left).partition("[")[0].strip()
                self.found.add(self._member(leaf, scope), SymbolKind.TYPE, statement)
        elif kind in _IMPORTS and scope.where is _Where.MODULE:
            for name, origin in bound_names(statement, self.found.text):
                self.found.add(name, SymbolKind.IMPORT, statement, detail=origin)

    def _function(self, node: Node, outer: Node, scope: _Scope) -> None:
        name = self._name(node, scope)
        body = node.child_by_field_name("body")
        if name is None:
            return
        in_class = scope.where is _Where.CLASS
        kind = SymbolKind.METHOD if in_class else SymbolKind.FUNCTION
        self.found.add(name, kind, outer, self._last(outer))
        if body is None or not self.found.may_enter(name):
            return
        if in_class and name.endswith(".__init__"):
            self._inits.append((body, _Scope(_Where.INIT, name, scope.members)))
        elif self._has_definitions(body):
            self._todo.append((body, _Scope(_Where.FUNCTION, name, set())))

    def _class(self, node: Node, outer: Node, scope: _Scope) -> None:
        name = self._name(node, scope)
        body = node.child_by_field_name("body")
        if name is None:
            return
        bases = node.child_by_field_name("superclasses")
        detail = " ".join(self.found.text(bases)[1:-1].split()) if bases is not None else ""
        self.found.add(name, SymbolKind.CLASS, outer, self._last(outer), detail)
        if body is not None and self.found.may_enter(name):
            # Where the syntax is broken, members can stand beside the body.
            inside = node if node.has_error else body
            self._todo.append((inside, _Scope(_Where.CLASS, name, set())))

    def _last(self, definition: Node) -> Node:
        """The node that ends a definition; comments behind its last statement are not part of it."""
        data = self.found.source.data
        line_start = data.rfind(b"\n", 0, definition.end_byte) + 1
        if not data[line_start : definition.end_byte].lstrip().startswith(b"#"):
            return definition
        node = definition
        while code := [child for child in node.children if child.type != "comment"]:
            node = code[-1]
        return node

    def _name(self, node: Node, scope: _Scope) -> str | None:
        """The qualified name of a definition, noted as a member of its class."""
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return None
        return self._member(self.found.text(identifier), scope)

    def _member(self, leaf: str, scope: _Scope) -> str:
        if scope.where is _Where.CLASS:
            scope.members.add(leaf)
        return f"{scope.name}.{leaf}" if scope.name else leaf

    def _assignment(self, node: Node, statement: Node, scope: _Scope) -> None:
        value: Node | None = node
        while value is not None and value.type == "assignment":
            target = value.child_by_field_name("left")
            if target is not None:
                for leaf in self._targets(target, scope.where is _Where.INIT):
                    self._variable(leaf, statement, scope)
            value = value.child_by_field_name("right")

    def _variable(self, leaf: str, statement: Node, scope: _Scope) -> None:
        if scope.where is _Where.MODULE:
            self.found.add(leaf, SymbolKind.CONSTANT, statement)
        elif scope.where is _Where.CLASS:
            self.found.add(self._member(leaf, scope), SymbolKind.ATTRIBUTE, statement)
        elif leaf not in scope.members:
            scope.members.add(leaf)
            name = scope.name.removesuffix("__init__") + leaf
            self.found.add(name, SymbolKind.ATTRIBUTE, statement)

    def _targets(self, target: Node, on_self: bool) -> list[str]:
        """Plain names among assignment targets, or the names of attributes of `self`."""
        names: list[str] = []
        todo = [target]
        while todo:
            node = todo.pop()
            if node.type in _TARGET_LISTS:
                todo.extend(reversed(node.named_children))
            elif on_self:
                if node.type == "attribute" and self.found.text(node).startswith("self."):
                    names.append(self.found.text(node)[5:])
            elif node.type == "identifier":
                names.append(self.found.text(node))
        return [name for name in names if name.isidentifier()]

    def _has_definitions(self, block: Node) -> bool:
        """Whether a line of a block can start a definition; looked up instead of walking the block."""
        at = bisect_left(self._definitions, block.start_byte)
        return at < len(self._definitions) and self._definitions[at] <= block.end_byte
