"""One YAML file, read safely: plain data, and where each piece of it stands.

PyYAML scans and parses (libyaml where it is built in); the data is built here from its events, for
three reasons. Scalars follow the YAML 1.2 core schema, not PyYAML's 1.1, in which `no` is false and
`12:30` is 750. Whatever these files never need and an attacker or a slip of the hand may bring
(aliases, tags, merge keys, duplicate keys, deep nesting) is refused. And every key and value keeps
its place, for messages and for edits.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from annotator.store.problems import Problem, ProblemsFound, shown
from annotator.store.yaml_errors import explain_syntax_error

MAX_BYTES = 1 << 20
MAX_DEPTH = 50

Loc: TypeAlias = tuple[str | int, ...]
"""The way from the root of a document to a value, in pydantic's form: keys and list indices."""

Plain: TypeAlias = bool | int | float | str | list["Plain"] | dict[str, "Plain"] | None
"""What a document can hold."""

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CORE_SCHEMA = re.compile(
    r"(?P<null>~|null|Null|NULL|)"
    r"|(?P<true>true|True|TRUE)"
    r"|(?P<false>false|False|FALSE)"
    r"|(?P<int>[-+]?[0-9]+)"
    r"|(?P<octal>0o[0-7]+)"
    r"|(?P<hex>0x[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<inf>[-+]?\.(?:inf|Inf|INF))"
    r"|(?P<nan>\.(?:nan|NaN|NAN))"
)
"""Plain scalars that are not text: YAML 1.2.2, section 10.3.2."""

