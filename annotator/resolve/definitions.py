"""Compares two Python definitions with libcst and names every kind of difference.

Only the slice of the file that holds the definition is parsed. Two trees are the same code when they are equal
after leaving out everything that only lays out text: white space, comments, redundant parentheses, trailing
commas. That comparison works on libcst's own node fields, so new syntax needs no change here.

Loading libcst takes longer than parsing a hundred files with tree-sitter, so the callers of this module import it
where they have a definition to compare; most places of most checks and traces are the same, byte for byte.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import Any, NamedTuple

import libcst as cst

from annotator.model.resolution import Change
from annotator.model.words import ChangeKind
from annotator.resolve.lexing import lex
from annotator.resolve.parameters import compare_parameters, flatten_parameters, source, written
from annotator.resolve.wording import changed_lines, likeness_of, shortened

_LAYOUT_FIELDS = frozenset(
    {
        "lpar",
        "rpar",
        "semicolon",
        "leading_lines",
        "lines_after_decorators",
        "trailing_whitespace",
        "header",
        "footer",
        "indent",
        "newline",
    }
)
_Definition = cst.FunctionDef | cst.ClassDef
_PASS = cst.SimpleStatementSuite([], leading_whitespace=cst.SimpleWhitespace(""))
_STRINGS = (cst.SimpleString, cst.ConcatenatedString)
_LAYOUT_NODES = (cst.Comma, cst.BaseParenthesizableWhitespace, cst.EmptyLine, cst.Comment)


class Unparsable(Exception):
    """The text is no definition that libcst can read."""


class _Reading(NamedTuple):
    """A node as words, with the strings that only document kept apart."""

    words: tuple[str, ...]
    documentation: tuple[str, ...]


class _Role(Enum):
    """What a type of value is to a reading. Asked once a type: libcst's bases are abstract, so isinstance is slow."""

    NO_CODE = auto()
    STRING = auto()
    EXPRESSION = auto()
    LINE = auto()
    BLOCK = auto()
    NODE = auto()


@lru_cache(maxsize=512)
def _role(value_type: type) -> _Role:
    if not issubclass(value_type, cst.CSTNode) or issubclass(value_type, _LAYOUT_NODES):
        return _Role.NO_CODE
    if issubclass(value_type, _STRINGS):
        return _Role.STRING
    if issubclass(value_type, cst.Expr):
        return _Role.EXPRESSION
    if issubclass(value_type, cst.SimpleStatementLine):
        return _Role.LINE
    if issubclass(value_type, (cst.IndentedBlock, cst.SimpleStatementSuite)):
        return _Role.BLOCK
    return _Role.NODE


@lru_cache(maxsize=512)
def _is_node(value_type: type) -> bool:
    return issubclass(value_type, cst.CSTNode)


@lru_cache(maxsize=512)
def _code_fields(node_type: type[cst.CSTNode]) -> tuple[str, ...]:
    names: list[str] = list(node_type.__dataclass_fields__)
    return tuple(
        name for name in names if name not in _LAYOUT_FIELDS and not name.startswith("whitespace")
    )


@lru_cache(maxsize=256)
def _read(node: cst.CSTNode) -> _Reading:
    """Reads a node; opening and closing marks among the words keep the tree's shape."""
    words: list[str] = []
    documentation: list[str] = []
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if type(item) is str:
            words.append(item)
            continue
        kind: type = type(item)
        role = _role(kind)
        if role is _Role.NO_CODE:
            continue
        if role is _Role.STRING and (value := item.evaluated_value) is not None:
            words.append(repr(value))
            continue
        if role is _Role.EXPRESSION and isinstance(item.value, _STRINGS):
            documentation.append(repr(item.value.evaluated_value))
            continue
        if role is _Role.LINE:
            stack += reversed(item.body)
            continue
        name = "<block"
        if role is _Role.BLOCK:
            parts = list(item.body)
        else:
            parts = _parts(item)
            name = kind.__name__
            if not parts:
                words.append(name)
                continue
            if len(parts) == 1 and type(parts[0]) is str:
                words.append(parts[0])
                continue
        words.append(name)
        stack.append(">")
        stack += reversed(parts)
    return _Reading(tuple(words), tuple(documentation))


def _parts(node: cst.CSTNode) -> list[Any]:
    parts: list[Any] = []
    for field_name in _code_fields(type(node)):
        value = getattr(node, field_name)
        if isinstance(value, (tuple, list)):
            parts += value
            continue
        kind: type = type(value)
        if kind is str or _is_node(kind):
            parts.append(value)
    return parts


