"""Debt: drift that was there when a gate was turned on, and that passes until it changes again."""

from typing import Annotated, Literal

from pydantic import Field

from annotator.model.words import Outcome
from annotator.model.written import Text, Written

FindingId = Annotated[
    str, Field(pattern=r"^[0-9a-f]{32}$", examples=["0123456789abcdef0123456789abcdef"])
]


class Known(Written):
    """Drift that is known.

    Attributes:
        subject: what drifted: the id of an anchor.
        outcome: what the drift was, for people.
        finding: id of what was said of it; a further change has another.
        since: commit or tag at which it was recorded.
        reason: why it is left as it is, if somebody says so.
    """

    subject: Text
    outcome: Annotated[Outcome, Field(strict=False)]
    finding: FindingId
    since: Text
    reason: Text | None = None


class DebtFile(Written):
    """A file of known drift, anywhere beside the notes.

    Attributes:
        schema_: version of the file format (key `schema`).
        known: by subject, each at most once.
    """

    schema_: Literal[1] = Field(alias="schema")
    known: tuple[Known, ...] = Field(default=(), strict=False)
