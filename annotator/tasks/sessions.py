"""Reading sessions: what to read in which time, what drifted since the last one, how far the group is."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.lock import Lock
from annotator.model.report import AnchorResult, CheckReport
from annotator.model.resolution import Place
from annotator.model.review import Accepted
from annotator.model.session import PlannedAnchor, QuestionProgress, Session
from annotator.model.study import PlacedAnchor, Question, Study
from annotator.model.target import TargetError, parse_target
from annotator.model.words import Outcome
from annotator.tasks.check import check
from annotator.tasks.workspace import Revision, Workspace

READING_SHARE = 0.7
"""Part of a session's time for reading; the rest opens it and argues about claims."""

_OPENING_SHARE = 0.1

_DRIFT = frozenset({Outcome.MOVED, Outcome.CHANGED, Outcome.GONE, Outcome.AMBIGUOUS})


class Slot(NamedTuple):
    """A stretch of a session.

    Attributes:
        start: minutes from the session's begin.
        end: the same, where it ends.
        anchor: what is read, empty for the opening and for arguing.
    """

    start: int
    end: int
    anchor: str

    @property
    def times(self) -> str:
        """`0:09–0:15`."""
        start, end = (f"{each // 60}:{each % 60:02}" for each in (self.start, self.end))
        return f"{start}–{end}"


class Drift(NamedTuple):
    """What drifted since the group last met.

    Attributes:
        since: id of the session that it is compared with, empty for the pin.
        found: the anchors that drifted, compared with what the group saw.
        now: by upstream, the commit that they are compared at, for people.
        warnings: what could not be compared.
    """

    since: str
    found: tuple[AnchorResult, ...]
    now: dict[str, str]
    warnings: tuple[str, ...]


def chosen_questions(study: Study, numbers: Iterable[int]) -> tuple[Question, ...]:
    """The questions with these numbers, in the given order, each once.

    Raises:
        UserMistake: if the route has no such question.
    """
    questions = []
    for number in dict.fromkeys(numbers):
        question = study.question(number)
        if question is None:
            raise UserMistake(f"the route has no question {number}")
        questions.append(question)
    return tuple(questions)


def anchors_of(study: Study, questions: Iterable[Question]) -> tuple[PlacedAnchor, ...]:
    """The anchors of questions, in reading order."""
    return tuple(
        placed for question in questions for placed in study.anchors if placed.owner == question.id
    )


