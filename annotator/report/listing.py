"""How the route and its anchors are listed."""

from collections.abc import Iterable
from typing import Literal, cast

from rich.console import Console
from rich.table import Table

from annotator.model.study import PlacedAnchor, Study

_Language = Literal["zh", "en"]


def print_route(console: Console, study: Study, language: str) -> None:
    """Prints questions and resources with the number of their anchors."""
    lang = cast("_Language", language)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right")
    table.add_column("title")
    table.add_column("question", overflow="fold")
    table.add_column("anchors", justify="right")
    for question in study.questions:
        table.add_row(
            str(question.number),
            question.title.in_language(lang),
            question.question.in_language(lang),
            str(len(question.anchors)),
        )
    if study.resources:
        table.add_section()
    for _, resource in study.resources:
        table.add_row(
            resource.id,
            resource.title.in_language(lang),
            resource.focus.in_language(lang),
            str(len(resource.anchors)),
        )
    console.print(table)


def print_anchors(console: Console, anchors: Iterable[PlacedAnchor], language: str) -> None:
    """Prints anchors with their targets and the first words of their notes."""
    lang = cast("_Language", language)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("anchor", no_wrap=True)
    table.add_column("target", overflow="fold")
    table.add_column("watches")
    table.add_column("note", ratio=1, no_wrap=True, overflow="ellipsis")
    for placed in anchors:
        anchor = placed.anchor
        note = " ".join(anchor.note.in_language(lang).split())
        table.add_row(anchor.id, anchor.target, anchor.watches.value, note)
    console.print(table)
