"""Single values changed in a YAML file; every byte outside them stays.

A round trip through a YAML library keeps comments but rewrites what people wrote: indentation, line
endings, escapes, the spaces of `{a: 1,  b: 2 }`. Here only the characters of one scalar are replaced, at the place where the
reader found them. Each new text is read back and has to say exactly the old document with the new
value; otherwise the next way of writing the value is tried.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotator.model.failures import UserMistake
from annotator.store.atomic_file import replace_file
from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import Loc, Span, YamlSource, parse_yaml, read_yaml

_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*(?P<rest>[^\r\n]*)\r?\n")
_INDENT = re.compile(r"^ *(?=[^ \r\n])", re.MULTILINE)
_BLANK_END = re.compile(r"(?:\r?\n *)*\Z")


def set_value(path: Path, loc: Loc, new: str) -> None:
    """Makes `new` the text at `loc` of the YAML file at `path`.

    Raises:
        ProblemsFound: if the file is not valid YAML.
        UserMistake: if there is no text at `loc`.
    """
    set_values(path, {loc: new})


def set_values(path: Path, changes: Mapping[Loc, str]) -> None:
    """Makes each of `changes` the text at its way in the YAML file at `path`; all of them or none.

    Raises:
        ProblemsFound: if the file is not valid YAML.
        UserMistake: if there is no text at one of the ways.
    """
    source = read_yaml(path)
    mark = "\ufeff" if path.read_bytes().startswith(b"\xef\xbb\xbf") else ""
    for loc, new in changes.items():
        source = with_value(source, loc, new)
    replace_file(path, mark + source.text)


def anchor_loc(source: YamlSource, anchor_id: str) -> Loc:
    """The way to an anchor in a question's or resources' file.

    Raises:
        UserMistake: if the file has no such anchor.
    """
    for loc in source.values:
        match loc:
            case (*_, "anchors", int(), "id") if source.value_at(loc) == anchor_id:
                return loc[:-1]
    raise UserMistake(f"{source.file}: there is no anchor {anchor_id!r}")


def with_value(source: YamlSource, loc: Loc, new: str) -> YamlSource:
    """`source` with `new` as the text at `loc`, written as the old one was where it can be.

    Raises:
        UserMistake: if there is no text at `loc`, or `new` cannot be written in YAML.
    """
    if loc not in source.values or not isinstance(source.value_at(loc), str):
        raise UserMistake(f"{source.file}: there is no text at {'.'.join(map(str, loc))}")
    wanted = _changed(source.data, loc, new)
    span = source.values[loc]
    for start, end, written in _ways_to_write(new, source.text, span):
        text = source.text[:start] + written + source.text[end:]
        try:
            result = parse_yaml(text, source.file)
        except ProblemsFound:
            continue
        if result.data == wanted:
            return result
    raise UserMistake(f"{source.file}:{span.line}: {new!r} cannot be written here")


def _changed(data: Any, loc: Loc, new: str) -> Any:
    """`data` with `new` at `loc`; what is around it is copied, not altered."""
    if not loc:
        return new
    changed = copy.copy(data)
    changed[loc[0]] = _changed(data[loc[0]], loc[1:], new)
    return changed


def _ways_to_write(new: str, text: str, span: Span) -> Iterator[tuple[int, int, str]]:
    """Replacements for the scalar at `span`, the nearest to the old style first: start, end, text."""
    quoted = json.dumps(new, ensure_ascii=False)
    match span.style:
        case "":
            yield span.start, span.end, new
            yield span.start, span.end, quoted
        case "'":
            yield span.start, span.end, "'" + new.replace("'", "''") + "'"
            yield span.start, span.end, quoted
        case '"':
            yield span.start, span.end, quoted
        case _:
            yield from _ways_to_write_block(new, quoted, text, span)


def _ways_to_write_block(
    new: str, quoted: str, text: str, span: Span
) -> Iterator[tuple[int, int, str]]:
    """The same for a block scalar: new lines under the old header, else a quoted scalar for both."""
    header = _BLOCK_HEADER.match(text, span.start)
    if header is None:  # an empty block at the end of the file
        return
    body = text[header.end() : span.end]
    end = header.end("rest")
    if indent := _INDENT.search(body):
        end = header.end() + len(_BLANK_END.sub("", body))
        newline = "\r\n" if header[0].endswith("\r\n") else "\n"
        lines = new.removesuffix("\n").split("\n")
        yield header.end(), end, newline.join(indent[0] + line if line else "" for line in lines)
    # A comment behind the header stays behind the quoted text.
    yield span.start, end, quoted + header["rest"]
