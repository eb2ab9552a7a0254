"""How qualified names are put together and taken apart, by language."""

import re
from typing import NamedTuple


class Split(NamedTuple):
    """A qualified name in two parts.

    Attributes:
        parent: name of the container, or an empty string.
        leaf: the last part.
    """

    parent: str
    leaf: str


_SEPARATORS = {"python": ".", "cpp": "::", "rust": "::", "markdown": " > ", "rst": " > "}
_CPP_OPERATOR = re.compile(r"(?:^|(?<=::))operator\b")
_NUMBER = re.compile(r"#[1-9]\d*$")


def without_number(name: str) -> str:
    """The name without its `#n`."""
    head = _NUMBER.sub("", name)
    return head or name


def join_name(parent: str, leaf: str, language: str) -> str:
    """The qualified name of `leaf` inside `parent`, which may be empty."""
    return f"{parent}{_SEPARATORS[language]}{leaf}" if parent else leaf


def parent_name(symbol_name: str, language: str) -> str:
    """The qualified name of the container (without `#n`), or an empty string at the top."""
    return split_name(symbol_name, language).parent


def leaf_name(symbol_name: str, language: str) -> str:
    """The last part of a qualified name, without `#n`."""
    return split_name(symbol_name, language).leaf


def split_name(symbol_name: str, language: str) -> Split:
    """Both parts of a qualified name, without `#n`; the parts of a C++ template argument stay together."""
    name = without_number(symbol_name)
    separator = _SEPARATORS.get(language, ".")
    if language == "cpp":
        return _split_cpp(name)
    parent, _, leaf = name.rpartition(separator)
    return Split(parent, leaf)


def strip_template_arguments(name: str) -> str:
    """A C++ name without the arguments of its templates: `Vec<float, 4>::get` is `Vec::get`."""
    operator = _CPP_OPERATOR.search(name)
    head, tail = (name[: operator.start()], name[operator.start() :]) if operator else (name, "")
    kept: list[str] = []
    depth = 0
    for char in head:
        depth += char == "<"
        if not depth:
            kept.append(char)
        depth -= char == ">" and depth > 0
    return "".join(kept) + tail


def _split_cpp(name: str) -> Split:
    operator = _CPP_OPERATOR.search(name)
    if operator is None and "<" not in name:
        parent, _, leaf = name.rpartition("::")
        return Split(parent, leaf)
    limit = operator.start() if operator else len(name)
    depth = 0
    cut = -1
    for at, char in enumerate(name[:limit]):
        depth += (char == "<") - (char == ">")
        if depth <= 0 and name.startswith("::", at):
            cut = at
    return Split(name[:cut], name[cut + 2 :]) if cut >= 0 else Split("", name)
