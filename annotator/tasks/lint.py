"""What a valid study still lacks: coverage of the handbook, translations, balance, sharp quotes."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from annotator.model.study import (
    NOTE_LIMIT,
    Anchor,
    Bilingual,
    FileLine,
    Kind,
    PlacedAnchor,
    Question,
    Study,
)

CODE_ANCHORS_WANTED = 3
"""Fewest anchors in code that answer a question."""

QUOTE_WANTED = 8
"""Fewest characters of a quote that is likely to find its statement again."""

_DOCUMENT_SUFFIXES = frozenset({".md", ".mdx", ".rst", ".adoc", ".ipynb", ".html"})
_LANGUAGES: tuple[tuple[Literal["zh", "en"], str], ...] = (("zh", "Chinese"), ("en", "English"))


class Level(StrEnum):
    """How much a finding matters.

    `error`: the study contradicts itself or its handbook. `warning`: something is missing or weak.
    `info`: worth a look.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Finding(NamedTuple):
    """One thing to improve. Findings sort by place.

    Attributes:
        file: path below the study's folder, with forward slashes.
        line: 1-based.
        level: how much it matters.
        rule: name of what was checked, to select findings by.
        message: a plain sentence.
    """

    file: str
    line: int
    level: Level
    rule: str
    message: str


class Summary(NamedTuple):
    """A study in numbers.

    Attributes:
        questions: questions of the route.
        route_rows: rows of the handbook's route.
        resources: resources that have an anchor.
        resource_rows: entries of the handbook's lists of resources.
        uncovered: what of the handbook has no question or no anchor, by number or id.
        document_anchors: anchors at pages and headings.
        code_anchors: all other anchors.
        claims: checkable sentences.
        probed_claims: claims that name a probe.
    """

    questions: int
    route_rows: int
    resources: int
    resource_rows: int
    uncovered: tuple[str, ...]
    document_anchors: int
    code_anchors: int
    claims: int
    probed_claims: int


def lint(study: Study) -> list[Finding]:
    """Everything to improve in `study`, in the order of its files."""
    return sorted(
        [
            *_uncovered(study),
            *_unlisted(study),
            *_other_words(study),
            *_missing_texts(study),
            *_long_notes(study),
            *_repeated_places(study),
            *_unbalanced_questions(study),
            *_unused_upstreams(study),
            *_short_quotes(study),
        ]
    )


def summary(study: Study) -> Summary:
    """`study` in numbers."""
    claims = [claim for placed in study.anchors for claim in placed.anchor.claims]
    documents = sum(is_document(placed.anchor) for placed in study.anchors)
    handbook = study.handbook
    return Summary(
        questions=len(study.questions),
        route_rows=len(handbook.route) if handbook else 0,
        resources=sum(bool(resource.anchors) for _, resource in study.resources),
        resource_rows=len(handbook.resources) if handbook else 0,
        uncovered=tuple(str(name) for name in (*_open_numbers(study), *_open_entries(study))),
        document_anchors=documents,
        code_anchors=len(study.anchors) - documents,
        claims=len(claims),
        probed_claims=sum(claim.probe is not None for claim in claims),
    )


def is_document(anchor: Anchor) -> bool:
    """Whether `anchor` points at a page or a heading of one, not at code."""
    place = anchor.place
    is_page = PurePosixPath(place.path).suffix.lower() in _DOCUMENT_SUFFIXES
    return place.heading or (is_page and not place.symbol)


def _open_numbers(study: Study) -> list[int]:
    """Numbers of the handbook's route without a question."""
    rows = study.handbook.route if study.handbook else ()
    return [row.number for row in rows if study.question(row.number) is None]


def _open_entries(study: Study) -> list[str]:
    """Ids of the handbook's resources without an anchor."""
    anchored = {resource.id for _, resource in study.resources if resource.anchors}
    rows = study.handbook.resources if study.handbook else ()
    return [row.id for row in rows if row.id not in anchored]


def _uncovered(study: Study) -> Iterator[Finding]:
    for number in _open_numbers(study):
        message = f"no question answers row {number} of the route"
        yield _finding(study, ("route row", str(number)), Level.ERROR, "coverage", message)
    for name in _open_entries(study):
        if ("resource", name) in study.where:
            message = f"the resource {name} has no anchors"
            yield _finding(study, ("resource", name), Level.WARNING, "coverage", message)
        else:
            message = f"no file of resources/ describes {name}"
            yield _finding(study, ("resource row", name), Level.ERROR, "coverage", message)


def _unlisted(study: Study) -> Iterator[Finding]:
    if study.handbook is None:
        return
    numbers = {row.number for row in study.handbook.route}
    entries = {row.id for row in study.handbook.resources}
    for question in study.questions:
        if question.number not in numbers:
            message = f"the handbook's route has no row {question.number}"
            yield _finding(study, ("question", question.id), Level.WARNING, "coverage", message)
    for _, resource in study.resources:
        if resource.id not in entries:
            message = f"the handbook has no resource {resource.id}"
            yield _finding(study, ("resource", resource.id), Level.WARNING, "coverage", message)