def _words(*nodes: cst.CSTNode | None) -> list[str]:
    return [word for node in nodes if node is not None for word in _read(node).words]


@lru_cache(maxsize=64)
def parse_definition(text: str) -> cst.FunctionDef | cst.ClassDef | cst.BaseSmallStatement:
    """Parses the text of one definition or statement, dedented.

    Raises:
        Unparsable: if libcst cannot read it or it is nothing of the kind.
    """
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError, ValueError) as error:
        raise Unparsable(str(error)) from error
    for statement in module.body:
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            return statement
        if isinstance(statement, cst.SimpleStatementLine) and statement.body:
            return statement.body[0]
    raise Unparsable("no definition in the text")


def fingerprint_words(text: str) -> list[str]:
    """The code of a definition as words, blind to layout, comments, docstrings.

    Raises:
        Unparsable: if libcst cannot read it.
    """
    return _words(parse_definition(text))


def compare_definitions(old_text: str, new_text: str) -> list[Change]:
    """Every difference between two definitions but their names.

    Raises:
        Unparsable: if libcst cannot read one of them.
    """
    if old_text == new_text:
        return []
    tokens = lex(old_text, "python"), lex(new_text, "python")
    if tokens[0].code == tokens[1].code and _same_indents(old_text, new_text):
        # the same words on the same levels: what is left to differ is layout and comments
        kind = (
            ChangeKind.FORMATTING
            if tokens[0].comments == tokens[1].comments
            else ChangeKind.COMMENTS
        )
        return [Change(kind=kind)]
    old, new = parse_definition(old_text), parse_definition(new_text)
    if isinstance(old, cst.FunctionDef) and isinstance(new, cst.FunctionDef):
        changes = _compare_functions(old, new, (old_text, new_text))
    elif isinstance(old, cst.ClassDef) and isinstance(new, cst.ClassDef):
        changes = _compare_classes(old, new, (old_text, new_text))
    elif isinstance(old, cst.BaseSmallStatement) and isinstance(new, cst.BaseSmallStatement):
        changes = _compare_statements(old, new)
    else:
        detail = f"{_kind_word(old)} became {_kind_word(new)}"
        changes = [Change(kind=ChangeKind.BODY, detail=detail, similarity=0.0)]
    if _read(old).documentation != _read(new).documentation:
        changes.append(Change(kind=ChangeKind.DOCSTRING))
    if sorted(tokens[0].comments) != sorted(tokens[1].comments):
        changes.append(Change(kind=ChangeKind.COMMENTS))
    if not changes and _without_name(old, old_text) != _without_name(new, new_text):
        changes.append(Change(kind=ChangeKind.FORMATTING))
    return changes


def _same_indents(old_text: str, new_text: str) -> bool:
    """Whether the lines that hold code are indented alike, one by one."""
    texts = (old_text, new_text)
    lines = [
        [line for line in text.split("\n") if line.partition("#")[0].strip()] for text in texts
    ]
    indents = [[len(line) - len(line.lstrip()) for line in side] for side in lines]
    return indents[0] == indents[1]


def _without_name(node: cst.CSTNode, text: str) -> str:
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        return re.sub(rf"\b(def|class)\s+{re.escape(node.name.value)}\b", r"\1", text, count=1)
    if isinstance(node, (cst.Assign, cst.AnnAssign)):
        return text.removeprefix(_assigned(node))
    return text


def _kind_word(node: cst.CSTNode) -> str:
    return {cst.FunctionDef: "function", cst.ClassDef: "class"}.get(type(node), "statement")


def _arrow(old: str, new: str) -> str:
    return shortened(f"{old or '–'} → {new or '–'}")


def _compare_decorators(old: Sequence[cst.Decorator], new: Sequence[cst.Decorator]) -> list[Change]:
    if _words(*old) == _words(*new):
        return []
    names = [["@" + source(item.decorator) for item in side] for side in (old, new)]
    removed = [f"-{name}" for name in names[0] if name not in names[1]]
    added = [f"+{name}" for name in names[1] if name not in names[0]]
    detail = shortened(", ".join(removed + added) or "order changed")
    return [Change(kind=ChangeKind.DECORATORS, detail=detail)]


