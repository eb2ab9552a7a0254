"""What people write: upstreams, questions, resources, anchors, claims (the files under anchors/)."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from annotator.model.target import Target, TargetError, check_path, parse_target
from annotator.model.words import Watch

SCHEMA_VERSION = 1
NOTE_LIMIT = 1200
"""Longest note, in characters of one language."""


class Written(BaseModel):
    """Base of everything that people write: strict, immutable, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("the text is empty; write a sentence or leave the key out")
    return value


def _slug(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", value):
        raise ValueError(f"{value!r} is no id; write lower-case words joined by hyphens")
    return value


def _target(value: str) -> str:
    try:
        target = parse_target(value)
    except TargetError as error:
        raise ValueError(str(error)) from None
    if target.start:
        raise ValueError(
            f"{value!r} points at line numbers, which rot; write path::Qual.name with a quote"
        )
    return value


def _ref(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/+-]*", value) or ".." in value:
        raise ValueError(f"{value!r} is no git ref; write a tag such as v1.2.3 or a commit id")
    return value


def _https(value: str) -> str:
    if not re.fullmatch(r"https://[A-Za-z0-9.-]+(?::\d+)?/[A-Za-z0-9._~/+-]*", value):
        raise ValueError(f"{value!r} is no plain https address")
    return value


def _git_address(value: str) -> str:
    if re.match(r"[A-Za-z0-9]+::", value) or value.startswith("-"):
        raise ValueError(
            f"{value!r} is not an address annot clones from; write https://… or a path"
        )
    return value


Text = Annotated[str, AfterValidator(_not_blank)]
Slug = Annotated[str, AfterValidator(_slug)]
TargetText = Annotated[str, AfterValidator(_target)]
Ref = Annotated[str, AfterValidator(_ref)]
Web = Annotated[str, AfterValidator(_https)]
GitAddress = Annotated[str, AfterValidator(_git_address)]
CommitId = Annotated[
    str,
    Field(
        pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$", examples=["0123456789abcdef" * 2 + "01234567"]
    ),
]
Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2026-10-23"])]
EntryId = Annotated[str, Field(pattern=r"^[A-Z]\d{1,3}$", examples=["V4"])]


class Bilingual(Written):
    """One text in Chinese and in English. A missing translation is a lint finding, not an error.

    Attributes:
        zh: the text in Chinese.
        en: the same in English.
    """

    zh: Text | None = None
    en: Text | None = None

    @model_validator(mode="after")
    def _some_language(self) -> Self:
        if self.zh is None and self.en is None:
            raise ValueError("no language is given; write zh and en")
        return self

    def in_language(self, language: Literal["zh", "en"]) -> str:
        """The text in `language`, or in the other one where it is missing."""
        first, second = (self.zh, self.en) if language == "zh" else (self.en, self.zh)
        return first or second or ""


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
        note: what to notice there.
        reason: why the place is in the study, where no claim says so.
        claims: checkable sentences of the note.
    """

    id: Slug
    target: TargetText
    quote: Quote | None = None
    watch: Annotated[Watch | None, Field(strict=False)] = None
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


class Exercise(Written):
    """Something to work out with source, probes, or paper and pencil.

    Attributes:
        id: unique in the study; lower-case words joined by hyphens.
        task: what to do.
        answer: the worked answer, folded away at first.
    """

    id: Slug
    task: Bilingual
    answer: Bilingual


class Question(Written):
    """One entry of the reading route (a file anchors/route/NN-name.yaml).

    Attributes:
        schema_: version of the file format (key `schema`).
        id: unique in the study; lower-case words joined by hyphens.
        number: place in the route, from 1.
        upstream: name of the upstream that the anchors point into.
        title: what the entry is about.
        question: what the reader should be able to answer.
        read_first: what to read or know before, and in which order.
        answer: the answer in short: what the reader can explain afterwards.
        resources: ids of the resources to read with it.
        anchors: in reading order.
        exercises: to do alone or together afterwards.
    """

    schema_: Literal[1] = Field(alias="schema")
    id: Slug
    number: Annotated[int, Field(ge=1, le=999)]
    upstream: Slug
    title: Bilingual
    question: Bilingual
    read_first: Bilingual | None = None
    answer: Bilingual | None = None
    resources: tuple[EntryId, ...] = Field(default=(), strict=False)
    anchors: tuple[Anchor, ...] = Field(min_length=1, strict=False)
    exercises: tuple[Exercise, ...] = Field(default=(), strict=False)


class Resource(Written):
    """A documentation page or paper of the handbook, with what to read it for.

    Attributes:
        id: the handbook's entry, a letter and a number.
        title: its name.
        focus: what to read it for.
        reference: for a paper, its authors, title, venue and year, and identifier.
        caution: what is easily taken for more than it says.
        anchors: where it is in the source tree, or the code it describes.
        exercises: to do alone or together afterwards.
    """

    id: EntryId
    title: Bilingual
    focus: Bilingual
    reference: Text | None = None
    caution: Bilingual | None = None
    anchors: tuple[Anchor, ...] = Field(default=(), strict=False)
    exercises: tuple[Exercise, ...] = Field(default=(), strict=False)


class ResourceFile(Written):
    """A file anchors/resources/NAME.yaml: resources that point into one upstream.

    Attributes:
        schema_: version of the file format (key `schema`).
        upstream: name of the upstream that the anchors point into.
        resources: in the handbook's order.
    """

    schema_: Literal[1] = Field(alias="schema")
    upstream: Slug
    resources: tuple[Resource, ...] = Field(min_length=1, strict=False)


class Term(Written):
    """A word of the field and what it means in the source.

    Attributes:
        id: unique in the study; lower-case words joined by hyphens.
        term: the word; in Chinese texts the English word where that is what people say.
        meaning: what it means, with units, and what it is not.
        anchors: ids of anchors at which it is defined or used, the best first.
    """

    id: Slug
    term: Bilingual
    meaning: Bilingual
    anchors: tuple[Slug, ...] = Field(default=(), strict=False)


class Glossary(Written):
    """The file anchors/glossary.yaml.

    Attributes:
        schema_: version of the file format (key `schema`).
        terms: in the order in which a reader meets them.
    """

    schema_: Literal[1] = Field(alias="schema")
    terms: tuple[Term, ...] = Field(min_length=1, strict=False)


class Pin(Written):
    """What the notes were written against.

    Either `commit` (with a `stand_in` release where the commit may be out of reach) or `release`.

    Attributes:
        commit: full id of the pinned commit.
        release: tag of the pinned release.
        date: day of the pin or of the notes, as YYYY-MM-DD.
        stand_in: tag of the release to record from where the commit cannot be had.
        bracket: tags of a release before and one after the commit.
    """

    commit: CommitId | None = None
    release: Ref | None = None
    date: Date
    stand_in: Ref | None = None
    bracket: Annotated[tuple[Ref, Ref] | None, Field(strict=False)] = None

    @model_validator(mode="after")
    def _one_pin(self) -> Self:
        if (self.commit is None) == (self.release is None):
            raise ValueError("a pin is either a commit or a release; write exactly one of them")
        return self

    @property
    def refs(self) -> tuple[str, ...]:
        """Refs to take the baseline from, the surest first."""
        return tuple(ref for ref in (self.commit, self.release, self.stand_in) if ref)


class Upstream(Written):
    """A project whose source is annotated.

    Attributes:
        title: its name as people write it.
        web: web address of its repository; permalinks are made from it.
        git: address to clone from.
        branch: its default branch.
        package: name of its source releases on a package index.
        licence: SPDX id under which excerpts are shown.
        pin: what the notes were written against.
        releases: versions imported by default from a package index, oldest first.
    """

    title: Text
    web: Web
    git: GitAddress
    branch: Ref = "main"
    package: Slug | None = None
    licence: Text
    pin: Pin
    releases: tuple[Ref, ...] = Field(default=(), strict=False)


class UpstreamsFile(Written):
    """The file anchors/upstreams.yaml.

    Attributes:
        schema_: version of the file format (key `schema`).
        upstreams: by the name that questions and resources call them.
    """

    schema_: Literal[1] = Field(alias="schema")
    upstreams: dict[Slug, Upstream]


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


class RouteRow(Written):
    """One row of the handbook's reading route.

    Attributes:
        number: place in the route, from 1.
        documents: the pages to read, as the handbook calls them.
        question: the question to read them with.
    """

    number: Annotated[int, Field(ge=1)]
    documents: Bilingual
    question: Bilingual


class ResourceRow(Written):
    """One entry of the handbook's lists of resources.

    Attributes:
        id: a letter and a number.
        title: the page or paper.
        focus: what to read it for.
    """

    id: EntryId
    title: Bilingual
    focus: Bilingual


class Handbook(Written):
    """The file anchors/handbook.yaml: everything that the study has to cover.

    Attributes:
        schema_: version of the file format (key `schema`).
        title: the handbook's title.
        retrieved: day of its sources, as YYYY-MM-DD.
        route: the reading route.
        resources: the documentation pages and papers.
    """

    schema_: Literal[1] = Field(alias="schema")
    title: Bilingual
    retrieved: Date
    route: tuple[RouteRow, ...] = Field(default=(), strict=False)
    resources: tuple[ResourceRow, ...] = Field(default=(), strict=False)


Kind = Literal[
    "upstream",
    "question",
    "question number",
    "resource",
    "anchor",
    "claim",
    "exercise",
    "term",
    "review",
    "route row",
    "resource row",
]
"""What in a study has a name or number that nothing else of its kind has."""


class FileLine(NamedTuple):
    """Where something is written.

    Attributes:
        file: path below the study's folder, with forward slashes.
        line: 1-based.
    """

    file: str
    line: int


class PlacedAnchor(BaseModel):
    """An anchor with where it belongs.

    Attributes:
        anchor: the anchor.
        upstream: name of the upstream it points into.
        owner: id of its question or resource.
        file: path of its file below the study's folder, with forward slashes.
        line: line of its id in that file, 1-based.
    """

    model_config = ConfigDict(frozen=True)

    anchor: Anchor
    upstream: str
    owner: str
    file: str
    line: int


class Study(BaseModel):
    """Everything under anchors/, loaded and valid.

    Attributes:
        upstreams: by name.
        questions: in route order.
        resources: each with the name of its upstream, in file order.
        handbook: the checklist, if there is one.
        glossary: the words of the field, if they are explained.
        anchors: every anchor of questions, then of resources.
        reviews: what was accepted since the pin, by anchor id.
        where: where each thing is written, by kind and by name or number.
    """

    model_config = ConfigDict(frozen=True)

    upstreams: dict[str, Upstream]
    questions: tuple[Question, ...]
    resources: tuple[tuple[str, Resource], ...] = ()
    handbook: Handbook | None = None
    glossary: Glossary | None = None
    anchors: tuple[PlacedAnchor, ...]
    reviews: dict[str, Accepted] = {}
    where: dict[tuple[Kind, str], FileLine] = {}

    def question(self, number: int) -> Question | None:
        """The question at `number` of the route."""
        return next((q for q in self.questions if q.number == number), None)

    def of_upstream(self, name: str) -> Iterator[PlacedAnchor]:
        """The anchors that point into one upstream."""
        return (placed for placed in self.anchors if placed.upstream == name)


__all__ = [
    "NOTE_LIMIT",
    "SCHEMA_VERSION",
    "Accepted",
    "Anchor",
    "Bilingual",
    "Claim",
    "Exercise",
    "FileLine",
    "Glossary",
    "Handbook",
    "Kind",
    "Pin",
    "PlacedAnchor",
    "Question",
    "Quote",
    "Resource",
    "ResourceFile",
    "ResourceRow",
    "ReviewFile",
    "RouteRow",
    "Study",
    "Term",
    "Upstream",
    "UpstreamsFile",
    "Written",
    "check_path",
]
