"""How `annot show` is printed: note, code with its real line numbers, and the difference."""

import difflib
from typing import Literal, cast

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from annotator.model.study import Study
from annotator.report.style import change_text, lines_of, outcome_text, printable
from annotator.tasks.show import Excerpt, Shown

_LEXERS = {"python": "python", "cpp": "cuda", "rust": "rust", "markdown": "markdown", "rst": "rst"}
_Language = Literal["zh", "en"]


def print_owner(console: Console, study: Study, owner: str, language: str) -> None:
    """Prints title, question and short answer of a question, or title and focus of a resource."""
    lang = cast("_Language", language)
    for question in study.questions:
        if question.id == owner:
            console.print(
                Text(f"{question.number}. {question.title.in_language(lang)}", style="bold")
            )
            console.print(Text(question.question.in_language(lang), style="italic"))
            for text in (question.read_first, question.answer):
                if text:
                    console.print(Padding(Text(text.in_language(lang)), (1, 0, 0, 0)))
    for _, resource in study.resources:
        if resource.id == owner:
            console.print(Text(f"{resource.id} {resource.title.in_language(lang)}", style="bold"))
            console.print(Text(resource.focus.in_language(lang), style="italic"))
            if resource.reference:
                console.print(Text(resource.reference))
            if resource.caution:
                caution = Text(f"⚠ {resource.caution.in_language(lang)}", style="yellow")
                console.print(Padding(caution, (1, 0, 0, 0)))


def print_exercises(
    console: Console, study: Study, owner: str, language: str, *, answers: bool
) -> None:
    """Prints the exercises of a question or resource, with the worked answers if wanted."""
    lang = cast(_Language, language)
    exercises = [e for q in study.questions if q.id == owner for e in q.exercises]
    exercises += [e for _, r in study.resources if r.id == owner for e in r.exercises]
    if not exercises:
        return
    console.print()
    title = "练习" if lang == "zh" else "Exercises"
    console.print(Rule(Text(title, style="bold"), align="left", style="dim"))
    for number, exercise in enumerate(exercises, start=1):
        console.print(Padding(Text(f"{number}. {exercise.task.in_language(lang)}"), (1, 2, 0, 2)))
        if answers:
            answer = Text(exercise.answer.in_language(lang), style="green")
            console.print(Padding(answer, (1, 2, 0, 5)))


def print_shown(console: Console, shown: Shown, *, language: str, limit: int) -> None:
    """Prints one anchor.

    Args:
        console: where to.
        shown: the anchor.
        language: `zh` or `en`.
        limit: longest excerpt in lines.
    """
    lang = cast("_Language", language)
    anchor, resolution = shown.placed.anchor, shown.resolution
    console.print()
    console.print(Rule(Text(anchor.id, style="bold"), align="left", style="dim"))
    if resolution is not None:
        line = outcome_text(resolution.outcome)
        if resolution.reason:
            line.append(f"  {printable(resolution.reason)}")
        console.print(line)
        for change in resolution.changes:
            console.print(Text(f"  {printable(change_text(change))}", style="dim"))
    console.print(Padding(Text(anchor.note.in_language(lang)), (1, 2)))
    if anchor.reason:
        console.print(Padding(Text(f"→ {anchor.reason.in_language(lang)}"), (0, 2)))
    for claim in anchor.claims:
        console.print(Padding(Text(f"• {claim.text.in_language(lang)}"), (0, 2)))
    if shown.old is not None:
        _print_excerpt(console, shown.old, limit)
    if shown.new is not None and shown.old is not None:
        if shown.new.text == shown.old.text:
            console.print(Text(f"the same at {shown.new.label}: ", style="dim"), _link(shown.new))
        else:
            _print_difference(console, shown.old, shown.new)


def _link(excerpt: Excerpt) -> Text:
    return Text(
        printable(lines_of(excerpt.place)), style=f"link {excerpt.link}" if excerpt.link else ""
    )


def _print_excerpt(console: Console, excerpt: Excerpt, limit: int) -> None:
    heading = _link(excerpt)
    heading.append(f"  at {excerpt.label}", style="dim")
    console.print(heading)
    lines = printable(excerpt.text).split("\n")
    cut = "\n".join(lines[:limit])
    console.print(
        Syntax(
            cut,
            _LEXERS.get(excerpt.language, "text"),
            line_numbers=True,
            start_line=excerpt.place.start,
            theme="ansi_dark",
            background_color="default",
            word_wrap=True,
        )
    )
    if len(lines) > limit:
        console.print(Text(f"… {len(lines) - limit} more lines (--lines N)", style="dim"))


def _print_difference(console: Console, old: Excerpt, new: Excerpt) -> None:
    heading = Text("difference to ")
    heading.append_text(_link(new))
    heading.append(f"  at {new.label}", style="dim")
    console.print(heading)
    difference = difflib.unified_diff(
        printable(old.text).split("\n"),
        printable(new.text).split("\n"),
        f"{old.label}/{old.place.path}",
        f"{new.label}/{new.place.path}",
        lineterm="",
    )
    console.print(
        Syntax("\n".join(difference), "diff", theme="ansi_dark", background_color="default")
    )
