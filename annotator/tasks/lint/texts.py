"""Every text of a study, and what its two languages owe each other."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from annotator.model.anchor import NOTE_LIMIT
from annotator.model.study import Exercise, Kind, PlacedAnchor, Study
from annotator.model.written import Bilingual
from annotator.tasks.lint.code_names import code_names
from annotator.tasks.lint.findings import Finding, Level, finding_at

ANSWER_LIMIT = 2000
"""Longest answer of an exercise, in characters of one language."""

_LANGUAGES: tuple[tuple[Literal["zh", "en"], str], ...] = (("zh", "Chinese"), ("en", "English"))
_LIMITS = {("anchor", "note"): NOTE_LIMIT, ("exercise", "answer"): ANSWER_LIMIT}
_GIVEN_BY_HANDBOOK = frozenset({"title", "question", "focus"})


class StudyText(NamedTuple):
    """One text with what it belongs to.

    Attributes:
        kind: kind of its owner.
        name: id of its owner.
        key: what the text is to its owner, as the key in the file.
        text: the text.
        upstreams: the upstreams that it is about.
        placed: the anchor whose note, reason or claim it is, if it is one.
    """

    kind: Kind
    name: str
    key: str
    text: Bilingual
    upstreams: frozenset[str]
    placed: PlacedAnchor | None = None


def texts_of(study: Study) -> Iterator[StudyText]:
    """All texts: of questions, resources, anchors, then the glossary."""
    for question in study.questions:
        about = frozenset({question.upstream})
        for key in ("title", "question", "read_first", "answer"):
            if text := getattr(question, key):
                yield StudyText("question", question.id, key, text, about)
        yield from _of_exercises(question.exercises, about)
    for upstream, resource in study.resources:
        about = frozenset({upstream})
        for key in ("title", "focus", "caution"):
            if text := getattr(resource, key):
                yield StudyText("resource", resource.id, key, text, about)
        yield from _of_exercises(resource.exercises, about)
    for placed in study.anchors:
        anchor, about = placed.anchor, frozenset({placed.upstream})
        yield StudyText("anchor", anchor.id, "note", anchor.note, about, placed)
        if anchor.reason:
            yield StudyText("anchor", anchor.id, "reason", anchor.reason, about, placed)
        for claim in anchor.claims:
            yield StudyText("claim", claim.id, "text", claim.text, about, placed)
    upstream_of = {placed.anchor.id: placed.upstream for placed in study.anchors}
    for term in study.glossary.terms if study.glossary else ():
        about = frozenset(upstream_of[anchor] for anchor in term.anchors)
        yield StudyText("term", term.id, "term", term.term, about)
        yield StudyText("term", term.id, "meaning", term.meaning, about)


def _of_exercises(exercises: tuple[Exercise, ...], about: frozenset[str]) -> Iterator[StudyText]:
    for exercise in exercises:
        yield StudyText("exercise", exercise.id, "task", exercise.task, about)
        yield StudyText("exercise", exercise.id, "answer", exercise.answer, about)


def text_findings(study: Study) -> Iterator[Finding]:
    """Missing translations, long texts, names that only one language has."""
    for text in texts_of(study):
        for level, rule, message in (*_translation(text), *_length(text), *_names(text)):
            yield finding_at(study, (text.kind, text.name), level, rule, message)


def _translation(text: StudyText) -> Iterator[tuple[Level, str, str]]:
    for language, language_name in _LANGUAGES:
        if getattr(text.text, language) is None:
            what = f"the {text.key} of the {text.kind} {text.name}"
            yield Level.WARNING, "translation", f"{what} is not there in {language_name}"


def _length(text: StudyText) -> Iterator[tuple[Level, str, str]]:
    limit = _LIMITS.get((text.kind, text.key))
    for language, language_name in _LANGUAGES if limit else ():
        length = len(getattr(text.text, language) or "")
        if limit and length > limit:
            message = f"the {language_name} {text.key} has {length} characters, more than {limit}"
            yield Level.WARNING, f"long-{text.key}", message


def _names(text: StudyText) -> Iterator[tuple[Level, str, str]]:
    if text.text.zh is None or text.text.en is None or text.key in _GIVEN_BY_HANDBOOK:
        return
    what = f"{text.key} of the {text.kind} {text.name}"
    chinese, english = code_names(text.text.zh), code_names(text.text.en)
    for ours, theirs, language in (
        (chinese, english, "Chinese"),
        (english, chinese, "English"),
    ):
        only = [f"`{name.text}`" for name in ours if name not in theirs]
        if only:
            message = f"only the {language} {what} names {', '.join(only)}"
            yield Level.ERROR, "same-names", message
