"""Defaults that a text states, against the definition that its anchor points to."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

import libcst as cst

from annotator.model.study import PlacedAnchor, Study
from annotator.model.words import SymbolKind
from annotator.resolve.definitions import Unparsable, parse_definition
from annotator.resolve.locating import NotLocated, locate
from annotator.resolve.parameters import flatten_parameters, source
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.lint.findings import Finding, Level, finding_at
from annotator.tasks.lint.sentences import sentences, versions_in
from annotator.tasks.lint.texts import texts_of

_NAME = r"`(?:\w+\.)*(?P<name>[A-Za-z_]\w*)`"
_VALUE = (
    r"(?:`(?P<code>[^`\s]+)`|(?P<number>-?\d+(?:\.\d+)?)(?=\s*(?:[)）,，;；、。]|\.(?:\s|$)|by default))"
    r"|(?P<word>[Tt]rue|[Ff]alse|None|真|假))"
)
_IN_PROSE = [
    re.compile(pattern.replace("NAME", _NAME).replace("VALUE", _VALUE))
    for pattern in (
        r"NAME\s?[（(](?:the )?(?:默认|缺省|default:? )(?:是|为|值为|值是)?\s?VALUE",
        r"NAME\s?\(VALUE by default",
        r"NAME (?:is|are) VALUE by default",
        r"NAME (?:defaults to|has the default) VALUE",
        r"NAME\s?(?:默认|缺省)(?:是|为|值为|值是)?\s?VALUE",
        r"(?:默认值|default (?:value )?of) NAME (?:是|为|is) VALUE",
    )
]
"""How a default is stated: the name in backticks, the value close by."""

_DECLARED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*:\s*[^=`]+=\s*(?P<value>[^`]+)", re.ASCII)
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>[^=`][^`]*)", re.ASCII)
_SPAN = re.compile(r"`(?P<code>[^`]+)`")
_DEFAULT_BEFORE = re.compile(r"(?:默认|缺省|default|defaults to)[是为]?[\s:：]*$")
_DEFAULT_AFTER = re.compile(r"\s?(?:by default|[（(](?:默认|缺省|the default|default)[)）])")
_WORDS = {"true": True, "真": True, "false": False, "假": False, "none": None}


class Stated(NamedTuple):
    """A default that a sentence states.

    Attributes:
        name: of the parameter, field or constant.
        value: the literal it is said to have; a word in backticks is a text.
    """

    name: str
    value: object


def default_findings(study: Study, upstream: str, snapshot: Snapshot) -> Iterator[Finding]:
    """Stated defaults that differ from the anchored definition.

    Only what the anchored definition itself defines with a literal is compared, and only where no version
    is named in the same sentence.
    """
    for text in texts_of(study):
        if text.placed is None or text.placed.upstream != upstream:
            continue
        stated = {
            one
            for spelling in (text.text.zh, text.text.en)
            for sentence in sentences(spelling or "")
            if not any(mention.is_certain for mention in versions_in(sentence))
            for one in stated_defaults(sentence)
        }
        if not stated:
            continue
        actual = _anchored_defaults(snapshot, text.placed)
        for one in sorted(stated, key=repr):
            values = actual.get(one.name, [])
            if values and not any(_agree(one.value, value) for value in values):
                told = " or ".join(repr(value) for value in values)
                message = f"the default of `{one.name}` is said to be {one.value!r}, it is {told}"
                where = (text.kind, text.name)
                yield finding_at(study, where, Level.ERROR, "wrong-default", message)


def stated_defaults(sentence: str) -> Iterator[Stated]:
    """The defaults that a sentence states."""
    for pattern in _IN_PROSE:
        for match in pattern.finditer(sentence):
            yield Stated(match["name"], _value(match))
    for span in _SPAN.finditer(sentence):
        declared = _DECLARED.fullmatch(span["code"])
        assigned = _ASSIGNED.fullmatch(span["code"])
        is_default = _DEFAULT_BEFORE.search(sentence, 0, span.start()) or _DEFAULT_AFTER.match(
            sentence, span.end()
        )
        written = declared or (assigned if is_default else None)
        if written:
            with suppress(ValueError, SyntaxError):
                value = ast.literal_eval(written["value"].strip())
                yield Stated(written["name"], _hashable(value))


def _value(match: re.Match[str]) -> object:
    written = match["code"] or match["number"] or match["word"]
    if written.lower() in _WORDS:
        return _WORDS[written.lower()]
    try:
        return _hashable(ast.literal_eval(written))
    except (ValueError, SyntaxError):
        return written


def _hashable(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool, tuple, type(None))) else repr(value)


def _agree(stated: object, actual: object) -> bool:
    """Whether a stated default is the actual one; `None` stands for what is worked out later."""
    return actual is None or stated == actual or str(stated) == str(actual)


def _anchored_defaults(snapshot: Snapshot, placed: PlacedAnchor) -> Mapping[str, list[object]]:
    """The defaults that the anchored Python definition gives, by name; what is no literal is `None`."""
    place = placed.anchor.place
    if not place.symbol or snapshot.language(place.path) != "python":
        return {}
    try:
        symbol = locate(snapshot, place).symbol
        if symbol is None or symbol.kind is SymbolKind.IMPORT:
            return {}
        node = parse_definition(snapshot.text(place.path, symbol))
    except (NotLocated, Unparsable):
        return {}
    found = defaultdict[str, list[object]](list)
    for name, default in defined_defaults(node):
        try:
            found[name].append(_hashable(ast.literal_eval(default)))
        except (ValueError, SyntaxError):
            found[name].append(None)
    return found


def defined_defaults(
    node: cst.FunctionDef | cst.ClassDef | cst.BaseSmallStatement,
) -> Iterator[tuple[str, str]]:
    """Names and the source of their defaults: parameters, fields, the assigned name itself."""
    if isinstance(node, cst.FunctionDef):
        for parameter in flatten_parameters(node.params, lambda _: []):
            if parameter.default:
                yield parameter.name, parameter.default
    elif isinstance(node, cst.ClassDef):
        for statement in node.body.body:
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    if isinstance(small, cst.BaseSmallStatement):
                        yield from defined_defaults(small)
            elif isinstance(statement, cst.FunctionDef) and statement.name.value == "__init__":
                yield from defined_defaults(statement)
    elif isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name) and node.value:
        yield node.target.value, _default_of_field(node.value)
    elif isinstance(node, cst.Assign) and isinstance(node.targets[0].target, cst.Name):
        yield node.targets[0].target.value, _default_of_field(node.value)


def _default_of_field(value: cst.BaseExpression) -> str:
    """Source of a field's default, looking into `field(default=…)` and `Field(…)`."""
    if isinstance(value, cst.Call) and source(value.func).rpartition(".")[2].lower() == "field":
        for argument in value.args:
            if argument.keyword is None or argument.keyword.value == "default":
                return source(argument.value)
    return source(value)