def _other_words(study: Study) -> Iterator[Finding]:
    """Texts that the handbook gives and the study words otherwise.

    The handbook's Chinese is its own; its English is a translation, of which there may be two.
    """
    if study.handbook is None:
        return
    rows = {row.number: row for row in study.handbook.route}
    entries = {row.id: row for row in study.handbook.resources}
    pairs: list[tuple[tuple[Kind, str], str, Bilingual, Bilingual]] = []
    for question in study.questions:
        if row := rows.get(question.number):
            where: tuple[Kind, str] = ("question", question.id)
            pairs.append((where, "title", question.title, row.documents))
            pairs.append((where, "question", question.question, row.question))
    for _, resource in study.resources:
        if entry := entries.get(resource.id):
            where = ("resource", resource.id)
            pairs.append((where, "title", resource.title, entry.title))
            pairs.append((where, "focus", resource.focus, entry.focus))
    for where, key, ours, theirs in pairs:
        for language, level in (("zh", Level.ERROR), ("en", Level.INFO)):
            written, wanted = getattr(ours, language), getattr(theirs, language)
            if written and wanted and written.strip() != wanted.strip():
                message = f"{key}.{language} is {written!r}, in the handbook {wanted!r}"
                yield _finding(study, where, level, "wording", message)


def _missing_texts(study: Study) -> Iterator[Finding]:
    texts: list[tuple[tuple[Kind, str], str, Bilingual | None]] = []
    for question in study.questions:
        for key in ("title", "question", "answer"):
            texts.append((("question", question.id), key, getattr(question, key)))
    for _, resource in study.resources:
        texts.append((("resource", resource.id), "title", resource.title))
        texts.append((("resource", resource.id), "focus", resource.focus))
    for placed in study.anchors:
        texts.append((("anchor", placed.anchor.id), "note", placed.anchor.note))
        for claim in placed.anchor.claims:
            texts.append((("claim", claim.id), "text", claim.text))
    for (kind, name), key, text in texts:
        if text is None:
            message = f"the {kind} {name} has no {key}"
            yield _finding(study, (kind, name), Level.WARNING, "missing-text", message)
            continue
        for language, language_name in _LANGUAGES:
            if getattr(text, language) is None:
                message = f"the {key} of the {kind} {name} is not there in {language_name}"
                yield _finding(study, (kind, name), Level.WARNING, "translation", message)


def _long_notes(study: Study) -> Iterator[Finding]:
    for placed in study.anchors:
        for language, language_name in _LANGUAGES:
            length = len(getattr(placed.anchor.note, language) or "")
            if length > NOTE_LIMIT:
                message = (
                    f"the {language_name} note has {length} characters, more than {NOTE_LIMIT}"
                )
                yield _at_anchor(placed, Level.WARNING, "long-note", message)


def _repeated_places(study: Study) -> Iterator[Finding]:
    """Places that several anchors point to; within one question or resource, one is a slip.

    That a question and a resource share a place is meant: they are read together.
    """
    groups: defaultdict[tuple[object, ...], list[PlacedAnchor]] = defaultdict(list)
    for placed in study.anchors:
        in_question = ("question", placed.owner) in study.where
        place = (placed.upstream, placed.anchor.place, placed.anchor.quote)
        groups[in_question, *place].append(placed)
    for group in groups.values():
        for index, placed in enumerate(group):
            same_owner = [first for first in group[:index] if first.owner == placed.owner]
            if same_owner:
                message = f"{same_owner[0].anchor.id} already points to this place"
                yield _at_anchor(placed, Level.ERROR, "repeated-place", message)
            elif index:
                message = f"{group[0].anchor.id} in {group[0].file} points to this place too"
                yield _at_anchor(placed, Level.INFO, "repeated-place", message)


def _unbalanced_questions(study: Study) -> Iterator[Finding]:
    for question in study.questions:
        kinds = Counter(is_document(anchor) for anchor in question.anchors)
        if not kinds[True]:
            yield _at_question(study, question, "balance", "the question has no document anchor")
        if kinds[False] < CODE_ANCHORS_WANTED:
            message = (
                f"the question has {kinds[False]} code anchors, fewer than {CODE_ANCHORS_WANTED}"
            )
            yield _at_question(study, question, "balance", message)


def _unused_upstreams(study: Study) -> Iterator[Finding]:
    for name in study.upstreams:
        if not any(study.of_upstream(name)):
            message = f"no anchor points into the upstream {name}"
            yield _finding(study, ("upstream", name), Level.WARNING, "unused-upstream", message)


def _short_quotes(study: Study) -> Iterator[Finding]:
    for placed in study.anchors:
        quote = placed.anchor.quote
        if quote and len(" ".join(quote.exact.split())) < QUOTE_WANTED:
            message = f"the quote {quote.exact!r} is shorter than {QUOTE_WANTED} characters"
            yield _at_anchor(placed, Level.WARNING, "short-quote", message)


def _finding(
    study: Study, where: tuple[Kind, str], level: Level, rule: str, message: str
) -> Finding:
    place: FileLine = study.where[where]
    return Finding(place.file, place.line, level, rule, message)


def _at_question(study: Study, question: Question, rule: str, message: str) -> Finding:
    return _finding(study, ("question", question.id), Level.WARNING, rule, message)


def _at_anchor(placed: PlacedAnchor, level: Level, rule: str, message: str) -> Finding:
    return Finding(placed.file, placed.line, level, rule, message)
