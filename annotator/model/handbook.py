"""The handbook's checklist, and the words of the field."""

from typing import Annotated, Literal

from pydantic import Field

from annotator.model.written import Bilingual, Date, EntryId, Slug, Written


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
