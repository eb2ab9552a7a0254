"""What commits say about themselves. Pure functions."""

import re
from typing import NamedTuple

COMMIT_FORMAT = "%x00" + "%x00".join(("%H", "%P", "%an", "%aI", "%s", "%b")) + "%x00"
"""Format for `git rev-list`; commit messages hold no NUL bytes."""

_UPSTREAM_TRAILER = re.compile(r"^Upstream-Commit: ([0-9a-f]{7,64})$", re.MULTILINE)


class CommitInfo(NamedTuple):
    """One commit.

    Attributes:
        id: full id.
        parents: full ids.
        author: the author's name.
        date: when it was written, ISO 8601 with offset.
        subject: first paragraph of the message, in one line.
        body: the rest of the message.
    """

    id: str
    parents: tuple[str, ...]
    author: str
    date: str
    subject: str
    body: str


def parse_commits(listing: bytes) -> list[CommitInfo]:
    """Reads the output of `git rev-list` with `COMMIT_FORMAT`."""
    words = listing.decode("utf-8", "replace").split("\0")
    # Each commit gives a line of rev-list's own, then six fields.
    rows = zip(*(words[offset::7] for offset in range(7)), strict=False)
    return [
        CommitInfo(commit, tuple(parents.split()), author, date, subject, body.strip())
        for _, commit, parents, author, date, subject, body in rows
    ]


def upstream_trailer(message: str) -> str:
    """As much of upstream's commit id as an imported release names; maybe nothing."""
    found = _UPSTREAM_TRAILER.search(message)
    return found[1] if found else ""
