"""A study: its questions, resources and anchors, each with where it is written."""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from annotator.model.anchor import Anchor
from annotator.model.handbook import Glossary, Handbook
from annotator.model.review import Accepted
from annotator.model.upstream import Upstream
from annotator.model.written import Bilingual, EntryId, Slug, Text, Written


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

    def paths_in(self, upstream: str) -> set[str]:
        """The files of one upstream that anchors point into."""
        return {placed.anchor.place.path for placed in self.of_upstream(upstream)}

    def of_upstream(self, name: str) -> Iterator[PlacedAnchor]:
        """The anchors that point into one upstream."""
        return (placed for placed in self.anchors if placed.upstream == name)
