"""Finds places of source that a text names without an address: paths with lines, and dotted names."""

import re
from collections.abc import Iterator

from annotator.model.mention import Mention, MentionKind
from annotator.notes.links import addresses_in
from annotator.notes.passage import Note, Passage
from annotator.notes.spans import mention_at, piece_at

_PART = r"[A-Za-z0-9_.+-]{1,80}"
_SOURCE = r"\.(?:py|pyi|cu|cuh|c|cc|cpp|cxx|h|hh|hpp|rs|go|md|rst|txt|toml|cmake|sh|proto|jinja|yaml|yml|json)"
_NUMBER = r"[1-9]\d{0,6}"
_PATH = re.compile(
    rf"""
    (?<![\w./@+-]) (?:file://)? /?
    (?P<path> (?:{_PART}/){{0,15}} {_PART}{_SOURCE} ) (?![\w/])
    (?:
        (?::|\#|\ )L?(?P<first>{_NUMBER}) (?:\ ?[-–~]\ ?L?(?P<last>{_NUMBER}))? (?![\w.]*\w)
      | ::(?P<symbol>[A-Za-z_]\w{{0,80}}(?:\.\w{{1,80}}){{0,8}})
    )?
    """,
    re.ASCII | re.VERBOSE,
)
_DOTTED = re.compile(
    r"(?<![\w./@:-])(?P<name>[a-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){2,12})(?![\w/])(?!\.\w)",
    re.ASCII,
)
_SEPARATORS = frozenset({":", ":L", "#L", " L"})
"""What stands between a path and a number that is a line of it."""


def names_in(note: Note, passage: Passage) -> Iterator[Mention]:
    """The paths with lines, `path::Name` and dotted names of a passage, outside web addresses.

    A path alone counts where it has folders. A number behind a path counts as a line if `:`, `#L` or ` L` stands
    between the two.
    """
    taken = bytearray(len(passage.text))
    for start, end in addresses_in(passage.text):
        _take(taken, start, end)
    for match in _PATH.finditer(passage.text):
        if taken[match.start()]:
            continue
        separator = passage.text[match.end("path") : match.start("first")] if match["first"] else ""
        has_lines = separator in _SEPARATORS
        end = match.end() if has_lines or match["symbol"] else match.end("path")
        if not has_lines and not match["symbol"] and "/" not in match["path"]:
            continue
        _take(taken, match.start(), end)
        yield mention_at(
            note,
            passage,
            MentionKind.LINES,
            (match.start("path"), end),
            route=piece_at(note, passage, match.span("path")),
            first=piece_at(note, passage, match.span("first")) if has_lines else None,
            last=piece_at(note, passage, match.span("last"))
            if has_lines and match["last"]
            else None,
            symbol=match["symbol"] or "",
        )
    for match in _DOTTED.finditer(passage.text):
        if not taken[match.start()]:
            route = piece_at(note, passage, match.span("name"))
            yield mention_at(note, passage, MentionKind.SYMBOL, match.span("name"), route=route)


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)
