"""Closing a session: what people say was read and disputed, held against the study."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotator.model.failures import UserMistake
from annotator.model.session import Dispute, Session, SessionOutcome
from annotator.model.study import Study
from annotator.store.problems import did_you_mean

EVERYTHING = "all"


class Given(NamedTuple):
    """What people say about a session.

    Attributes:
        read: ids of anchors that were read, or `all`.
        ticked: ids that one reader ticked, maybe of other questions too.
        disputed: ids of claims, each with the reason, which may be empty.
        present: who was there.
        minutes: the minutes, maybe empty.
    """

    read: tuple[str, ...] = ()
    ticked: tuple[str, ...] = ()
    disputed: tuple[tuple[str, str], ...] = ()
    present: tuple[str, ...] = ()
    minutes: str = ""


def session_to_close(sessions: Sequence[Session], wanted: str | None) -> Session:
    """The session of that id, or the only open one.

    Raises:
        UserMistake: if there is none, or several are open and none was named.
    """
    if wanted is not None:
        for session in sessions:
            if session.id == wanted:
                return session
        known = [session.id for session in sessions]
        raise UserMistake(
            f"there is no session {wanted!r}{did_you_mean(wanted, known)}",
            hint="`annot session list` shows them all",
        )
    still_open = [session for session in sessions if session.outcome is None]
    if len(still_open) == 1:
        return still_open[0]
    if not still_open:
        raise UserMistake("no session is open", hint="`annot session new` plans one")
    raise UserMistake(
        "several sessions are open", hint=f"name one of {', '.join(s.id for s in still_open)}"
    )


def closed_outcome(study: Study, session: Session, given: Given, date: str) -> SessionOutcome:
    """What came of a session.

    Raises:
        UserMistake: if an anchor is not in its plan, or a claim is not in the study.
    """
    planned = [planned.anchor for planned in session.plan]
    claims = {claim.id for placed in study.anchors for claim in placed.anchor.claims}
    named = set(given.read) - {EVERYTHING}
    _known(named, planned, f"session {session.id} has no anchor")
    _known((claim for claim, _ in given.disputed), claims, "the study has no claim")
    read = named | (set(given.ticked) & set(planned))
    if EVERYTHING in given.read:
        read |= set(planned)
    reasons = {claim: reason for claim, reason in given.disputed if reason}
    return SessionOutcome(
        closed=date,
        present=tuple(dict.fromkeys(given.present)),
        read=tuple(anchor for anchor in planned if anchor in read),
        disputed=tuple(
            Dispute(claim=claim, reason=reasons.get(claim))
            for claim in dict.fromkeys(claim for claim, _ in given.disputed)
        ),
        minutes=given.minutes or None,
    )


def _known(names: Iterable[str], known: Iterable[str], complaint: str) -> None:
    there = set(known)
    for name in sorted(set(names) - there):
        raise UserMistake(f"{complaint} {name!r}{did_you_mean(name, sorted(there))}")
