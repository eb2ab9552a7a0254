"""A new entry at the end of a list in a YAML file; every byte of the rest stays.

As in `edit`, the text is changed at the place where the reader found things, and each way of writing
is read back: only one that says the old document with the new entry is taken.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from annotator.model.failures import UserMistake
from annotator.store.atomic_file import replace_file
from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import Loc, YamlSource, parse_yaml, read_yaml
from annotator.store.yaml_writer import yaml_text

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_TRIES = 40
"""Lines behind the last value of a list within which the list has to end."""


class Insertion(NamedTuple):
    """A document with a new entry.

    Attributes:
        source: the new document.
        line: line of the entry, 1-based.
        text: the entry as it stands there.
        before: the document without it.
    """

    source: YamlSource
    line: int
    text: str
    before: YamlSource


def append_entry(path: Path, insertion: Insertion) -> None:
    """Writes an insertion to the file that it was made from.

    Raises:
        UserMistake: if the file has changed since.
    """
    mark = "\ufeff" if path.read_bytes().startswith(b"\xef\xbb\xbf") else ""
    if read_yaml(path).text != insertion.before.text:
        raise UserMistake(f"{insertion.source.file} has changed meanwhile; nothing was written")
    replace_file(path, mark + insertion.source.text)


def with_entry(source: YamlSource, loc: Loc, entry: Mapping[str, Any]) -> Insertion:
    """`source` with `entry` at the end of the list at `loc`.

    Args:
        source: the document.
        loc: the way to a list that has entries.
        entry: the new one: mappings, lists, texts and whole numbers.

    Raises:
        UserMistake: if there is no such list, or the entry cannot be written.
    """
    items = source.value_at(loc) if loc in source.values else None
    if not isinstance(items, list) or not items:
        raise UserMistake(f"{source.file}: there is no list with entries at {_shown(loc)}")
    wanted = _with(source.data, loc, entry)
    for position, text in _ways(source, loc, entry, len(items) - 1):
        try:
            result = parse_yaml(source.text[:position] + text + source.text[position:], source.file)
        except ProblemsFound:
            continue
        if result.data == wanted:
            line = result.values[*loc, len(items)].line
            return Insertion(result, line, text, source)
    raise UserMistake(f"{source.file}: an entry cannot be added to {_shown(loc)} by machine")


def _ways(
    source: YamlSource, loc: Loc, entry: Mapping[str, Any], last: int
) -> Iterator[tuple[int, str]]:
    """Where the entry may go and how it is written there, the likeliest first."""
    text = source.text
    behind = max(
        span.end for way, span in source.values.items() if way[: len(loc) + 1] == (*loc, last)
    )
    first = source.values[*loc, last].start
    dash = text.rfind("-", 0, first)
    newline = "\r\n" if "\r\n" in text else "\n"
    if text[text.rfind("\n", 0, dash) + 1 : dash].strip() == "" and dash >= 0:
        indent = dash - text.rfind("\n", 0, dash) - 1
        block = _block(entry, " " * indent, newline)
        for position in _line_ends(text, behind, indent):
            lead = "" if position == 0 or text[position - 1] == "\n" else newline
            yield position, lead + block
    flow = f", {json.dumps(_plain(entry), ensure_ascii=False)}"
    for bracket in range(behind, min(len(text), behind + 400)):
        if text[bracket] == "]":
            yield bracket, flow


def _line_ends(text: str, behind: int, indent: int) -> Iterator[int]:
    """Ends of lines from the last value on, behind the comments that belong to its entry."""
    # A block scalar's place ends behind the blank lines that follow it.
    at = len(text[:behind].rstrip(" \r\n"))
    found: list[int] = []
    for _ in range(_TRIES):
        match = _LINE.match(text, at)
        if match is None or (match.end() == at and found):
            break
        at = match.end()
        found.append(at)
    for at in found:
        position = at
        while (line := _LINE.match(text, position)) and _belongs(line[0], indent):
            position = line.end()
        yield position


def _belongs(line: str, indent: int) -> bool:
    """Whether a line is a comment inside the entry above it."""
    return line.lstrip(" ").startswith("#") and len(line) - len(line.lstrip(" ")) > indent


def _block(entry: Mapping[str, Any], indent: str, newline: str) -> str:
    lines = yaml_text({"list": [entry]}).split("\n")[1:]
    return newline.join(indent + line.removeprefix("  ") if line else "" for line in lines)


def _with(data: Any, loc: Loc, entry: Mapping[str, Any]) -> Any:
    """`data` with the entry at the end of the list at `loc`; what is around it is copied."""
    if not loc:
        return [*data, _plain(entry)]
    changed = copy.copy(data)
    changed[loc[0]] = _with(data[loc[0]], loc[1:], entry)
    return changed


def _plain(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(item) for item in data]
    return data if isinstance(data, bool | int) else str(data)


def _shown(loc: Loc) -> str:
    return ".".join(map(str, loc)) or "the root"
