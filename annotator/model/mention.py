"""Mentions: places of an upstream's source that notes written elsewhere point to, and what became of them."""

from collections import Counter
from enum import StrEnum
from typing import Literal
from urllib.parse import unquote

from msgspec import field

from annotator.model.report import UpstreamCheck
from annotator.model.resolution import Answer, Resolution
from annotator.model.words import OUTCOME_SEVERITY, WORST_FIRST, FailOn, Outcome, Severity


class MentionKind(StrEnum):
    """How a note points at source.

    `link`: a web address of a file, folder or lines at some ref. `lines`: a path with line numbers, a path
    alone in a relative link, or `path::Name`. `symbol`: a dotted name, such as `package.module.Class.method`.
    """

    LINK = "link"
    LINES = "lines"
    SYMBOL = "symbol"


class Piece(Answer, frozen=True, kw_only=True):
    """A part of a mention that a correction can replace.

    Attributes:
        text: the part as written, without the escapes of the note's format.
        start: offset of its first byte in the note's file.
        end: offset one past its last byte.
    """

    text: str
    start: int
    end: int


class Mention(Answer, frozen=True, kw_only=True):
    """One place that a note points to.

    Attributes:
        kind: how it is written.
        text: the whole mention as written, without the escapes of the note's format.
        line: line of the note's file, 1-based.
        column: its first character there, 1-based, in code points.
        end_line: line of its last character.
        end_column: column behind its last character.
        route: of a link the ref and the path (`main/src/a.py`), still percent-encoded and not told apart, since refs
            can have slashes too; else the path or the dotted name.
        site: host of a link, in lower case.
        repository: owner and name of a link's repository.
        form: of a link what kind of page it is: `blob`, `tree`, `blame`, `raw`, `edit`, …
        first: number of the first line, if there is one.
        last: number of the last line, if it is written.
        fragment: what stands behind `#` of a link if it is no line numbers, percent-decoded.
        symbol: name behind `::`.
    """

    kind: MentionKind
    text: str
    line: int
    column: int
    end_line: int
    end_column: int
    route: Piece
    site: str = ""
    repository: str = ""
    form: str = ""
    first: Piece | None = None
    last: Piece | None = None
    fragment: str = ""
    symbol: str = ""

    @property
    def words(self) -> str:
        """The route, percent-decoded; bytes that are not UTF-8 name no place, and become `�`."""
        return unquote(self.route.text)

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line that it names, in order; none if it names no lines."""
        if self.first is None:
            return None
        first = int(self.first.text)
        last = int(self.last.text) if self.last else first
        return min(first, last), max(first, last)


class MentionResult(Answer, frozen=True, kw_only=True):
    """One mention, checked.

    Attributes:
        file: the note, below the folder that the command ran in where it lies there.
        mention: the mention.
        upstream: the upstream it points into.
        ref: the ref it names or, for a path without one, the version that the note states.
        path: the path it names, from the root of the upstream's tree.
        is_branch: whether `ref` is a branch, so that the place changes under the note without a word.
        fork: owner and name of the repository, where it is a copy or fork of the upstream.
        baseline: what the place was read from, for people; empty if it could not be read.
        resolution: what became of it.
        hint: how to get what is missing, for a skipped one.
        notice: what else a reader should know, one sentence, may be empty.
        new_link: web address of the place at the target.
        corrections: what makes a link cite the target: new texts for pieces of the note. Only links whose place
            was surely found again have any.
    """

    file: str
    mention: Mention
    upstream: str
    ref: str
    path: str
    is_branch: bool = False
    fork: str = ""
    baseline: str = ""
    resolution: Resolution
    hint: str = ""
    notice: str = ""
    new_link: str = ""
    corrections: tuple[Piece, ...] = ()


class PageFinding(Answer, frozen=True, kw_only=True):
    """A name on a page of upstream's own documentation that upstream's code of the same commit does not have.

    Attributes:
        page: path of the page.
        line: line of the name there, 1-based.
        column: its first character, 1-based, in code points.
        end_column: column behind its last character.
        kind: `path`, `option`, `name` or `pattern`.
        name: the name as written.
        missing: the part of it that is nowhere.
        close: a name that the code has and that could be meant, may be empty.
        sure: whether names of this form are mostly of this code.
    """

    page: str
    line: int
    column: int
    end_column: int
    kind: str
    name: str
    missing: str
    close: str = ""
    sure: bool = True


class NotesReport(Answer, frozen=True, kw_only=True):
    """The result of `annot notes check`.

    Attributes:
        schema_: version of this format (key `schema`).
        version: version of annot.
        upstreams: what was compared with what.
        files: the notes that were read.
        results: every mention of an upstream, in the order of the files.
        elsewhere: number of source links into repositories that the study does not have, by owner and name.
        fail_on: outcomes and severities that make the check fail.
        fail_on_branch: whether links by branch make the check fail.
        warnings: what else there is to know.
        names: on upstream's own pages, names that its code does not have.
    """

    schema_: Literal[1] = field(name="schema", default=1)
    version: str
    upstreams: tuple[UpstreamCheck, ...]
    files: tuple[str, ...]
    results: tuple[MentionResult, ...]
    elsewhere: dict[str, int] = field(default_factory=dict)
    fail_on: tuple[FailOn, ...]
    fail_on_branch: bool = False
    warnings: tuple[str, ...] = ()
    names: tuple[PageFinding, ...] = ()

    @property
    def names_fail(self) -> bool:
        """Whether names that are nowhere make the check fail: they count as gone, and are a warning."""
        return any(word.meets(Outcome.GONE, Severity.WARNING) for word in self.fail_on)

    def fails(self, result: MentionResult) -> bool:
        """Whether one mention makes the check fail."""
        if self.fail_on_branch and result.is_branch:
            return True
        outcome = result.resolution.outcome
        return any(word.meets(outcome, OUTCOME_SEVERITY[outcome]) for word in self.fail_on)

    @property
    def counts(self) -> Counter[Outcome]:
        """Number of mentions by outcome, from the one to look at first."""
        found = Counter(result.resolution.outcome for result in self.results)
        return Counter({outcome: found[outcome] for outcome in WORST_FIRST if found[outcome]})

    @property
    def exit_code(self) -> int:
        """0 nothing to do, 1 drift, 3 the check is incomplete, which wins over drift."""
        counts = self.counts
        if counts[Outcome.ERROR] or counts[Outcome.SKIPPED]:
            return 3
        return int(any(map(self.fails, self.results)) or bool(self.names and self.names_fail))
