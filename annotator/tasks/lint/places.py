"""What questions, terms and upstreams hold: enough places, claims and exercises, no place twice."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from annotator.model.anchor import Anchor
from annotator.model.study import PlacedAnchor, Question, Study
from annotator.tasks.lint.findings import Finding, Level, finding_at, finding_at_anchor

CODE_ANCHORS_WANTED = 3
"""Fewest anchors in code that answer a question."""

CLAIMS_WANTED = (2, 6)
"""Fewest and most claims of a question: enough to check it, few enough to remember."""

EXERCISES_WANTED = (2, 4)
"""Fewest and most exercises of a question."""

QUOTE_WANTED = 8
"""Fewest characters of a quote that is likely to find its statement again."""

_DOCUMENT_SUFFIXES = frozenset({".md", ".mdx", ".rst", ".adoc", ".ipynb", ".html"})


def is_document(anchor: Anchor) -> bool:
    """Whether `anchor` points at a page or a heading of one, not at code."""
    place = anchor.place
    is_page = PurePosixPath(place.path).suffix.lower() in _DOCUMENT_SUFFIXES
    return place.heading or (is_page and not place.symbol)


def place_findings(study: Study) -> Iterator[Finding]:
    """What is missing or repeated."""
    yield from _repeated_places(study)
    yield from _unreasoned_anchors(study)
    for question in study.questions:
        for rule, message in (*_balance(question), *_thinness(question)):
            yield finding_at(study, ("question", question.id), Level.WARNING, rule, message)
    yield from _terms_without_anchor(study)
    yield from _unused_upstreams(study)
    yield from _short_quotes(study)


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
                yield finding_at_anchor(placed, Level.ERROR, "repeated-place", message)
            elif index:
                message = f"{group[0].anchor.id} in {group[0].file} points to this place too"
                yield finding_at_anchor(placed, Level.INFO, "repeated-place", message)


def _unreasoned_anchors(study: Study) -> Iterator[Finding]:
    for placed in study.anchors:
        anchor = placed.anchor
        if not is_document(anchor) and not anchor.claims and anchor.reason is None:
            message = "the anchor has neither a claim nor a reason to be in the study"
            yield finding_at_anchor(placed, Level.ERROR, "no-reason", message)


def _balance(question: Question) -> Iterator[tuple[str, str]]:
    kinds = Counter(is_document(anchor) for anchor in question.anchors)
    if not kinds[True]:
        yield "balance", "the question has no document anchor"
    if kinds[False] < CODE_ANCHORS_WANTED:
        few = f"{kinds[False]} code anchors, fewer than {CODE_ANCHORS_WANTED}"
        yield "balance", f"the question has {few}"


def _thinness(question: Question) -> Iterator[tuple[str, str]]:
    claims = sum(len(anchor.claims) for anchor in question.anchors)
    for what, count, (fewest, most) in (
        ("claims", claims, CLAIMS_WANTED),
        ("exercises", len(question.exercises), EXERCISES_WANTED),
    ):
        if not fewest <= count <= most:
            size = "few" if count < fewest else "many"
            message = f"the question has too {size} {what}: {count}, not {fewest} to {most}"
            yield "thin-question", message
    for key in ("read_first", "answer"):
        if getattr(question, key) is None:
            yield "thin-question", f"the question has no {key}"


def _terms_without_anchor(study: Study) -> Iterator[Finding]:
    for term in study.glossary.terms if study.glossary else ():
        if not term.anchors:
            message = f"no anchor shows the term {term.id} in the source"
            yield finding_at(
                study, ("term", term.id), Level.WARNING, "term-without-anchor", message
            )


def _unused_upstreams(study: Study) -> Iterator[Finding]:
    for name in study.upstreams:
        if not any(study.of_upstream(name)):
            message = f"no anchor points into the upstream {name}"
            yield finding_at(study, ("upstream", name), Level.WARNING, "unused-upstream", message)


def _short_quotes(study: Study) -> Iterator[Finding]:
    for placed in study.anchors:
        quote = placed.anchor.quote
        if quote and len(" ".join(quote.exact.split())) < QUOTE_WANTED:
            message = f"the quote {quote.exact!r} is shorter than {QUOTE_WANTED} characters"
            yield finding_at_anchor(placed, Level.WARNING, "short-quote", message)