def _compare_functions(
    old: cst.FunctionDef, new: cst.FunctionDef, texts: tuple[str, str]
) -> list[Change]:
    changes = _compare_decorators(old.decorators, new.decorators)
    parameters = compare_parameters(
        flatten_parameters(old.params, _words), flatten_parameters(new.params, _words)
    )
    notes = [str(change) for change in parameters]
    if bool(old.asynchronous) != bool(new.asynchronous):
        notes.append("became async" if new.asynchronous else "is no longer async")
    if _words(old.type_parameters) != _words(new.type_parameters):
        notes.append(
            "type parameters " + _arrow(source(old.type_parameters), source(new.type_parameters))
        )
    if not notes and _words(old.params) != _words(new.params):
        notes.append("parameter list")
    if notes:
        changes.append(
            Change(
                kind=ChangeKind.SIGNATURE, detail=shortened(", ".join(notes)), parameters=parameters
            )
        )
    if _words(old.returns) != _words(new.returns):
        annotations = [
            source(side.returns.annotation) if side.returns else "" for side in (old, new)
        ]
        changes.append(Change(kind=ChangeKind.RETURN_ANNOTATION, detail=_arrow(*annotations)))
    return changes + _compare_bodies(old, new, texts)


def _compare_bodies(
    old: _Definition, new: _Definition, texts: tuple[str, str], detail: str = ""
) -> list[Change]:
    old_words, new_words = _words(old.body), _words(new.body)
    if old_words == new_words:
        return []
    if not detail:
        bodies = _body(old, texts[0]), _body(new, texts[1])
        detail = changed_lines(*bodies, "python")
    similarity = likeness_of(old_words, new_words)
    return [Change(kind=ChangeKind.BODY, detail=detail, similarity=similarity)]


def _body(node: _Definition, text: str) -> str:
    """The text of a body, cut out of its definition's: libcst writes a body as slowly as it reads it, a head quickly."""
    head = written(node.with_changes(body=_PASS)).removesuffix("pass\n")
    return text.removeprefix(head) if text.startswith(head) else written(node.body)


def _compare_classes(old: cst.ClassDef, new: cst.ClassDef, texts: tuple[str, str]) -> list[Change]:
    changes = _compare_decorators(old.decorators, new.decorators)
    if _words(*old.bases, *old.keywords) != _words(*new.bases, *new.keywords):
        lists = [
            ", ".join(source(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for arg in args)
            for args in ([*old.bases, *old.keywords], [*new.bases, *new.keywords])
        ]
        changes.append(Change(kind=ChangeKind.BASES, detail=_arrow(*lists)))
    if _words(old.type_parameters) != _words(new.type_parameters):
        detail = _arrow(source(old.type_parameters), source(new.type_parameters))
        changes.append(Change(kind=ChangeKind.SIGNATURE, detail=f"type parameters {detail}"))
    return changes + _compare_bodies(old, new, texts, _member_differences(old, new))


def _members(node: cst.ClassDef) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {}
    for statement in node.body.body:
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
            members.setdefault(statement.name.value, []).extend(_words(statement))
        elif isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                target = _assigned(small)
                if target:
                    members.setdefault(target, []).extend(_words(small))
    return members


def _assigned(statement: cst.BaseSmallStatement) -> str:
    if isinstance(statement, cst.AnnAssign):
        return source(statement.target)
    if isinstance(statement, cst.Assign):
        return source(statement.targets[0].target)
    return ""


def _member_differences(old: cst.ClassDef, new: cst.ClassDef) -> str:
    before, after = _members(old), _members(new)
    changed = [name for name in before if name in after and before[name] != after[name]]
    parts = [f"-{name}" for name in before if name not in after]
    parts += [f"+{name}" for name in after if name not in before]
    parts += [f"~{name}" for name in changed]
    return shortened(" ".join(parts))


def _compare_statements(old: cst.BaseSmallStatement, new: cst.BaseSmallStatement) -> list[Change]:
    changes: list[Change] = []
    annotations = [
        source(side.annotation.annotation) if isinstance(side, cst.AnnAssign) else ""
        for side in (old, new)
    ]
    if annotations[0] != annotations[1]:
        detail = f"type {_arrow(*annotations)}"
        changes.append(Change(kind=ChangeKind.SIGNATURE, detail=detail))
    values = [
        side.value if isinstance(side, (cst.Assign, cst.AnnAssign, cst.TypeAlias)) else side
        for side in (old, new)
    ]
    if _words(values[0]) != _words(values[1]):
        detail = _arrow(source(values[0]), source(values[1]))
        changes.append(Change(kind=ChangeKind.VALUE, detail=detail))
    return changes
