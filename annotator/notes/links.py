"""Finds web addresses of source in a text and reads them: GitHub, GitLab, Gitee and hosts that follow them.

An address is recognised by its form, not by its host, so that mirrors, viewers and company hosts count as well.
Which upstream it belongs to, and where its ref ends and its path begins, is for others to find out.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from annotator.model.mention import Mention, MentionKind
from annotator.notes.passage import Note, Passage
from annotator.notes.spans import mention_at, piece_at

_LONGEST = 2048

_ADDRESS = re.compile(rf"https?://[!#-;=?-\[\]_a-z~]{{1,{_LONGEST}}}")
_NEXT_ADDRESS = re.compile(r"[,;]https?://")
_TRAILING = ".,;:!?'*~"
_CLOSING = {")": "(", "]": "["}

_NAME = r"[A-Za-z0-9][\w.-]*"
_PAGE = re.compile(
    rf"""
      /(?P<owner>{_NAME})/(?P<name>{_NAME})/(?:-/)?
      (?P<form>blob|tree|blame|raw|edit|src/(?:commit|tag|branch))/
      (?P<route>[^?\#]+)
    | (?P<raw>//raw\.\w+(?:\.\w+)*) /(?P<raw_owner>{_NAME})/(?P<raw_name>{_NAME})/
      (?P<raw_route>[^?\#]+)
    | (?P<cdn>/gh) /(?P<cdn_owner>{_NAME})/(?P<cdn_name>[A-Za-z0-9][\w.-]*)@(?P<cdn_route>[^?\#]+)
    """,
    re.ASCII | re.VERBOSE,
)
"""The part of an address that names a repository, a kind of page, a ref and a path, in this order."""

_LINES = re.compile(
    r"(?:L|lines-|n)?(?P<first>[1-9]\d{0,6})(?:C\d+)?(?:[-:~](?:L|n)?(?P<last>[1-9]\d{0,6})(?:C\d+)?)?(?![\w-])"
)
_ROUTES = ("route", "raw_route", "cdn_route")
_FORMS = {"raw_route": "raw", "cdn_route": "raw"}


class Address(NamedTuple):
    """A web address in a text.

    Attributes:
        start: index of its first character.
        end: index behind its last character.
    """

    start: int
    end: int


def addresses_in(text: str) -> Iterator[Address]:
    """The web addresses of a text, each without the punctuation that follows it.

    Where an address ends is not written in most formats. As in GitHub's own rule for bare addresses, punctuation
    at the end is not part of it, nor is a closing bracket that it did not open.
    """
    for match in _ADDRESS.finditer(text):
        start, end = match.span()
        joined = _NEXT_ADDRESS.search(text, start, end)
        if joined:
            end = joined.start()
        yield Address(start, _trimmed(text, start, end))


def _trimmed(text: str, start: int, end: int) -> int:
    for closing, opening in _CLOSING.items():
        depth = 0
        for index in range(start, end):
            depth += (text[index] == opening) - (text[index] == closing)
            if depth < 0:
                end = index
                break
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if start and text[start - 1] == text[end - 1] == "_":
        end -= 1
    return end


def links_in(note: Note, passage: Passage) -> Iterator[Mention]:
    """The addresses of source in a passage.

    Args:
        note: the note.
        passage: a part of it.
    """
    for start, end in addresses_in(passage.text):
        found = _PAGE.search(passage.text, start + len("http:"), end)
        if found is None:
            continue
        group = next(name for name in _ROUTES if found[name])
        route_start, route_end = found.span(group)
        while route_end > route_start and passage.text[route_end - 1] == "/":
            route_end -= 1
        prefix = group.removesuffix("route")
        lines, fragment = _fragment(passage.text, found.end(), end)
        yield mention_at(
            note,
            passage,
            MentionKind.LINK,
            (start, end),
            route=piece_at(note, passage, (route_start, route_end)),
            site=_host(passage.text[start:end]),
            repository=f"{found[f'{prefix}owner']}/{found[f'{prefix}name'].removesuffix('.git')}",
            form=_FORMS.get(group) or found["form"],
            first=piece_at(note, passage, lines.span("first")) if lines else None,
            last=piece_at(note, passage, lines.span("last")) if lines and lines["last"] else None,
            fragment=fragment,
        )


def _fragment(text: str, start: int, end: int) -> tuple[re.Match[str] | None, str]:
    """What stands behind `#`: line numbers, or something else."""
    at = text.find("#", start, end)
    if at < 0:
        return None, ""
    lines = _LINES.match(text, at + 1, end)
    if lines:
        return lines, ""
    fragment, _, _ = text[at + 1 : end].partition(":~:")  # a text to highlight is no place
    return None, unquote(fragment)


def _host(address: str) -> str:
    return address.partition("://")[2].partition("/")[0].rpartition("@")[2].lower()
