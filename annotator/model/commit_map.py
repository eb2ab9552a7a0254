"""What a sweep says: every anchor at every commit of upstream's main line between two of them."""

from typing import Literal

from msgspec import field

from annotator.model.resolution import Answer
from annotator.model.words import Outcome


class SweptCommit(Answer, frozen=True, kw_only=True):
    """One commit of a sweep.

    Attributes:
        id: full commit id.
        label: its tag, else its short id.
        date: when it was written, ISO 8601.
        subject: the first paragraph of its message, in one line.
    """

    id: str
    label: str
    date: str
    subject: str


class Turn(Answer, frozen=True, kw_only=True):
    """A commit from which an anchor's answer is another one, until its next turn.

    Attributes:
        at: the commit, as an index into the sweep's commits.
        outcome: what has become of the anchor since the baseline.
        detail: what changed, or why there is no answer, in a few words.
    """

    at: int
    outcome: Outcome
    detail: str = ""


class SweepRow(Answer, frozen=True, kw_only=True):
    """One anchor through all commits.

    Attributes:
        id: the anchor.
        owner: its question or resource.
        number: its question's place in the route, none for a resource.
        target: the target as written.
        turns: its answers, the first of them at the first commit.
    """

    id: str
    owner: str
    number: int | None = None
    target: str
    turns: tuple[Turn, ...]

    def at(self, commit: int) -> Turn:
        """The answer that holds at a commit, given by its index."""
        return [turn for turn in self.turns if turn.at <= commit][-1]


class UpstreamSweep(Answer, frozen=True, kw_only=True):
    """The anchors of one upstream at its commits.

    Attributes:
        upstream: its name.
        baseline: ref that everything is compared with.
        commits: along first parents, oldest first.
        rows: the anchors in reading order.
        reason: why there is nothing, where the commits are missing.
    """

    upstream: str
    baseline: str = ""
    commits: tuple[SweptCommit, ...] = ()
    rows: tuple[SweepRow, ...] = ()
    reason: str = ""


class CommitMap(Answer, frozen=True, kw_only=True):
    """Anchors × commits.

    Attributes:
        schema_: version of this format (key `schema`).
        version: version of annot.
        upstreams: one sweep each.
    """

    schema_: Literal[1] = field(name="schema", default=1)
    version: str
    upstreams: tuple[UpstreamSweep, ...]
