"""Anchors: a place, what to notice there, and which sentences of that can be checked."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from annotator.model.target import Target, parse_target
from annotator.model.words import Severity, Watch
from annotator.model.written import Bilingual, Slug, TargetText, Text, Written

NOTE_LIMIT = 1200
"""Longest note, in characters of one language."""


class Quote(Written):
    """A W3C TextQuoteSelector: a statement inside the target, found by its own text.

    Attributes:
        exact: the quoted text; runs of white space are compared loosely.
        prefix: text right before it, to tell it from other occurrences.
        suffix: text right after it.
    """

    exact: Text
    prefix: str = ""
    suffix: str = ""


class Claim(Written):
    """One checkable sentence of a note.

    Attributes:
        id: unique in the study.
        text: the sentence.
        probe: name of the probe that confirms or refutes it, if one does.
        check: which of the probe's checks does.
    """

    id: Slug
    text: Bilingual
    probe: Slug | None = None
    check: Slug | None = None


class Anchor(Written):
    """One place that a question or resource points to, with its note.

    Attributes:
        id: unique in the study; lower-case words joined by hyphens.
        target: `path::Qual.name` for a definition, `path#heading` for a section of a page, or
            `path` for a whole file; never line numbers.
        quote: a statement inside the target.
        watch: what counts as drift: `existence`, `signature`, `body` (without formatting, comments
            and docstring) or `quote`; by default `quote` where there is one, else `body`.
        severity: how much drift there matters, for gates and reports: `note`, `warning` or `error`; by default
            `error` where the place is gone, `warning` where it has changed or is ambiguous, `note` where it has moved.
        note: what to notice there.
        reason: why the place is in the study, where no claim says so.
        claims: checkable sentences of the note.
    """

    id: Slug
    target: TargetText
    quote: Quote | None = None
    watch: Annotated[Watch | None, Field(strict=False)] = None
    severity: Annotated[Severity | None, Field(strict=False)] = None
    note: Bilingual
    reason: Bilingual | None = None
    claims: tuple[Claim, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _quote_is_there(self) -> Self:
        if self.watch is Watch.QUOTE and self.quote is None:
            raise ValueError("it watches its quote but has none; add quote.exact or change watch")
        return self

    @property
    def place(self) -> Target:
        """The parsed target."""
        return parse_target(self.target)

    @property
    def watches(self) -> Watch:
        """What counts as drift, with the default filled in."""
        if self.watch is not None:
            return self.watch
        return Watch.QUOTE if self.quote else Watch.BODY
