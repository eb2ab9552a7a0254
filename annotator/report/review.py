"""How a review is shown: one drifted anchor after the other, and what is left."""

from collections.abc import Sequence
from typing import Literal, cast

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from annotator.model.history import Step
from annotator.model.report import AnchorResult
from annotator.model.study import Study
from annotator.model.words import Outcome
from annotator.report.difference import difference_table, rows
from annotator.report.style import change_text, lines_of, outcome_text, printable, sure
from annotator.tasks.review.queue import Pending, Queue
from annotator.tasks.review.sides import Side

_Language = Literal["zh", "en"]
_WORDS = {
    "zh": {"note": "笔记", "claims": "论断", "was": "原在", "now": "现在", "more": "还有 {} 行（d 看全部）"},
    "en": {"note": "note", "claims": "claims", "was": "was", "now": "now", "more": "{} more lines (d: all)"},
}  # fmt: skip


def print_pending(
    console: Console, study: Study, pending: Pending, position: str, language: str
) -> None:
    """Prints what became of one anchor, its note and its claims.

    Args:
        console: where to.
        study: the study, for titles.
        pending: the anchor.
        position: where in the review this is, such as `3/34`.
        language: `zh` or `en`.
    """
    lang = cast("_Language", language)
    words = _WORDS[lang]
    placed, result = pending
    anchor, resolution = placed.anchor, result.resolution
    console.print()
    console.print(Rule(Text(f"{position}  {anchor.id}", style="bold"), align="left", style="dim"))
    console.print(Text(_owner(study, result, lang), style="dim"))
    line = outcome_text(resolution.outcome)
    line.append(f"  {sure(resolution.confidence)}", style="dim")
    line.append(f"  {placed.upstream}, since {result.baseline[:12]}", style="dim")
    console.print(line)
    for label, place, link in (
        ("was", resolution.old, result.old_link),
        ("now", resolution.new, result.new_link),
    ):
        if place is not None:
            text = Text(f"  {words[label]} ", style="dim")
            text.append(printable(lines_of(place)), style=f"link {link}" if link else "")
            text.append(f"  {printable(place.symbol)}", style="cyan")
            console.print(text)
    for change in resolution.changes:
        console.print(Text(f"  {printable(change_text(change))}"))
    console.print(Text(f"{words['note']}", style="bold"))
    console.print(Padding(Text(anchor.note.in_language(lang)), (0, 2)))
    if anchor.claims:
        console.print(Text(words["claims"], style="bold"))
        for claim in anchor.claims:
            console.print(Padding(Text(f"• {claim.text.in_language(lang)}"), (0, 2)))


def print_sides(
    console: Console,
    sides: tuple[Side | None, Side | None],
    language: str,
    limit: int | None,
) -> None:
    """Prints both sides of a drift, or the only one there is.

    Args:
        console: where to.
        sides: the old code and the new.
        language: `zh` or `en`.
        limit: most lines to print; none for everything, unchanged lines included.
    """
    old, new = sides
    known = [side for side in sides if side is not None]
    if not known:
        return
    console.print()
    console.print(Text(printable(" → ".join(side.label for side in known)), style="dim"))
    context = None if limit is None else 3
    lines = list(
        rows(
            old.lines if old else (),
            new.lines if new else (),
            old.start if old else 1,
            new.start if new else 1,
            context,
        )
    )
    shown = lines if limit is None else lines[:limit]
    console.print(difference_table(shown, console.width))
    if len(lines) > len(shown):
        more = _WORDS[language]["more"].format(len(lines) - len(shown))
        console.print(Text(f"… {more}", style="dim"))


def print_candidates(console: Console, targets: Sequence[str]) -> None:
    """Prints the places that an anchor may have become, numbered from 1."""
    for number, target in enumerate(targets, start=1):
        console.print(Text(f"  {number}  {printable(target)}"))


def print_culprits(console: Console, steps: Sequence[Step]) -> None:
    """Prints the commits that made an anchor drift, oldest first."""
    for step in steps:
        line = Text(f"  {step.date[:10]} {step.label}  ", style="cyan")
        line.append(printable(step.subject), style=f"link {step.link}" if step.link else "")
        line.append(f"  {printable(step.author)}", style="dim")
        console.print(line)


def print_left(console: Console, queue: Queue) -> None:
    """Prints what is left to review, a line each, and what went wrong; warnings tell of what was skipped."""
    for pending in queue.pending:
        console.print(_line(pending.result), no_wrap=True, overflow="ellipsis")
    for result in queue.unchecked:
        if result.resolution.outcome is Outcome.SKIPPED:
            continue
        line = _line(result)
        line.append(f"  {printable(result.resolution.reason)}", style="dim")
        console.print(line)


def _line(result: AnchorResult) -> Text:
    line = outcome_text(result.resolution.outcome)
    line.pad_right(11 - len(line))
    line.append(result.id)
    line.append(f"  {result.file}:{result.line}", style="dim")
    if result.resolution.outcome not in {Outcome.ERROR, Outcome.SKIPPED}:
        first = next(iter(result.resolution.changes), None)
        line.append(f"  {printable(change_text(first))}" if first else "")
    return line


def _owner(study: Study, result: AnchorResult, language: _Language) -> str:
    for question in study.questions:
        if question.id == result.owner:
            return f"{question.number}. {question.title.in_language(language)}"
    for _, resource in study.resources:
        if resource.id == result.owner:
            return f"{resource.id} {resource.title.in_language(language)}"
    return result.owner
