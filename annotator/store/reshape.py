"""Keys and list items put into a YAML file or taken out; every line that is not theirs stays.

As with single values, each new text is read back and has to say exactly what was meant.
"""

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

from annotator.model.failures import UserMistake
from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import Loc, YamlSource, parse_yaml
from annotator.store.yaml_writer import yaml_text

_COMMENT = re.compile(r"[ \t]*#[^\n]*")


def without_item(source: YamlSource, loc: Loc) -> YamlSource:
    """`source` without the list item at `loc`, its lines, and the comments right above that belong to it.

    Raises:
        UserMistake: if the item is not written on lines of its own.
    """
    before = _lines(source.text)
    first, last = source.values[loc].line - 1, _last_line(source, loc)
    dash = re.match(r"( *)-", before[first])
    indent = len(dash[1]) if dash else -1
    while first > 0 and _is_comment(before[first - 1], indent):
        first -= 1
    *way, index = loc
    wanted = _copied(source.data, tuple(way))
    del _at(wanted, tuple(way))[index]
    text = "".join(before[:first] + before[last + 1 :])
    return _checked(source, text, wanted, f"the entry in line {source.values[loc].line}")


def with_key(source: YamlSource, loc: Loc, key: str, value: str) -> YamlSource:
    """`source` with a new key behind the last one of the mapping at `loc`.

    Raises:
        UserMistake: if the mapping is written in a way that leaves no place for it.
    """
    last = list(_at(source.data, loc))[-1]
    place, span = source.keys[*loc, last], source.values[*loc, last]
    wanted = _copied(source.data, loc)
    _at(wanted, loc)[key] = value
    text = source.text
    if text[source.values[loc].start] == "{":
        inline = f"{key}: {json.dumps(value, ensure_ascii=False)}"
        text = f"{text[: span.end]}, {inline}{text[span.end :]}"
    else:
        at = _last_line(source, (*loc, last)) + 1
        text = _with_lines(text, at, at, yaml_text({key: value}), place.column - 1)
    return _checked(source, text, wanted, f"the key {key!r}")


def with_mapping(source: YamlSource, loc: Loc, new: Mapping[str, Any]) -> YamlSource:
    """`source` with the whole mapping at `loc` written anew; comments inside it go with it.

    Raises:
        UserMistake: if the mapping is not written on lines of its own.
    """
    key = source.keys[loc]
    body = yaml_text({str(loc[-1]): new})
    wanted = _copied(source.data, loc[:-1])
    _at(wanted, loc[:-1])[loc[-1]] = dict(new)
    end = _last_line(source, loc) + 1
    text = _with_lines(source.text, key.line - 1, end, body, key.column - 1)
    return _checked(source, text, wanted, repr(loc[-1]))


def lines_of_value(source: YamlSource, loc: Loc) -> str:
    """The lines of the key and value at `loc` as they are written, comments in them included."""
    lines = _lines(source.text)
    return "".join(lines[source.keys[loc].line - 1 : _last_line(source, loc) + 1])


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _with_lines(text: str, first: int, end: int, body: str, indent: int) -> str:
    """`text` with `body`, indented, in place of its lines from `first` to before `end`; lines end as its own do."""
    newline = "\r\n" if "\r\n" in text else "\n"
    before, after = _lines(text)[:first], _lines(text)[end:]
    if before and not before[-1].endswith("\n"):
        before[-1] += newline
    made = (" " * indent + line if line else "" for line in body.rstrip("\n").split("\n"))
    return "".join([*before, *(line + newline for line in made), *after])


def _last_line(source: YamlSource, loc: Loc) -> int:
    """Index of the last line of the value at `loc`."""
    spans = [span for way, span in source.values.items() if way[: len(loc)] == loc]
    end = max(max(span.start, span.end) for span in spans)
    return source.text.count("\n", 0, len(source.text[:end].rstrip()))


def _is_comment(line: str, indent: int) -> bool:
    """Whether a line is a comment as deep as the dash below it."""
    return bool(_COMMENT.match(line)) and len(line) - len(line.lstrip()) == indent


def _at(data: Any, loc: Loc) -> Any:
    for step in loc:
        data = data[step]
    return data


def _copied(data: Any, loc: Loc) -> Any:
    """`data` with everything on the way to `loc`, and the value there, copied."""
    made = copy.copy(data)
    if loc:
        made[loc[0]] = _copied(data[loc[0]], loc[1:])
    return made


def _checked(source: YamlSource, text: str, wanted: Any, what: str) -> YamlSource:
    try:
        result = parse_yaml(text, source.file)
    except ProblemsFound:
        result = None
    if result is None or result.data != wanted:
        raise UserMistake(
            f"{source.file}: {what} cannot be changed as it is written here",
            hint="write it on lines of its own, or change it by hand",
        )
    return result
