"""The answer of the resolver: where a place is now and what happened to it."""

from msgspec import Struct

from annotator.model.words import SILENT_CHANGES, ChangeKind, Outcome


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of machine-written results: quick to load, to read and to write (`msgspec.json`)."""


class ParameterChange(Answer, frozen=True, kw_only=True):
    """One difference between two parameter lists.

    Attributes:
        name: the parameter, as it is called now (as it was called, if removed).
        change: `added`, `removed`, `renamed`, `reordered`, `kind`, `default` or `type`.
        old: what it was, in source form.
        new: what it is, in source form.
    """

    name: str
    change: str
    old: str = ""
    new: str = ""

    def __str__(self) -> str:
        """The change in a few words."""
        match self.change:
            case "added":
                return f"+{self.new}"
            case "removed":
                return f"-{self.old}"
            case "renamed":
                return f"{self.old} → {self.new}"
            case "reordered":
                return f"{self.name} reordered"
            case _:
                return f"{self.name}: {self.change} {self.old or '–'} → {self.new or '–'}"


class Change(Answer, frozen=True, kw_only=True):
    """One difference between the old place and the new one.

    Attributes:
        kind: what differs.
        detail: the difference in a few words, may be empty.
        similarity: for body changes, how much stayed, 0 to 1.
        parameters: for signature changes, parameter by parameter.
    """

    kind: ChangeKind
    detail: str = ""
    similarity: float | None = None
    parameters: tuple[ParameterChange, ...] = ()

    def __str__(self) -> str:
        """The change in a few words, with upstream's words in them: never to be trusted."""
        return f"{self.kind.value}: {self.detail}" if self.detail else self.kind.value


class Candidate(Answer, frozen=True, kw_only=True):
    """A place that the old one may have become.

    Attributes:
        path: file.
        symbol: qualified name, empty for a whole file.
        start: first line.
        end: last line.
        score: 0 to 1; how much it looks like the successor.
        reason: what spoke for it, in plain words.
    """

    path: str
    symbol: str
    start: int
    end: int
    score: float
    reason: str


class Place(Answer, frozen=True, kw_only=True):
    """A line range in a file of one tree.

    Attributes:
        path: file.
        symbol: qualified name, empty for a whole file or a range outside any symbol.
        start: first line, 1-based.
        end: last line, inclusive.
        blob: git blob id of the file.
    """

    path: str
    symbol: str
    start: int
    end: int
    blob: str


class Resolution(Answer, frozen=True, kw_only=True):
    """What became of one place.

    Attributes:
        outcome: what the reader has to do.
        changes: every difference in where the place is and in what it watches, quiet ones too.
        old: the place at the baseline.
        new: the place at the target, if there is one.
        successors: for a split, all parts.
        confidence: how sure the answer is, 0 to 1.
        candidates: the places considered, best first, when the answer was not plain.
        evidence: how the answer was found, one sentence a step.
        reason: for error and skipped, why.
        state: hash of what is watched at the target, where it is not ok; the same as long as nothing more happens to it.
    """

    outcome: Outcome
    changes: tuple[Change, ...] = ()
    old: Place | None = None
    new: Place | None = None
    successors: tuple[Place, ...] = ()
    confidence: float = 1.0
    candidates: tuple[Candidate, ...] = ()
    evidence: tuple[str, ...] = ()
    reason: str = ""
    state: str = ""

    @property
    def loud_changes(self) -> tuple[Change, ...]:
        """The changes that can make an anchor drift."""
        return tuple(change for change in self.changes if change.kind not in SILENT_CHANGES)
