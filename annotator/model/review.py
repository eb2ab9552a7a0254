"""Reviews: drift that somebody looked at, and what they decided."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from annotator.model.anchor import Anchor, Quote
from annotator.model.words import Outcome
from annotator.model.written import Bilingual, Date, Ref, Slug, TargetText, Text, Written

Decision = Literal["still-true", "edited", "moved"]


class Accepted(Written):
    """A drift that somebody looked at and accepted.

    Attributes:
        decision: `still-true` the note holds as it is, `edited` the note was brought up to date, `moved` only the
            place is another.
        from_ref: commit or tag that it was compared with.
        ref: commit or tag at which it was looked at; the baseline from then on.
        drift: what the drift was.
        changes: every difference, in a few words each.
        target: where the place is at that ref, if it is no longer the anchor's own target.
        quote: the anchor's statement as it reads at that ref, if it is no longer the anchor's own quote.
        by: who accepted it.
        date: when, as YYYY-MM-DD.
        reason: why the note still stands, or what was done to it.
    """

    decision: Decision = "still-true"
    from_ref: Ref | None = None
    ref: Ref
    drift: Annotated[Outcome | None, Field(strict=False)] = None
    changes: tuple[Text, ...] = Field(default=(), strict=False)
    target: TargetText | None = None
    quote: Quote | None = None
    by: Text
    date: Date
    reason: Text

    def applied_to(self, anchor: Anchor) -> Anchor:
        """The anchor as it is at `ref`."""
        own = {"target": self.target, "quote": self.quote}
        return anchor.model_copy(update={key: value for key, value in own.items() if value})


class Retired(Written):
    """An anchor that was taken out of the study, and what it was.

    Attributes:
        owner: id of its question or resource.
        target: what it pointed to.
        note: what it said.
        from_ref: commit or tag that it was compared with.
        ref: commit or tag at which it was looked at.
        drift: what the drift was.
        by: who retired it.
        date: when, as YYYY-MM-DD.
        reason: why.
    """

    owner: Text
    target: TargetText
    note: Bilingual
    from_ref: Ref
    ref: Ref
    drift: Annotated[Outcome, Field(strict=False)]
    by: Text
    date: Date
    reason: Text


class ReviewFile(Written):
    """A file anchors/reviews/UPSTREAM/ANCHOR.yaml: what was decided about one anchor since the pin.

    One file an anchor, so that people who review different anchors on different branches never conflict.

    Attributes:
        schema_: version of the file format (key `schema`).
        upstream: name of the upstream.
        anchor: id of the anchor.
        accepted: what was accepted, oldest first; the last one is the baseline.
        retired: how it was taken out of the study, if it was.
    """

    schema_: Literal[1] = Field(alias="schema")
    upstream: Slug
    anchor: Slug
    accepted: tuple[Accepted, ...] = Field(default=(), strict=False)
    retired: Retired | None = None

    @model_validator(mode="after")
    def _something_was_decided(self) -> Self:
        if not self.accepted and self.retired is None:
            raise ValueError("nothing was decided; write accepted or retired, or delete the file")
        return self

    @property
    def baseline(self) -> Accepted | None:
        """What the anchor is compared with from then on."""
        return self.accepted[-1] if self.accepted and self.retired is None else None
