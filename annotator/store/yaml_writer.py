"""New YAML files, with comments, written so that our own reader reads back exactly what was meant."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from annotator.model.failures import UserMistake
from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import Loc, parse_yaml

_PLAIN = re.compile(r"(?!(?i:true|false|null)$)[A-Za-z][A-Za-z0-9_.-]*")
_BLOCK = re.compile(r"[^\s\x00-\x1f\x7f].*(?:\n+[^\x00-\x1f\x7f]+)+")


def yaml_text(
    data: Mapping[str, Any],
    *,
    above: Mapping[Loc, str] | None = None,
    beside: Mapping[Loc, str] | None = None,
) -> str:
    """`data` as a YAML document.

    Args:
        data: mappings, lists, texts and whole numbers; nothing else.
        above: comments that stand above the key at a way; behind a blank line on the first level.
        beside: comments that stand behind the value at a way.

    Raises:
        UserMistake: if a text cannot be written in YAML, such as one with control characters.
    """
    text = "\n".join(_mapping(data, (), above or {}, beside or {})) + "\n"
    try:
        same = parse_yaml(text, "the new file").data == _plain(data)
    except ProblemsFound as found:
        raise UserMistake(f"this cannot be written in YAML: {found}") from found
    if not same:
        raise UserMistake("this cannot be written in YAML and read back unchanged")
    return text


def _mapping(
    data: Mapping[str, Any], loc: Loc, above: Mapping[Loc, str], beside: Mapping[Loc, str]
) -> Iterator[str]:
    indent = "  " * len(loc)
    for key, value in data.items():
        here = (*loc, key)
        if here in above:
            if not loc:
                yield ""
            yield f"{indent}# {_comment(above[here])}"
        name = f"{indent}{_scalar(key, '')}:"
        comment = f"  # {_comment(beside[here])}" if here in beside else ""
        if isinstance(value, Mapping) and value:
            yield name + comment
            yield from _mapping(value, here, above, beside)
        elif isinstance(value, list | tuple) and value:
            yield name + comment
            yield from _list(value, here, above, beside)
        elif isinstance(value, Mapping | list | tuple):
            yield f"{name} {'{}' if isinstance(value, Mapping) else '[]'}{comment}"
        else:
            written = _scalar(value, f"{indent}  ")
            head, _, rest = written.partition("\n")
            yield f"{name} {head}{comment}" + (f"\n{rest}" if rest else "")


def _list(
    items: list[Any] | tuple[Any, ...],
    loc: Loc,
    above: Mapping[Loc, str],
    beside: Mapping[Loc, str],
) -> Iterator[str]:
    indent = "  " * len(loc)
    for index, item in enumerate(items):
        if isinstance(item, Mapping) and item:
            first, *rest = _mapping(item, (*loc, index), above, beside)
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            written = "{}" if isinstance(item, Mapping) else _scalar(item, indent + "  ")
            yield f"{indent}- {written}"


def _scalar(value: Any, indent: str) -> str:
    if isinstance(value, bool | int):
        return json.dumps(value)
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    if indent and _BLOCK.fullmatch(text):
        lines = (indent + line if line else "" for line in text.split("\n"))
        return "|-\n" + "\n".join(lines)
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False)


def _comment(text: str) -> str:
    """A comment is one line of visible characters."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))


def _plain(data: Any) -> Any:
    """What the reader is to give back: lists for tuples, text for every kind of text."""
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(item) for item in data]
    return data if isinstance(data, bool | int) else str(data)
