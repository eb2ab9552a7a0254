"""Targets: a path and what is meant inside it, in pytest's node-id form."""

import re
from typing import NamedTuple

_LINES = re.compile(r":(?P<start>[1-9]\d*)(?:-(?P<end>[1-9]\d*))?$")


class TargetError(ValueError):
    """A target that cannot be read; the message says what to write instead."""


class Target(NamedTuple):
    """A place in a source tree.

    Attributes:
        path: path from the root of the tree, with forward slashes.
        symbol: qualified name inside the file, or an empty string for the whole file. For a heading
            the text behind `#`.
        heading: whether `symbol` is a heading.
        start: first line when the place is a line range, otherwise 0.
        end: last line when the place is a line range, otherwise 0.
    """

    path: str
    symbol: str = ""
    heading: bool = False
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        """The target as written in anchor files."""
        if self.start:
            return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end != self.start else "")
        if not self.symbol:
            return self.path
        return f"{self.path}{'#' if self.heading else '::'}{self.symbol}"


def check_path(path: str) -> str:
    """Returns `path` if it can be a path in a source tree.

    Raises:
        TargetError: if it is empty, absolute, leaves the tree or is not in its plain form.
    """
    if not path:
        raise TargetError("the path is empty; write a path from the root of the source tree")
    if path.startswith(("/", "~")) or re.match(r"^[A-Za-z]:[\\/]", path):
        raise TargetError(f"{path!r} is absolute; write it from the root of the source tree")
    if "\\" in path:
        raise TargetError(f"{path!r} has backslashes; write forward slashes")
    if any(part in {"", ".", ".."} for part in path.split("/")):
        raise TargetError(f"{path!r} has empty, '.' or '..' parts; write the plain path")
    if any(ord(char) < 32 for char in path):
        raise TargetError(f"{path!r} has control characters")
    return path


def parse_target(text: str) -> Target:
    """Reads `path::Qual.name`, `path#heading`, `path:LINE`, `path:START-END` or `path`.

    Raises:
        TargetError: with what to write instead.
    """
    path, sep, symbol = text.partition("::")
    if sep and "#" not in path:
        if not symbol or symbol != symbol.strip():
            raise TargetError(f"{text!r} has no symbol behind '::'; write path::Qual.name")
        if any(ord(char) < 32 for char in symbol):
            raise TargetError(f"{text!r} has control characters in its symbol")
        return Target(check_path(path), symbol)
    path, sep, heading = text.partition("#")
    if sep:
        if not heading.strip():
            raise TargetError(f"{text!r} has no heading behind '#'; write path#Heading text")
        return Target(check_path(path), heading.strip(), heading=True)
    lines = _LINES.search(text)
    if lines:
        start, end = int(lines["start"]), int(lines["end"] or lines["start"])
        if end < start:
            raise TargetError(f"{text!r} ends before it starts; write path:START-END")
        return Target(check_path(text[: lines.start()]), start=start, end=end)
    return Target(check_path(text))
