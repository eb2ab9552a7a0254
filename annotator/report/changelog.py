"""The changelog of a moved pin as Markdown: once in Chinese, once in English."""

from collections.abc import Iterator
from textwrap import dedent
from typing import Literal, NamedTuple

from annotator.model.history import Step
from annotator.model.review import Accepted, Retired
from annotator.model.words import PLACE_CHANGES, SILENT_CHANGES, Outcome
from annotator.report.markdown import code, plain, prose
from annotator.tasks.review.accepting import MOVED_REASONS
from annotator.tasks.review.changelog import Changelog, Entry, Owner
from annotator.tasks.review.queue import short_ref

_Language = Literal["zh", "en"]


class _Words(NamedTuple):
    """The fixed sentences of one language."""

    heading: str
    intro: str
    summary: str
    compare: str
    read_again: str
    place: str
    changed: str
    why: str
    edited: str
    moved: str
    signed: str
    commits: str
    no_commits: str
    retired: str
    note_was: str
    now_says: str
    behaviour: str
    seen: str
    unseen: str
    old_pin: str
    nothing: str
    question: str


_WORDS: dict[_Language, _Words] = {
    "zh": _Words(
        heading="中文",
        intro="读过 {old} 笔记的人，需要知道下面这些；没有列出的锚点在 {new} 上与原来一致，可以照旧引用。",
        summary="{anchors} 个锚点：{same} 个没有变化，{moved} 个只换了地方，{true} 个代码变了而笔记仍然成立，"
        "{edited} 个改了笔记，{retired} 个退役。",
        compare="上游的全部改动：[{old} → {new}]({link})",
        read_again="**先重读：** {list}。",
        place="位置：{old} → {new}",
        changed="改动：{change}",
        why="为什么仍然成立：{reason}",
        edited="笔记改了什么：{reason}",
        moved="只换了地方，内容相同。",
        signed="（{by}，{date}，{old} → {new}）",
        commits="上游提交：",
        no_commits="两端之间的上游提交不在手边（源码来自发行包，或两端不在同一个仓库里），所以没有列出。",
        retired="退役：{reason}",
        note_was="它原来说：{note}",
        now_says="引用的语句现在是：{quote}",
        behaviour="行为",
        seen="{series} · {key}：{old} → {new}",
        unseen="（没有）",
        old_pin="原来的钉子（连同当时的说明）：",
        nothing="没有锚点需要评审：被引用的内容在两个版本之间没有变化。",
        question="问题 {number}",
    ),
    "en": _Words(
        heading="English",
        intro="What a reader of the notes on {old} has to know. Anchors that are not listed are the same at {new}"
        " and can be cited as before.",
        summary="{anchors} anchors: {same} unchanged, {moved} only at another place, {true} where the code changed"
        " and the note still holds, {edited} with an edited note, {retired} retired.",
        compare="All of upstream's changes: [{old} → {new}]({link})",
        read_again="**Read again first:** {list}.",
        place="Place: {old} → {new}",
        changed="What changed: {change}",
        why="Why the note still holds: {reason}",
        edited="What was done to the note: {reason}",
        moved="Only its place is another; the content is the same.",
        signed=" ({by}, {date}, {old} → {new})",
        commits="Upstream commits:",
        no_commits="Upstream's commits between the two were not at hand (the source comes from releases, or the two"
        " are not in one repository), so none are named.",
        retired="Retired: {reason}",
        note_was="It said: {note}",
        now_says="The quoted statement reads now: {quote}",
        behaviour="Behaviour",
        seen="{series} · {key}: {old} → {new}",
        unseen="(nothing)",
        old_pin="The old pin, with what was said of it:",
        nothing="No anchor had to be reviewed: what is cited is the same in both.",
        question="Question {number}",
    ),
}


def changelog_markdown(log: Changelog) -> str:
    """The changelog, in Chinese and then in English."""
    parts = [f"# {plain(log.title)}: {plain(log.old)} → {plain(log.new)} ({log.date})", ""]
    for language in ("zh", "en"):
        parts += _half(log, language)
    return "\n".join(parts).rstrip() + "\n"


