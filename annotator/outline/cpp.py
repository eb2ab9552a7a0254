"""Definitions of C, C++ and CUDA source."""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node, Tree

from annotator.model.words import SymbolKind
from annotator.outline.cpp_declarators import declared_by, plain_name, without_parameters
from annotator.outline.cpp_preprocessor import Directive, directives, one_branch, plain
from annotator.outline.names import split_name
from annotator.outline.parsing import Collector, parse
from annotator.outline.reading import Reading, Source

if TYPE_CHECKING:
    from annotator.model.symbol import Symbol

_WORD = re.compile(r"\w+")

_CONTAINERS = frozenset(
    {
        "ERROR",
        "declaration_list",
        "namespace_alias_definition",
        "namespace_definition",
        "preproc_elif",
        "preproc_elifdef",
        "preproc_else",
        "preproc_if",
        "preproc_ifdef",
        "using_declaration",
    }
)
"""Nodes whose children belong to the scope around them."""

_MAY_OPEN_NAMESPACES = _CONTAINERS | {"linkage_specification"}
_NAMESPACE_NAMES = frozenset(
    {"identifier", "namespace_identifier", "nested_namespace_specifier", "qualified_identifier"}
)

_TYPES = frozenset({"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"})
_WORDS_BEFORE_TYPE = frozenset({"storage_class_specifier", "type_qualifier"})
_CONSTANT_WORDS = frozenset({"const", "constexpr", "constinit", "__constant__"})


class _Place(NamedTuple):
    """A node to look into.

    Attributes:
        node: the node.
        first: where the range of what it defines starts: the node itself, `template<…>` or `extern "C"`.
        type_name: qualified name of the type it stands in.
        parameters: names of the template parameters in force.
    """

    node: Node
    first: Node
    type_name: str
    parameters: frozenset[str] = frozenset()


def read(source: Source) -> Reading:
    """Functions, methods, types, data members, aliases, constants and macros.

    Namespaces are left out of names, also in front of a definition (`ns::f`) when the file opens or uses that
    namespace. A specialisation keeps its arguments (`Vec<float, 4>`); members of a template that are defined
    outside it do not have its parameters (`Foo<T>::bar` is `Foo::bar`). Function bodies are not entered.

    Prototypes and declarations of static members count where the file does not define them. Members of a type
    without a name are named by the variable, field or `typedef` that it is written for; without one they
    belong to the type around it.
    """
    found = list(directives(source.data))
    data = plain(source.data, found)
    tree = parse("tree_sitter_cuda", data)
    left_out: list[Symbol] = []
    if tree.root_node.has_error and (branch := one_branch(data, found)).data != data:
        # With one branch of each conditional the braces match; the other branches come from the first pass.
        if branch.left_out:
            symbols = _walked(source, tree).found.symbols
            left_out = [symbol for symbol in symbols if _lies_in(symbol, branch.left_out)]
        tree = parse("tree_sitter_cuda", branch.data)
    walk = _walked(source, tree)
    walk.adopt(left_out)
    for directive in found:
        if directive.macro:
            walk.macro(directive)
    return walk.reading(tree.root_node)


def _walked(source: Source, tree: Tree) -> "_Walk":
    walk = _Walk(source)
    walk.run(tree.root_node)
    return walk


