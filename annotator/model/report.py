"""What a check says: plain data that every report format is made from."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from msgspec import field

from annotator.model.finding import finding_id
from annotator.model.history import Step
from annotator.model.probe import ClaimResult, ObservationDrift, ProbeRun, ProbeStatus
from annotator.model.resolution import Answer, Candidate, Resolution
from annotator.model.words import (
    OUTCOME_SEVERITY,
    WORST_FIRST,
    FailOn,
    Outcome,
    Severity,
    Sureness,
    Watch,
)


class AnchorResult(Answer, frozen=True, kw_only=True):
    """One anchor of the study, checked.

    Attributes:
        id: the anchor.
        owner: its question or resource.
        number: its question's place in the route, none for a resource.
        upstream: name of the upstream it points into.
        target: the target as written.
        watch: what counts as drift.
        file: file of the anchor, below the study's folder.
        line: line of the anchor's id there.
        baseline: ref that it was compared with.
        sureness: how sure that baseline speaks for the pin; none without a lock entry.
        resolution: what became of it.
        old_link: web address of the place at the baseline.
        new_link: web address of the place at the target.
        blame: the commits that made it drift, oldest first, where that was asked for.
        claims: what running upstream's code says of its claims, where that was asked for.
        own_severity: how much its drift matters, where the anchor itself says so.
        known_since: the commit at which this was recorded as known, if the check was told to let known drift pass.
    """

    id: str
    owner: str
    number: int | None = None
    upstream: str
    target: str
    watch: Watch
    file: str
    line: int
    baseline: str
    sureness: Sureness | None = None
    resolution: Resolution
    old_link: str = ""
    new_link: str = ""
    blame: tuple[Step, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    own_severity: Severity | None = None
    known_since: str = ""

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.own_severity or OUTCOME_SEVERITY[self.resolution.outcome]

    @property
    def finding(self) -> str:
        """Id of what is said here, the same in all outputs; a further change of the place has another."""
        new = self.resolution.new
        refuted = [claim.id for claim in self.claims if claim.status is ProbeStatus.REFUTED]
        candidates = [f"{each.path}::{each.symbol}" for each in self.resolution.candidates]
        ambiguous = self.resolution.outcome is Outcome.AMBIGUOUS
        state = (
            *((new.path, new.symbol) if new else ()),
            self.resolution.state,
            *(sorted(candidates) if ambiguous else ()),
            *refuted,
        )
        return finding_id(f"anchor {self.id}", self.resolution.outcome, state)


class UpstreamCheck(Answer, frozen=True, kw_only=True):
    """What one upstream was checked against.

    Attributes:
        name: the upstream.
        requested: the ref that was asked for.
        commit: id of the commit in the source at hand.
        label: tag or short id, for people.
        source: where the target was read from.
        pin: the pinned commit or release.
        baseline: ref that the baseline was read from.
        baseline_source: where the baseline was read from.
        exact: whether the baseline is the pin itself.
        note: what a reader should know about the baseline, one sentence, may be empty.
    """

    name: str
    requested: str
    commit: str
    label: str
    source: str
    pin: str
    baseline: str
    baseline_source: str
    exact: bool
    note: str = ""


class QuestionTitle(Answer, frozen=True, kw_only=True):
    """Heading of a group of anchors: a question of the route or a resource."""

    id: str
    number: int | None = None
    zh: str = ""
    en: str = ""


class CheckReport(Answer, frozen=True, kw_only=True):
    """The result of `annot check`.

    Attributes:
        schema_: version of this format (key `schema`).
        version: version of annot.
        upstreams: what was compared with what.
        groups: questions and resources in reading order.
        anchors: every anchor checked, in reading order.
        fail_on: outcomes and severities that make the check fail.
        warnings: what else there is to know.
        probes: what running upstream's code showed, where that was asked for.
        drifts: what it showed differently at the baseline, whether a claim speaks of it or not.
        settled: what is recorded as known drift and is not there any more, by anchor.
    """

    schema_: Literal[1] = field(name="schema", default=1)
    version: str
    upstreams: tuple[UpstreamCheck, ...]
    groups: tuple[QuestionTitle, ...]
    anchors: tuple[AnchorResult, ...]
    fail_on: tuple[FailOn, ...]
    warnings: tuple[str, ...] = ()
    probes: tuple[ProbeRun, ...] = ()
    drifts: tuple[ObservationDrift, ...] = ()
    settled: tuple[str, ...] = ()

    def fails(self, result: AnchorResult) -> bool:
        """Whether one anchor makes the check fail; known drift never does."""
        outcome, severity = result.resolution.outcome, result.severity
        return not result.known_since and any(
            word.meets(outcome, severity) for word in self.fail_on
        )

    @property
    def counts(self) -> Counter[Outcome]:
        """Number of anchors by outcome."""
        return count_outcomes(self.anchors)

    @property
    def claims(self) -> Counter[ProbeStatus]:
        """Number of claims by what running upstream's code says of them."""
        return Counter(claim.status for result in self.anchors for claim in result.claims)

    @property
    def exit_code(self) -> int:
        """0 nothing to do, 1 drift, 3 the check is incomplete, which wins over drift."""
        counts = self.counts
        claims = self.claims
        if counts[Outcome.ERROR] or counts[Outcome.SKIPPED]:
            return 3
        if claims[ProbeStatus.ERROR] or claims[ProbeStatus.SKIPPED]:
            return 3
        return int(any(map(self.fails, self.anchors)))


def count_outcomes(results: Iterable[AnchorResult]) -> Counter[Outcome]:
    """Number of results by outcome."""
    return Counter(result.resolution.outcome for result in results)


def worst_outcome(results: Iterable[AnchorResult]) -> Outcome:
    """The outcome to look at first; ok if there is none."""
    present = count_outcomes(results)
    return next((outcome for outcome in WORST_FIRST if present[outcome]), Outcome.OK)


class WhereAnswer(Answer, frozen=True, kw_only=True):
    """The result of `annot where`, one JSON object.

    Attributes:
        id: the id of the question, if it had one.
        outcome: what the reader has to do.
        changes: the kind of every difference.
        path: file at the target, empty if there is no successor.
        symbol: qualified name there, empty for a whole file or a range outside any symbol.
        start: first line there, 1-based, 0 if there is no successor.
        end: last line there, inclusive.
        confidence: how sure the answer is, 0 to 1.
        candidates: places considered, best first.
        successors: for a split, all parts as `path::name`.
        evidence: how the answer was found.
        reason: for error and skipped, why.
    """

    id: str | None = None
    outcome: Outcome
    changes: tuple[str, ...]
    path: str
    symbol: str
    start: int
    end: int
    confidence: float
    candidates: tuple[Candidate, ...] = ()
    successors: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    reason: str = ""