_UNWANTED = re.compile(
    r"[^\t\n\r -~\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Control characters, line breaks that only YAML 1.1 counts, marks that reorder or break up text."""


def without_unwanted(text: str) -> str:
    """`text` without the characters that no document may hold."""
    return _UNWANTED.sub("", text)


class Span(NamedTuple):
    """Where a key or a value stands.

    Attributes:
        line: 1-based line of its first character.
        column: 1-based column of its first character.
        start: offset of its first character in the text.
        end: offset behind its last character, for scalars; behind the blank lines that follow, for
            block scalars.
        style: `'`, `"`, `|` or `>` for scalars so written, else empty.
    """

    line: int
    column: int
    start: int
    end: int
    style: str


class YamlSource(NamedTuple):
    """A YAML document that was read.

    Attributes:
        file: path as it is shown to the user.
        text: the document, without a byte order mark.
        data: what it holds.
        keys: where each mapping's keys stand.
        values: where each value stands; the root is `()`.
    """

    file: str
    text: str
    data: Plain
    keys: Mapping[Loc, Span]
    values: Mapping[Loc, Span]

    def value_at(self, loc: Loc) -> Plain:
        """The value at `loc`, one of the ways in `values`."""
        here: Any = self.data
        for step in loc:
            here = here[step]
        value: Plain = here
        return value

    def value_span(self, loc: Loc) -> Span:
        """The place of the value at `loc`, or of the nearest thing around it that is there."""
        while loc and loc not in self.values:
            loc = loc[:-1]
        return self.values.get(loc, Span(1, 1, 0, 0, ""))

    def problem(self, span: Span, message: str, hint: str = "") -> Problem:
        """A problem at `span`."""
        return Problem(self.file, span.line, span.column, message, hint)


def read_yaml(path: Path) -> YamlSource:
    """Reads the YAML file at `path`.

    Raises:
        ProblemsFound: with everything that is wrong with it as a YAML file.
    """
    file = shown(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ProblemsFound([Problem(file, 1, 1, f"the file cannot be read: {reason}")]) from error
    if len(content) > MAX_BYTES:
        raise ProblemsFound([Problem(file, 1, 1, "the file is larger than 1 MiB", "split it")])
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        before = content[content.rfind(b"\n", 0, error.start) + 1 : error.start]
        column = len(before.decode("utf-8")) + 1
        problem = Problem(file, line, column, "this is not UTF-8 text", "save the file as UTF-8")
        raise ProblemsFound([problem]) from error
    return parse_yaml(text.removeprefix("\ufeff"), file)


def parse_yaml(text: str, file: str, loader: Any = None) -> YamlSource:
    """Reads the YAML document `text`.

    Args:
        text: the document.
        file: how the file is called in messages.
        loader: the PyYAML loader class that scans and parses; the fastest one by default.

    Raises:
        ProblemsFound: with everything that is wrong with it as a YAML document.
    """
    if unwanted := _UNWANTED.search(text):
        line = text.count("\n", 0, unwanted.start()) + 1
        column = unwanted.start() - text.rfind("\n", 0, unwanted.start())
        message = f"there is an invisible character here (U+{ord(unwanted[0]):04X})"
        raise ProblemsFound([Problem(file, line, column, message, "delete it")])
    reader = _Reader(file, text)
    try:
        events: Any = yaml.parse(text, Loader=loader or LOADER)
        with closing(events):
            data = reader.document(events)
    except (
        yaml.YAMLError,
        ValueError,
        OverflowError,
    ) as error:  # PyYAML's own scanner lets chr() fail
        reader.problems.append(explain_syntax_error(error, text, file))
    except _StopReadingError:
        pass
    if reader.problems:
        raise ProblemsFound(reader.problems)
    return YamlSource(file, text, data, reader.keys, reader.values)


class _StopReadingError(Exception):
    """The rest of the document is not worth reading; the problem is noted."""


class _Reader:
    """Builds plain data from parser events; notes places and problems on the way."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.keys: dict[Loc, Span] = {}
        self.values: dict[Loc, Span] = {}
        self.problems: list[Problem] = []
        self.events: Iterator[yaml.Event] = iter(())

    def document(self, events: Iterator[yaml.Event]) -> Plain:
        self.events = events
        data: Plain = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.refuse(event, "a second document starts here", "one file, one document")
                    raise _StopReadingError
                data = self.value(next(events), ())
        return data

    def value(self, event: yaml.Event, loc: Loc) -> Plain:
        self.values[loc] = _span(event)
        self.refuse_properties(event)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if isinstance(event, yaml.AliasEvent):
            return None
        if len(loc) >= MAX_DEPTH:
            self.refuse(event, f"the nesting is deeper than {MAX_DEPTH} levels")
            raise _StopReadingError
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Plain] = []
            while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
                items.append(self.value(item, (*loc, len(items))))
            return items
        return self.mapping(loc)

    def mapping(self, loc: Loc) -> dict[str, Plain]:
        found: dict[str, Plain] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event)
            here = (*loc, key)
            if key in found:
                first = self.keys[here].line
                self.refuse(event, f"the key {key!r} is there twice", f"first in line {first}")
            self.keys[here] = _span(event)
            found[key] = self.value(next(self.events), here)
        return found

    def key(self, event: yaml.Event) -> str:
        self.refuse_properties(event)
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(
                event, "a key has to be a word", "put text that starts with [ or { in quotes"
            )
            raise _StopReadingError
        start = _span(event).start
        if self.text[start - 1 : start] == "?":
            # In YAML 1.2 the text of [?x] is "?x"; PyYAML's parsers take it for {x: null}.
            self.refuse(event, "text cannot begin with '?'", "put the text in double quotes")
        if event.value == "<<" and event.implicit[0]:
            self.refuse(event, "merge keys (<<) are not read", "write the keys out")
        elif not isinstance(self.scalar(event), str):
            self.refuse(event, f"the key {event.value!r} is not text", "put it in double quotes")
        return str(event.value)

    def scalar(self, event: yaml.ScalarEvent) -> Plain:
        value: str = event.value
        if unwanted := _UNWANTED.search(value):  # out of an escape
            self.refuse(event, f"the text holds an invisible character (U+{ord(unwanted[0]):04X})")
        if not event.implicit[0]:  # quoted or a block
            return value
        match = _CORE_SCHEMA.fullmatch(value)
        if match is None:
            return value
        try:
            return _CORE_TYPES[str(match.lastgroup)](value)
        except ValueError:  # Python converts no more than some thousand digits
            self.refuse(event, "the number is too long", "put it in double quotes if it is text")
            return None

    def refuse_properties(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent):
            message = f"an alias (*{event.anchor}) is not read"
            self.refuse(event, message, "write the value out, or in double quotes if it is text")
        elif event.anchor is not None:
            message = f"a YAML anchor (&{event.anchor}) is not read"
            self.refuse(event, message, "leave it out, or use double quotes if it is text")
        if getattr(event, "tag", None) is not None:
            message = f"a tag ({event.tag}) is not read"
            self.refuse(event, message, "leave it out, or use double quotes if it is text")

    def refuse(self, event: Any, message: str, hint: str = "") -> None:
        mark = event.start_mark
        self.problems.append(Problem(self.file, mark.line + 1, mark.column + 1, message, hint))


_CORE_TYPES: dict[str, Callable[[str], Plain]] = {
    "null": lambda _: None,
    "true": lambda _: True,
    "false": lambda _: False,
    "int": int,
    "octal": lambda text: int(text, 8),
    "hex": lambda text: int(text, 16),
    "float": float,
    "inf": lambda text: float(text.replace(".", "")),
    "nan": lambda _: float("nan"),
}


def _span(event: Any) -> Span:
    start = event.start_mark
    style = getattr(event, "style", "") or ""
    return Span(start.line + 1, start.column + 1, start.index, event.end_mark.index, style)