class _Walk:
    """One pass over the declarations of a translation unit."""

    def __init__(self, source: Source) -> None:
        self.found = Collector(source)
        self._namespaces: set[str] = set()
        self._todo: deque[_Place] = deque()
        self._prototypes: set[Symbol] = set()

    def run(self, root: Node) -> None:
        """Visits all declarations."""
        self._enter(_Place(root, root, ""))
        while self._todo:
            self._visit(self._todo.popleft())

    def adopt(self, symbols: Iterable["Symbol"]) -> None:
        """Adds symbols that another pass found."""
        self.found.symbols.extend(symbols)

    def macro(self, directive: Directive) -> None:
        """Records the macro that a directive defines."""
        name = directive.macro.decode("utf-8", "replace")
        self.found.add_span(name, SymbolKind.MACRO, directive.start, directive.end)

    def reading(self, root: Node) -> Reading:
        """What was found, without the prototypes of what is defined."""
        symbols = self.found.symbols
        defined = {symbol.name for symbol in symbols if symbol not in self._prototypes}
        symbols[:] = [
            symbol
            for symbol in symbols
            if symbol not in self._prototypes or symbol.name not in defined
        ]
        return self.found.reading(root)

    def _enter(self, place: _Place) -> None:
        after_keyword = False
        for child in place.node.children:
            kind = child.type
            if kind == "namespace":
                after_keyword = True
            elif after_keyword and kind in _NAMESPACE_NAMES:
                self._namespaces.update(_WORD.findall(self.found.text(child)))
                after_keyword = False
            else:
                self._later(_Place(child, child, place.type_name))

    def _later(self, place: _Place) -> None:
        """Queues a node; what opens namespaces goes first, because names are told by them."""
        if place.node.type in _MAY_OPEN_NAMESPACES:
            self._todo.appendleft(place)
        else:
            self._todo.append(place)

    def _visit(self, place: _Place) -> None:
        kind = place.node.type
        if kind in _CONTAINERS:
            self._enter(place)
        elif kind == "function_definition":
            self._function(place)
        elif kind in {"declaration", "field_declaration"}:
            self._declaration(place)
        elif kind in _TYPES:
            self._type(place)
        elif kind == "template_declaration":
            self._template(place)
        elif kind == "linkage_specification":
            self._linkage(place)
        elif kind in {"alias_declaration", "concept_definition"}:
            self._alias(place)
        elif kind == "type_definition":
            self._typedef(place)
        elif kind == "friend_declaration":
            self._enter(_Place(place.node, place.first, ""))

    def _template(self, place: _Place) -> None:
        parameters = place.node.child_by_field_name("parameters")
        names = set(place.parameters)
        for parameter in parameters.named_children if parameters is not None else ():
            names.update(_WORD.findall(self.found.text(parameter)))
        for child in place.node.named_children:
            if child.type not in {"template_parameter_list", "requires_clause", "comment"}:
                self._todo.append(_Place(child, place.first, place.type_name, frozenset(names)))

    def _linkage(self, place: _Place) -> None:
        body = place.node.child_by_field_name("body")
        if body is not None:
            first = body if body.type == "declaration_list" else place.first
            self._later(_Place(body, first, place.type_name))

    def _alias(self, place: _Place) -> None:
        name = place.node.child_by_field_name("name")
        if name is not None:
            joined = _join(place.type_name, self.found.text(name))
            self.found.add(joined, SymbolKind.TYPE, place.first, place.node)

    def _type(self, place: _Place) -> None:
        node = place.node
        body = node.child_by_field_name("body")
        name_node = node.child_by_field_name("name")
        if body is None:
            return
        if name_node is None:
            # Members of an anonymous union belong to the type around it.
            if node.type != "enum_specifier":
                self._enter(_Place(body, body, place.type_name))
            return
        name = _join(place.type_name, self._qualified(name_node, place.parameters))
        bases = next((child for child in node.children if child.type == "base_class_clause"), None)
        detail = " ".join(self.found.text(bases).lstrip(":").split()) if bases is not None else ""
        self.found.add(name, SymbolKind.CLASS, place.first, node, detail)
        if node.type != "enum_specifier" and self.found.may_enter(name):
            self._enter(_Place(body, body, name))

    def _function(self, place: _Place) -> None:
        declared = declared_by(place.node.child_by_field_name("declarator"))
        if declared is None:
            self._type_of(place)
            return
        self._callable(declared.name, place)

    def _callable(self, name_node: Node, place: _Place) -> None:
        name = _join(place.type_name, self._qualified(name_node, place.parameters))
        kind = SymbolKind.METHOD if split_name(name, "cpp").parent else SymbolKind.FUNCTION
        self.found.add(name, kind, place.first, place.node)

    def _declaration(self, place: _Place) -> None:
        self._type_of(place)
        node = place.node
        words = {
            self.found.text(child) for child in node.children if child.type in _WORDS_BEFORE_TYPE
        }
        is_constant = bool(words & _CONSTANT_WORDS)
        # What the grammar misread, as a macro on the line before a method, is no data member.
        is_whole = not any(child.is_error or child.is_missing for child in node.children)
        is_field = node.type == "field_declaration"
        may_be_defined_elsewhere = (
            is_field and "static" in words and node.child_by_field_name("default_value") is None
        )
        for declarator in node.children_by_field_name("declarator"):
            declared = declared_by(declarator)
            if declared is None:
                continue
            is_member = is_field or declared.name.type == "qualified_identifier"
            count = len(self.found.symbols)
            if declared.is_function:
                self._callable(declared.name, place)
            elif is_constant:
                self._variable(declared.name, SymbolKind.CONSTANT, place)
            elif is_member and is_whole:
                self._variable(declared.name, SymbolKind.ATTRIBUTE, place)
            if declared.is_function or may_be_defined_elsewhere:
                self._prototypes.update(self.found.symbols[count:])

    def _variable(self, name_node: Node, kind: SymbolKind, place: _Place) -> None:
        name = _join(place.type_name, self._qualified(name_node, place.parameters))
        if kind is SymbolKind.CONSTANT or split_name(name, "cpp").parent:
            self.found.add(name, kind, place.first, place.node)

    def _type_of(self, place: _Place) -> str:
        """Records the type that a declaration defines on the way, as in `struct A { … } a;`."""
        type_node = place.node.child_by_field_name("type")
        if type_node is None or type_node.type not in _TYPES:
            return ""
        name = type_node.child_by_field_name("name")
        around = place.type_name if name is not None else self._name_of_unnamed(place)
        self._type(_Place(type_node, place.first, around, place.parameters))
        return self.found.text(name) if name is not None else ""

    def _name_of_unnamed(self, place: _Place) -> str:
        """What stands for the name of a type without one: the first name that its declaration gives."""
        declared = declared_by(place.node.child_by_field_name("declarator"))
        if declared is None:
            return place.type_name
        return _join(place.type_name, self._qualified(declared.name, place.parameters))

    def _typedef(self, place: _Place) -> None:
        inner = self._type_of(place)
        for declarator in place.node.children_by_field_name("declarator"):
            declared = declared_by(declarator)
            if declared is not None and (name := self.found.text(declared.name)) != inner:
                joined = _join(place.type_name, name)
                self.found.add(joined, SymbolKind.TYPE, place.first, place.node)

    def _qualified(self, node: Node, parameters: frozenset[str]) -> str:
        """The name that a declarator writes, in plain form and without namespaces."""
        parts: list[str] = []
        current: Node | None = node
        while current is not None and current.type == "qualified_identifier":
            scope = current.child_by_field_name("scope")
            if scope is not None:
                parts.append(without_parameters(plain_name(self.found.text(scope)), parameters))
            current = current.child_by_field_name("name")
        while parts and parts[0] in self._namespaces:
            del parts[0]
        if current is not None:
            parts.append(self._leaf(current))
        return "::".join(part for part in parts if part)

    def _leaf(self, node: Node) -> str:
        if node.type != "operator_cast":
            return plain_name(self.found.text(node))
        part: Node | None = node
        while part is not None and part.type != "abstract_function_declarator":
            part = part.child_by_field_name("declarator")
        end_byte = part.start_byte if part is not None else node.end_byte
        return plain_name(self.found.source.text(node.start_byte, end_byte))


def _lies_in(symbol: "Symbol", ranges: list[tuple[int, int]]) -> bool:
    at = bisect_right(ranges, symbol.start_byte, key=lambda span: span[0]) - 1
    return at >= 0 and symbol.end_byte <= ranges[at][1]


def _join(type_name: str, name: str) -> str:
    return f"{type_name}::{name}" if type_name else name
