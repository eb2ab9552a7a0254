"""The notes pane: question, note, claims, and what became of the anchor at the commit compared with."""

import re

from rich.text import Text

from annotator.model.study import PlacedAnchor, Study
from annotator.reading.wording import Language, word
from annotator.report.style import change_text, outcome_text, place_name, printable
from annotator.tasks.views import Compared

_CODE = re.compile(r"`([^`]+)`")


def title_of(study: Study, placed: PlacedAnchor, language: Language) -> str:
    """`6. Prefix caching`, or `V4 Prefix caching`."""
    for question in study.questions:
        if question.id == placed.owner:
            return f"{question.number}. {question.title.in_language(language)}"
    for _, resource in study.resources:
        if resource.id == placed.owner:
            return f"{resource.id} {resource.title.in_language(language)}"
    return placed.owner


def note_text(
    study: Study,
    placed: PlacedAnchor,
    language: Language,
    *,
    ticked: bool,
    compared: Compared | None,
) -> Text:
    """What the notes pane says.

    Args:
        study: the study.
        placed: the anchor.
        language: language of the notes.
        ticked: whether the reader has ticked it as read.
        compared: what became of it, if that is shown.
    """
    anchor = placed.anchor
    text = Text()
    text.append(f"{'✓' if ticked else '○'} {anchor.id}\n", style="bold")
    text.append(f"{anchor.target}\n", style="dim")
    if compared is not None:
        text.append_text(_became(compared))
    text.append("\n")
    text.append_text(_prose(anchor.note.in_language(language)))
    if anchor.reason:
        text.append(f"\n\n{word('why', language)}: ", style="bold")
        text.append_text(_prose(anchor.reason.in_language(language)))
    for claim in anchor.claims:
        text.append(f"\n\n{word('claim', language)} {claim.id}\n", style="bold")
        text.append_text(_prose(claim.text.in_language(language)))
        if claim.probe:
            text.append(f"\n$ annot probe {claim.probe}", style="dim")
    text.append_text(_question(study, placed, language))
    return text


def _became(compared: Compared) -> Text:
    resolution = compared.resolution
    text = Text("\n")
    text.append_text(outcome_text(resolution.outcome))
    text.append(f" → {printable(compared.label)}\n", style="dim")
    if resolution.reason:
        text.append(f"{printable(resolution.reason)}\n")
    if compared.new is not None and resolution.new is not None:
        text.append(f"{printable(place_name(resolution.new))}\n", style="dim")
    for change in resolution.changes:
        text.append(f"· {printable(change_text(change))}\n")
    return text


def _question(study: Study, placed: PlacedAnchor, language: Language) -> Text:
    """The question that the anchor belongs to: below the note, since it is known by then."""
    text = Text()
    for question in study.questions:
        if question.id == placed.owner:
            text.append(f"\n\n{word('question', language)}: ", style="bold")
            text.append_text(_prose(question.question.in_language(language)))
            if question.read_first:
                text.append(f"\n\n{word('read first', language)}: ", style="bold")
                text.append_text(_prose(question.read_first.in_language(language)))
    return text


def _prose(prose: str) -> Text:
    """A note with its code spans set off."""
    text = Text()
    at = 0
    for found in _CODE.finditer(prose):
        text.append(prose[at : found.start()])
        text.append(found[1], style="bold cyan")
        at = found.end()
    text.append(prose[at:])
    return text
