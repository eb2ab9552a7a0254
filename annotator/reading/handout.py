"""The handout of a session: Markdown to print or to fill in, and what people filled in."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotator.model.report import AnchorResult
from annotator.model.session import Dispute, Session
from annotator.model.study import PlacedAnchor, Question
from annotator.reading.wording import Language, word
from annotator.report.style import OUTCOME_MARK, change_summary, place_name, printable
from annotator.tasks.sessions import Drift, probe_commands, timetable
from annotator.tasks.views import View

_READ, _DISPUTED, _PRESENT, _MINUTES = (
    f"<!-- annot:{name} -->" for name in ("read", "disputed", "present", "minutes")
)
"""What stands before each part that people fill in: it survives translation and rewording."""

_END = "<!-- annot:end -->"

_TICKED = re.compile(r"^\s*[-*] \[[xX]\] `(?P<id>[a-z0-9-]+)`")
_BOX = re.compile(r"^\s*[-*] \[.\] ")
_REASON = re.compile(r"^\s+[-*] [^:：]*[:：]\s*(?P<reason>.*)$")


class Filled(NamedTuple):
    """What people filled in.

    Attributes:
        read: ids of the anchors that are ticked as read.
        disputed: the claims that are ticked as disputed.
        present: who was there.
        minutes: the minutes.
    """

    read: tuple[str, ...]
    disputed: tuple[Dispute, ...]
    present: tuple[str, ...]
    minutes: str


def handout(
    session: Session,
    questions: Sequence[Question],
    placed: Sequence[tuple[PlacedAnchor, View]],
    drift: Drift,
    language: Language,
) -> str:
    """The handout of a session, in Markdown.

    Args:
        session: the session.
        questions: its questions.
        placed: its anchors with their places, in reading order.
        drift: what drifted in them since the last session.
        language: language of notes and headings.
    """
    parts = [
        *_heading(session, questions, language),
        *_goals(questions, language),
        *_drifted(drift, language),
        *_plan(session, placed, language),
        *_claims([one for one, _ in placed], language),
        *_commands(session, placed, drift, language),
        *_minutes(session, language),
    ]
    return "\n".join(parts) + "\n"


def read_handout(text: str) -> Filled:
    """What people filled into a handout; parts that they deleted count as empty."""
    parts = _parts(text)
    read = [found["id"] for line in parts[_READ] if (found := _TICKED.match(line))]
    present = " ".join(parts[_PRESENT]).rpartition("**")[2].lstrip(":： ")
    minutes = "\n".join(line for line in parts[_MINUTES] if not line.startswith("<!--"))
    return Filled(
        tuple(dict.fromkeys(read)),
        tuple(_disputed(parts[_DISPUTED])),
        tuple(name.strip() for name in re.split(r"[,，、]", present) if name.strip(" _")),
        minutes.strip(),
    )


def _heading(session: Session, questions: Sequence[Question], lang: Language) -> Iterator[str]:
    titles = "; ".join(f"{q.number}. {q.title.in_language(lang)}" for q in questions)
    yield f"# {word('session', lang)} {session.date}: {titles}"
    yield ""
    at = ", ".join(f"{name} {ref}" for name, ref in session.at.items())
    yield f"{session.minutes} {word('minutes', lang)} · {at}"
    yield ""


def _goals(questions: Sequence[Question], lang: Language) -> Iterator[str]:
    yield f"## {word('goals', lang)}"
    yield ""
    for question in questions:
        yield f"- {word('goal', lang)}: **{question.question.in_language(lang)}**"
        if question.read_first:
            yield f"    - {word('read first', lang)}: {_line(question.read_first.in_language(lang))}"
    yield ""


def _drifted(drift: Drift, lang: Language) -> Iterator[str]:
    title = word("drifted" if drift.since else "drifted since pin", lang)
    yield f"## {title}" + (f" ({drift.since})" if drift.since else "")
    yield ""
    if drift.found:
        names = (word(key, lang) for key in ("anchor", "outcome", "what changed", "between"))
        yield f"| {' | '.join(names)} |"
        yield "| --- | --- | --- | --- |"
        for result in drift.found:
            yield _drift_row(result, drift.now.get(result.upstream, ""))
    else:
        yield word("nothing drifted", lang)
    for warning in drift.warnings:
        yield f"\n> {_cell(warning)}"
    yield ""


def _drift_row(result: AnchorResult, now: str) -> str:
    outcome = result.resolution.outcome
    between = f"{_cell(result.baseline)} → {_cell(now)}"
    if result.new_link:
        between = f"[{between}]({result.new_link})"
    cells = (
        f"`{result.id}`",
        f"{OUTCOME_MARK[outcome]} {outcome.value}",
        _cell(_what_changed(result)),
        between,
    )
    return f"| {' | '.join(cells)} |"


def _what_changed(result: AnchorResult) -> str:
    summary, new = change_summary(result.resolution, 90), result.resolution.new
    if not summary and new is not None:
        return place_name(new)
    return summary


def _plan(
    session: Session, placed: Sequence[tuple[PlacedAnchor, View]], lang: Language
) -> Iterator[str]:
    yield f"## {word('plan', lang)}"
    yield ""
    opening, *reading, arguing = timetable(session)
    yield f"- {opening.times} {word('open', lang)}"
    views = {one.anchor.id: (one, view) for one, view in placed}
    yield ""
    yield _READ
    yield ""
    for slot in reading:
        one, view = views[slot.anchor]
        start, end = view.focus
        lines = f"{start}" if start == end else f"{start}-{end}"
        place = f"`{view.path.replace('`', ' ')}:{lines}`"
        if view.link:
            place = f"[{place}]({view.link})"
        yield (
            f"- [ ] `{slot.anchor}` {slot.times}"
            f" ({slot.end - slot.start} {word('minutes', lang)})"
            f" {place} {view.label}"
        )
        yield f"    - {_line(one.anchor.note.in_language(lang))}"
    yield ""
    yield _END
    yield ""
    yield f"- {arguing.times} {word('argue', lang)}"
    yield ""


def _claims(placed: Iterable[PlacedAnchor], lang: Language) -> Iterator[str]:
    claims = [claim for one in placed for claim in one.anchor.claims]
    if not claims:
        return
    yield f"## {word('claims', lang)}"
    yield ""
    yield word("tick disputed", lang)
    yield ""
    yield _DISPUTED
    yield ""
    for claim in claims:
        yield f"- [ ] `{claim.id}` {_line(claim.text.in_language(lang))}"
        yield f"    - {word('disputed', lang)}: "
    yield ""
    yield _END
    yield ""


def _commands(
    session: Session, placed: Sequence[tuple[PlacedAnchor, View]], drift: Drift, lang: Language
) -> Iterator[str]:
    yield f"## {word('run', lang)}"
    yield ""
    yield "```console"
    yield from (f"$ {each}" for each in probe_commands(session, (one for one, _ in placed)))
    for result in drift.found:
        since = result.baseline
        yield f"$ annot trace {result.id} --from {since}"
    yield f"$ annot read {session.questions[0]}"
    yield "```"
    yield ""


def _minutes(session: Session, lang: Language) -> Iterator[str]:
    yield f"## {word('minutes of', lang)}"
    yield ""
    yield _PRESENT
    yield ""
    yield f"**{word('present', lang)}**: "
    yield ""
    yield _MINUTES
    yield from [""] * 12
    yield _END
    yield ""
    yield word("close", lang)
    yield ""
    yield "```console"
    yield f"$ annot session close {session.id}"
    yield "```"


def _parts(text: str) -> dict[str, list[str]]:
    """The lines behind each mark, up to the next one."""
    parts: dict[str, list[str]] = {_READ: [], _DISPUTED: [], _PRESENT: [], _MINUTES: []}
    current: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("<!-- annot:"):
            current = parts.get(line.strip(), [])
        else:
            current.append(line)
    return parts


def _disputed(lines: Sequence[str]) -> Iterator[Dispute]:
    for at, line in enumerate(lines):
        if not (found := _TICKED.match(line)):
            continue
        reason = ""
        for below in lines[at + 1 :]:
            if _BOX.match(below):
                break
            if written := _REASON.match(below):
                reason = written["reason"].strip()
            elif below.strip() and reason:
                reason += f" {below.strip()}"
        yield Dispute(claim=found["id"], reason=reason or None)


def _line(text: str) -> str:
    """A text of several lines in one, for a list entry."""
    return " ".join(text.split())


def _cell(text: str) -> str:
    """Text from upstream for Markdown: no markup, no HTML, no cell boundary."""
    plain = printable(" ".join(text.split()))
    plain = plain.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")
    return re.sub(r"[\\`*_\[\]{}]", lambda found: "\\" + found[0], plain)
