"""A study's index: as much of every anchor as finding its place needs, quick to load."""

from annotator.model.resolution import Answer
from annotator.model.target import Target, parse_target
from annotator.model.words import Watch


class IndexedQuote(Answer, frozen=True, kw_only=True):
    """A statement inside a target.

    Attributes:
        exact: the quoted text.
        prefix: text right before it.
        suffix: text right after it.
    """

    exact: str
    prefix: str = ""
    suffix: str = ""


class IndexedAnchor(Answer, frozen=True, kw_only=True):
    """Where an anchor points.

    Attributes:
        owner: id of its question or resource.
        upstream: name of the upstream it points into.
        target: its target as written.
        watches: what counts as drift.
        quote: the statement meant inside the target.
    """

    owner: str
    upstream: str
    target: str
    watches: Watch
    quote: IndexedQuote | None = None

    @property
    def place(self) -> Target:
        """The parsed target."""
        return parse_target(self.target)


class IndexedUpstream(Answer, frozen=True, kw_only=True):
    """Where an upstream is, and since when it is annotated.

    Attributes:
        web: web address of its repository, empty if it has none.
        refs: refs to take the baseline from, the surest first.
        paths: the files of it that anchors point into.
    """

    web: str
    refs: tuple[str, ...]
    paths: tuple[str, ...]


class StudyIndex(Answer, frozen=True, kw_only=True):
    """The anchors of a study without what is said about them.

    Attributes:
        upstreams: by name.
        questions: ids of the route's questions, by number.
        anchors: by id, in reading order.
    """

    upstreams: dict[str, IndexedUpstream]
    questions: dict[int, str]
    anchors: dict[str, IndexedAnchor]

    def paths_in(self, upstream: str) -> tuple[str, ...]:
        """The files of one upstream that anchors point into."""
        return self.upstreams[upstream].paths
