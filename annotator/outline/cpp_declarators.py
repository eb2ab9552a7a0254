"""What a declarator of C++ declares, and one spelling for each name."""

import re
from typing import NamedTuple

from tree_sitter import Node

_NAMES = frozenset(
    {
        "destructor_name",
        "field_identifier",
        "identifier",
        "operator_cast",
        "operator_name",
        "qualified_identifier",
        "template_function",
        "template_method",
        "type_identifier",
    }
)
_SPACE_AFTER_OPERATOR = re.compile(r"\boperator\s+(?=\W)")
_COMMA = re.compile(r"\s*,\s*")
_IN_ANGLES = re.compile(r"(?<=<)\s+|\s+(?=>)")
_ARGUMENTS = re.compile(r"<(.*)>$")


class Declared(NamedTuple):
    """What a declarator declares.

    Attributes:
        name: the node of its name.
        is_function: whether it is a function rather than a variable, which a pointer to a function is.
    """

    name: Node
    is_function: bool


def declared_by(declarator: Node | None) -> Declared | None:
    """The name inside a declarator and what it stands for; nothing where the grammar supplied a name itself."""
    node = declarator
    is_function = False
    while node is not None and node.type not in _NAMES:
        if node.type != "parenthesized_declarator":
            is_function = node.type == "function_declarator"
        inner = node.child_by_field_name("declarator")
        node = inner if inner is not None else next(iter(reversed(node.named_children)), None)
    if node is None or node.is_missing:
        return None
    cast = node
    while cast.type == "qualified_identifier" and (name := cast.child_by_field_name("name")):
        cast = name
    return Declared(node, is_function or cast.type == "operator_cast")


def plain_name(text: str) -> str:
    """A name whatever its spacing: `Vec< float,4 >` is `Vec<float, 4>`, `operator ()` is `operator()`."""
    if text.isidentifier():
        return text
    text = _SPACE_AFTER_OPERATOR.sub("operator", " ".join(text.split()))
    return _IN_ANGLES.sub("", _COMMA.sub(", ", text))


def without_parameters(name: str, parameters: frozenset[str]) -> str:
    """The name of a template without arguments that only repeat its own parameters."""
    arguments = _ARGUMENTS.search(name)
    if arguments and {part.strip(" .") for part in arguments[1].split(",")} <= parameters:
        return name[: arguments.start()]
    return name