def _half(log: Changelog, language: _Language) -> Iterator[str]:
    words = _WORDS[language]
    ends = {"old": plain(log.old), "new": plain(log.new)}
    yield from (f"## {words.heading}", "", words.intro.format(**ends), "")
    yield from (_summary(log, words), "")
    if log.compare_link:
        yield from (words.compare.format(**ends, link=log.compare_link), "")
    again = [_name(owner, words) for owner in log.owners if _has_news(log, owner)]
    if again:
        between = "、" if language == "zh" else ", "
        yield from (words.read_again.format(list=between.join(again)), "")
    if not log.entries:
        yield from (words.nothing, "")
    for owner in log.owners:
        title = plain(owner.title.in_language(language))
        yield from (f"### {_name(owner, words)} {title}", "")
        for entry in log.entries:
            if entry.owner == owner.id:
                yield from _entry(entry, words, language)
    if log.behaviour or log.behaviour_note:
        yield from (f"### {words.behaviour}", "")
        for one in log.behaviour:
            old, new = (code(text) if text else words.unseen for text in (one.old, one.new))
            yield "- " + words.seen.format(series=one.series, key=code(one.key), old=old, new=new)
        yield from ([plain(log.behaviour_note)] if log.behaviour_note else [])
        yield ""
    if not log.has_commits and any(entry.result for entry in log.entries):
        yield from (words.no_commits, "")
    yield from (
        words.old_pin,
        "",
        *(f"    {line}" for line in dedent(log.old_pin).splitlines()),
        "",
    )


def _summary(log: Changelog, words: _Words) -> str:
    kinds = [_kind(entry) for entry in log.entries]
    kept = sum(kind != "retired" for kind in kinds)
    return words.summary.format(
        anchors=log.anchors,
        same=log.anchors - kept,
        moved=kinds.count("moved"),
        true=kinds.count("still-true"),
        edited=kinds.count("edited"),
        retired=kinds.count("retired"),
    )


def _kind(entry: Entry) -> str:
    """What was decided in the end; an edit of the note outweighs everything that came later."""
    if entry.retired is not None:
        return "retired"
    decisions = [accepted.decision for accepted in entry.accepted]
    return next(kind for kind in ("edited", "still-true", "moved") if kind in decisions)


def _has_news(log: Changelog, owner: Owner) -> bool:
    """Whether a reader has to read a question again, not only its citations."""
    return any(
        entry.owner == owner.id and _kind(entry) in {"edited", "retired"} for entry in log.entries
    )


def _name(owner: Owner, words: _Words) -> str:
    return owner.id if owner.number is None else words.question.format(number=owner.number)


def _entry(entry: Entry, words: _Words, language: _Language) -> Iterator[str]:
    """One anchor: its place, what changed, why the note holds, who did it."""
    yield f"**{plain(entry.anchor)}** {_place(entry, words)}"
    yield ""
    for change in _changes(entry):
        yield f"- {words.changed.format(change=change)}"
    quotes = [accepted.quote for accepted in entry.accepted if accepted.quote]
    if quotes:
        yield "- " + words.now_says.format(quote=code(quotes[-1].exact))
    for accepted in entry.accepted:
        yield f"- {_reason(accepted, words)}{_signed(accepted, words)}"
    if entry.retired is not None:
        reason = words.retired.format(reason=prose(entry.retired.reason))
        yield f"- {reason}{_signed(entry.retired, words)}"
    if entry.note is not None:
        yield "- " + words.note_was.format(note=prose(entry.note.in_language(language)))
    steps = entry.result.blame if entry.result else ()
    if steps:
        yield f"- {words.commits}"
        yield from (f"  - {_commit(step)}" for step in steps)
    yield ""


def _reason(accepted: Accepted, words: _Words) -> str:
    if accepted.decision == "moved" and accepted.reason in MOVED_REASONS.values():
        return words.moved
    sentence = words.edited if accepted.decision == "edited" else words.why
    return sentence.format(reason=prose(accepted.reason))


def _signed(decision: Accepted | Retired, words: _Words) -> str:
    """Who decided, when, and between which two commits."""
    return words.signed.format(
        by=plain(decision.by),
        date=decision.date,
        old=plain(short_ref(decision.from_ref or "–")),
        new=plain(short_ref(decision.ref)),
    )


def _place(entry: Entry, words: _Words) -> str:
    """Where the anchor points, with links to both places where its target is another now."""
    result = entry.result
    old = _linked(entry.old_target, result.old_link if result else "")
    if not entry.new_target:
        return old
    new = _linked(entry.new_target, result.new_link if result else "")
    if entry.old_target == entry.new_target:
        return new
    return words.place.format(old=old, new=new)


def _linked(target: str, link: str) -> str:
    return f"[{code(target)}]({link})" if link else code(target)


def _changes(entry: Entry) -> list[str]:
    """What differs between the two pins; where that cannot be told, what the reviewers saw.

    That the place is another one is told by its targets.
    """
    result = entry.result
    if result is None or result.resolution.outcome in {Outcome.ERROR, Outcome.SKIPPED}:
        return [plain(change) for accepted in entry.accepted for change in accepted.changes]
    told = SILENT_CHANGES | (PLACE_CHANGES if entry.old_target != entry.new_target else set())
    return [
        f"{change.kind.value} {code(change.detail)}" if change.detail else change.kind.value
        for change in result.resolution.changes
        if change.kind not in told
    ]


def _commit(step: Step) -> str:
    subject = plain(step.subject)
    return (
        f"{step.date[:10]} {f'[{subject}]({step.link})' if step.link else subject} ({step.label})"
    )
