"""What a study group does together: planned sessions, what came of them, and how far the route is read."""

from typing import Annotated, Literal, NamedTuple

from msgspec import field
from pydantic import Field

from annotator.model.resolution import Answer
from annotator.model.written import Date, Ref, Slug, Text, Written

Minutes = Annotated[int, Field(ge=1, le=1440)]


class PlannedAnchor(Written):
    """One place in a session's time plan.

    Attributes:
        anchor: id of the anchor.
        minutes: time for it.
    """

    anchor: Slug
    minutes: Minutes


class Dispute(Written):
    """A claim that the group did not agree with.

    Attributes:
        claim: id of the claim.
        reason: what speaks against it.
    """

    claim: Slug
    reason: Text | None = None


class SessionOutcome(Written):
    """What came of a session.

    Attributes:
        closed: day on which it was written down, as YYYY-MM-DD.
        present: who was there.
        read: ids of the anchors that were read.
        disputed: claims that the group did not agree with.
        minutes: what was said and decided.
    """

    closed: Date
    present: tuple[Text, ...] = Field(default=(), strict=False)
    read: tuple[Slug, ...] = Field(default=(), strict=False)
    disputed: tuple[Dispute, ...] = Field(default=(), strict=False)
    minutes: Text | None = None


class Session(Written):
    """A file anchors/sessions/ID.yaml: one meeting of the group.

    Attributes:
        schema_: version of the file format (key `schema`).
        id: its date and its questions, unique in the study.
        date: day of the meeting, as YYYY-MM-DD.
        minutes: how long it takes.
        questions: numbers of the route's questions, in order.
        at: by upstream, the commit or release that the group looked at; the next session tells what drifted since.
        plan: the anchors in reading order with their time.
        outcome: what came of it, once the session is closed.
    """

    schema_: Literal[1] = Field(alias="schema")
    id: Slug
    date: Date
    minutes: Minutes
    questions: tuple[Annotated[int, Field(ge=1, le=999)], ...] = Field(min_length=1, strict=False)
    at: dict[Slug, Ref] = Field(default_factory=dict)
    plan: tuple[PlannedAnchor, ...] = Field(default=(), strict=False)
    outcome: SessionOutcome | None = None


class Ticks(Answer, frozen=True, kw_only=True):
    """What one reader has ticked as read: the file that the reader, the site and sessions exchange.

    Attributes:
        format: says what file this is.
        schema_: version of the file format (key `schema`).
        read: by anchor id, the day it was ticked, as YYYY-MM-DD.
    """

    format: Literal["annot-ticks"] = "annot-ticks"
    schema_: Literal[1] = field(name="schema", default=1)
    read: dict[str, str] = field(default_factory=dict)


class QuestionProgress(NamedTuple):
    """How far the group is with one question.

    Attributes:
        number: its place in the route.
        anchors: how many anchors it has.
        read: how many of them were read in closed sessions.
        disputed: ids of claims under dispute, in the order in which they came up.
        sessions: ids of the sessions that took it up, oldest first.
    """

    number: int
    anchors: int
    read: int
    disputed: tuple[str, ...]
    sessions: tuple[str, ...]
