"""Definitions of Python source."""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import NamedTuple

from tree_sitter import Node

from annotator.model.words import SymbolKind
from annotator.outline.parsing import Collector, parse
from annotator.outline.python_imports import bound_names
from annotator.outline.reading import Reading, Source

_NESTED_DEFINITION = re.compile(rb"\n[ \t\f]++(?:async|def|class)\b")

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
        prefix: what the names of its members begin with: the qualified name of the class or function and a dot.
        members: names that the class defines, in its body first and then in `__init__`.
    """

    where: _Where
    prefix: str
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
        self._data = source.data
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
            visits = _VISITS[scope.where]
            for statement in block.children:
                visit = visits.get(statement.type)
                if visit is not None:
                    visit(self, statement, scope)

    def compound(self, statement: Node, scope: _Scope) -> None:
        """Looks into a compound statement, later."""
        self._todo.append((statement, scope))

    def compound_of_function(self, statement: Node, scope: _Scope) -> None:
        """Looks into a compound statement of a function, where only definitions count."""
        if self._has_definitions(statement.start_byte, statement.end_byte):
            self._todo.append((statement, scope))

    def decorated(self, statement: Node, scope: _Scope) -> None:
        """Records a definition from its first decorator on."""
        inner = statement.child_by_field_name("definition")
        if inner is not None:
            (self.function if inner.type[0] == "f" else self.class_)(inner, scope, statement)

    def function(self, node: Node, scope: _Scope, outer: Node | None = None) -> None:
        """Records a function or a method; `outer` is its definition with the decorators."""
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return
        name = self._member(self.found.text(identifier), scope)
        in_class = scope.where is _Where.CLASS
        kind = SymbolKind.METHOD if in_class else SymbolKind.FUNCTION
        outer = outer or node
        self.found.add(name, kind, outer, self._last(outer))
        if not self.found.may_enter(name):
            return
        is_init = in_class and name.endswith(".__init__")
        if not is_init and not self._has_definitions(identifier.end_byte, node.end_byte):
            return
        body = node.child_by_field_name("body")
        if body is None:
            return
        if is_init:
            self._inits.append((body, _Scope(_Where.INIT, name + ".", scope.members)))
        elif self._has_definitions(body.start_byte, body.end_byte):
            self._todo.append((body, _Scope(_Where.FUNCTION, name + ".", set())))

    def class_(self, node: Node, scope: _Scope, outer: Node | None = None) -> None:
        """Records a class; `outer` is its definition with the decorators."""
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return
        name = self._member(self.found.text(identifier), scope)
        bases = node.child_by_field_name("superclasses")
        detail = " ".join(self.found.text(bases)[1:-1].split()) if bases is not None else ""
        outer = outer or node
        self.found.add(name, SymbolKind.CLASS, outer, self._last(outer), detail)
        body = node.child_by_field_name("body")
        if body is not None and self.found.may_enter(name):
            # Where the syntax is broken, members can stand beside the body.
            inside = node if node.has_error else body
            self._todo.append((inside, _Scope(_Where.CLASS, name + ".", set())))

    def imports(self, statement: Node, _: _Scope) -> None:
        """Records what an import statement of the module binds."""
        self.found.add_all(bound_names(statement, self.found.text), SymbolKind.IMPORT, statement)

    def type_alias(self, statement: Node, scope: _Scope) -> None:
        """Records `type X = …`."""
        left = statement.child_by_field_name("left")
        if left is not None:
            leaf = self.found.text(left).partition("[")[0].strip()
            self.found.add(self._member(leaf, scope), SymbolKind.TYPE, statement)

    def variables(self, statement: Node, scope: _Scope) -> None:
        """Records the plain names that a statement of a module or class assigns to."""
        kind = SymbolKind.ATTRIBUTE if scope.where is _Where.CLASS else SymbolKind.CONSTANT
        for target in _targets(statement):
            if target.type == "identifier" and (leaf := self.found.text(target)).isidentifier():
                self.found.add(self._member(leaf, scope), kind, statement)

    def instance_attributes(self, statement: Node, scope: _Scope) -> None:
        """Records the attributes of `self` that a statement of `__init__` is the first to assign to."""
        for target in _targets(statement):
            if target.type != "attribute":
                continue
            owner, _, leaf = self.found.text(target).partition(".")
            if owner == "self" and leaf not in scope.members and leaf.isidentifier():
                scope.members.add(leaf)
                name = scope.prefix.removesuffix("__init__.") + leaf
                self.found.add(name, SymbolKind.ATTRIBUTE, statement)

    def _member(self, leaf: str, scope: _Scope) -> str:
        """The qualified name of what a statement binds, noted as a member of its class."""
        if scope.where is _Where.CLASS:
            scope.members.add(leaf)
        return scope.prefix + leaf

    def _last(self, definition: Node) -> Node:
        """The node that ends a definition; comments behind its last statement are not part of it."""
        end = definition.end_byte
        line_start = self._data.rfind(b"\n", 0, end) + 1
        if not self._data[line_start:end].lstrip().startswith(b"#"):
            return definition
        node = definition
        while code := [child for child in node.children if child.type != "comment"]:
            node = code[-1]
        return node

    def _has_definitions(self, start_byte: int, end_byte: int) -> bool:
        """Whether a line of a range can start a definition; looked up instead of walking its blocks."""
        at = bisect_left(self._definitions, start_byte)
        return at < len(self._definitions) and self._definitions[at] <= end_byte


def _targets(statement: Node) -> list[Node]:
    """What an expression statement assigns to, in source order, without the brackets around."""
    found: list[Node] = []
    value: Node | None = statement.child(0)
    while value is not None and value.type == "assignment":
        target = value.child_by_field_name("left")
        if target is not None:
            found += _unpacked(target) if target.type in _TARGET_LISTS else (target,)
        value = value.child_by_field_name("right")
    return found


def _unpacked(target: Node) -> Iterator[Node]:
    todo = [target]
    while todo:
        node = todo.pop()
        if node.type in _TARGET_LISTS:
            todo.extend(reversed(node.named_children))
        else:
            yield node


_Visit = Callable[[_Walk, Node, _Scope], None]

_DEFINITIONS: dict[str, _Visit] = {
    "class_definition": _Walk.class_,
    "decorated_definition": _Walk.decorated,
    "function_definition": _Walk.function,
}
_IN_CLASS: dict[str, _Visit] = {
    **_DEFINITIONS,
    **dict.fromkeys(_COMPOUND, _Walk.compound),
    "expression_statement": _Walk.variables,
    "type_alias_statement": _Walk.type_alias,
}
_VISITS: dict[_Where, dict[str, _Visit]] = {
    _Where.MODULE: {**_IN_CLASS, **dict.fromkeys(_IMPORTS, _Walk.imports)},
    _Where.CLASS: _IN_CLASS,
    _Where.INIT: {
        **_DEFINITIONS,
        **dict.fromkeys(_COMPOUND, _Walk.compound),
        "expression_statement": _Walk.instance_attributes,
    },
    _Where.FUNCTION: {**_DEFINITIONS, **dict.fromkeys(_COMPOUND, _Walk.compound_of_function)},
}
"""What is done for each kind of statement that can bind a name; all others are passed over."""
