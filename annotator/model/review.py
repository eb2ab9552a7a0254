"""Reviews: drift that somebody looked at and accepted."""

from typing import Literal

from pydantic import Field

from annotator.model.written import Date, Ref, Slug, TargetText, Text, Written


class Accepted(Written):
    """A drift that somebody looked at and accepted.

    Attributes:
        anchor: id of the anchor.
        ref: commit or tag at which it was looked at; the baseline from then on.
        target: where the place is at that ref, if it is no longer the anchor's own target.
        by: who accepted it.
        date: when, as YYYY-MM-DD.
        reason: why the note still stands.
    """

    anchor: Slug
    ref: Ref
    target: TargetText | None = None
    by: Text
    date: Date
    reason: Text


class ReviewFile(Written):
    """A file anchors/reviews/UPSTREAM.yaml: what was accepted since the pin.

    Attributes:
        schema_: version of the file format (key `schema`).
        upstream: name of the upstream.
        accepted: at most one entry an anchor.
    """

    schema_: Literal[1] = Field(alias="schema")
    upstream: Slug
    accepted: tuple[Accepted, ...] = Field(default=(), strict=False)