def time_plan(
    anchors: Sequence[PlacedAnchor], minutes: int, drifted: Iterable[str] = ()
) -> tuple[PlannedAnchor, ...]:
    """Shares a session's reading time among anchors; claims and drift take longer.

    Each gets a minute at least; what is left goes by weight, the remainders to the largest first.

    Raises:
        UserMistake: if there is not a minute for each.
    """
    total = int(minutes * READING_SHARE)
    if not anchors or total < len(anchors):
        needed = next(m for m in itertools.count(minutes) if int(m * READING_SHARE) >= len(anchors))
        raise UserMistake(
            f"{len(anchors)} anchors do not fit into {minutes} minutes"
            if anchors
            else "there is nothing left to read",
            hint=f"take {needed} minutes, fewer questions, or --unread"
            if anchors
            else "leave out --unread, or choose other questions",
        )
    again = set(drifted)
    weights = [1 + len(p.anchor.claims) + 2 * (p.anchor.id in again) for p in anchors]
    free = total - len(anchors)
    shares = [free * weight / sum(weights) for weight in weights]
    given = [int(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda at: given[at] - shares[at])
    for at in by_remainder[: free - sum(given)]:
        given[at] += 1
    return tuple(
        PlannedAnchor(anchor=placed.anchor.id, minutes=1 + extra)
        for placed, extra in zip(anchors, given, strict=True)
    )


def timetable(session: Session) -> tuple[Slot, ...]:
    """A session from its begin to its end: the opening, the anchors of its plan, arguing."""
    opening = max(1, round(session.minutes * _OPENING_SHARE))
    slots = [Slot(0, opening, "")]
    for planned in session.plan:
        now = slots[-1].end
        slots.append(Slot(now, now + planned.minutes, planned.anchor))
    rest = session.minutes - opening - int(session.minutes * READING_SHARE)
    now = slots[-1].end
    return (*slots, Slot(now, now + max(rest, 1), ""))


def probe_commands(session: Session, anchors: Iterable[PlacedAnchor]) -> tuple[str, ...]:
    """The commands that run what the claims of these anchors name, on the commits that the session looks at."""
    commands = []
    for placed in anchors:
        commit = session.at.get(placed.upstream)
        for claim in placed.anchor.claims:
            if claim.probe:
                at = f" --commit {commit}" if commit else ""
                commands.append(f"annot probe {claim.probe}{at}")
    return tuple(dict.fromkeys(commands))


def drift_since(
    workspace: Workspace,
    study: Study,
    locks: Mapping[str, Lock],
    anchors: Sequence[PlacedAnchor],
    last: Session | None,
    ref: str,
) -> Drift:
    """What drifted in `anchors` between the group's last session and `ref`; without one, since the pin.

    Raises:
        UserMistake: if `ref` is unknown.
    """
    upstreams = {placed.upstream: study.upstreams[placed.upstream] for placed in anchors}
    narrowed = study.model_copy(update={"anchors": tuple(anchors), "reviews": {}})
    now = check(workspace, narrowed, upstreams, locks, ref=ref)
    warnings = list(now.warnings)
    reviews: dict[str, Accepted] = {}
    same: set[str] = set()
    for name, upstream in upstreams.items():
        if last is None or name not in last.at:
            continue
        try:
            then = check(workspace, narrowed, {name: upstream}, locks, ref=last.at[name])
        except AnnotError as error:
            warnings.append(f"{name} is compared with the pin: {error}")
            continue
        same |= _same_files(then, now)
        reviews |= _as_reviews(then, last)
    if reviews:
        moved_on = tuple(placed for placed in anchors if placed.anchor.id not in same)
        narrowed = narrowed.model_copy(update={"anchors": moved_on, "reviews": reviews})
        now = check(workspace, narrowed, upstreams, locks, ref=ref, reviewed=True)
    results = [result for result in now.anchors if result.id not in same]
    return Drift(
        since=last.id if last else "",
        found=tuple(result for result in results if result.resolution.outcome in _DRIFT),
        now={one.name: one.label for one in now.upstreams},
        warnings=(
            *warnings,
            *(
                f"{result.id} could not be compared: {result.resolution.reason}"
                for result in results
                if result.resolution.outcome in {Outcome.ERROR, Outcome.SKIPPED}
            ),
        ),
    )


def revisions_now(
    workspace: Workspace, study: Study, anchors: Sequence[PlacedAnchor], ref: str
) -> dict[str, str]:
    """By upstream, what upstream itself calls the commit that `ref` names."""
    named: dict[str, str] = {}
    for name in dict.fromkeys(placed.upstream for placed in anchors):
        revision: Revision = workspace.revision(name, ref)
        named[name] = revision.link_ref
    return named


def progress(study: Study, sessions: Sequence[Session]) -> tuple[QuestionProgress, ...]:
    """How far the group is, question by question, from its closed sessions."""
    closed = [session for session in sessions if session.outcome is not None]
    read = {anchor for session in closed if session.outcome for anchor in session.outcome.read}
    disputed = [d.claim for s in closed if s.outcome for d in s.outcome.disputed]
    rows = []
    for question in study.questions:
        claims = {claim.id for anchor in question.anchors for claim in anchor.claims}
        rows.append(
            QuestionProgress(
                number=question.number,
                anchors=len(question.anchors),
                read=sum(anchor.id in read for anchor in question.anchors),
                disputed=tuple(c for c in dict.fromkeys(disputed) if c in claims),
                sessions=tuple(s.id for s in closed if question.number in s.questions),
            )
        )
    return tuple(rows)


def read_so_far(sessions: Iterable[Session]) -> set[str]:
    """Ids of the anchors that were read in closed sessions."""
    return {anchor for s in sessions if s.outcome is not None for anchor in s.outcome.read}


def session_id(date: str, questions: Sequence[Question]) -> str:
    """`2026-12-05-q06-q07`: sorts by date, says what was read."""
    return "-".join([date, *(f"q{question.number:02}" for question in questions)])


def _same_files(then: CheckReport, now: CheckReport) -> set[str]:
    """Ids of the anchors whose file is the same, byte for byte, in two reports."""
    before = {result.id: result.resolution.new for result in then.anchors}
    return {
        result.id
        for result in now.anchors
        if (place := result.resolution.new) is not None
        and (old := before.get(result.id)) is not None
        and (old.path, old.blob) == (place.path, place.blob)
    }


def _as_reviews(report: CheckReport, last: Session) -> dict[str, Accepted]:
    """Where each anchor was at the last session, as a baseline to compare with."""
    reviews = {}
    for result in report.anchors:
        place = result.resolution.new
        if place is None or result.resolution.outcome is Outcome.AMBIGUOUS:
            continue
        reviews[result.id] = Accepted(
            ref=last.at[result.upstream],
            target=_target(result.target, result.resolution.old, place),
            by="session",
            date=last.date,
            reason=last.id,
        )
    return reviews


def _target(written: str, old: Place | None, new: Place) -> str | None:
    """The target as it was called at the last session, none if that is the anchor's own."""
    if old is not None and (old.path, old.symbol) == (new.path, new.symbol):
        return None
    sign: Literal["#", "::"] = "#" if "#" in written else "::"
    target = f"{new.path}{sign}{new.symbol}" if new.symbol else new.path
    try:
        parse_target(target)
    except TargetError:
        return None
    return target
