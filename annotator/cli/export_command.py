"""`annot export`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from annotator.cli.options import (
    language_option,
    open_study,
    output_option,
    repo_option,
    study_option,
    write_text,
)

if TYPE_CHECKING:
    from annotator.model.study import PlacedAnchor, Study
    from annotator.reading.wording import Language
    from annotator.tasks.views import View

_commit_option = click.option(
    "--commit", metavar="REF", help="Where the anchors are at this commit.  [default: the pin]"
)
_questions_option = click.option(
    "--question",
    "questions",
    type=click.IntRange(1),
    multiple=True,
    metavar="N",
    help="Only this question; may be given several times.",
)


@click.group(
    "export",
    epilog="""\b
Examples:
  annot export codetour -o ~/src/vllm/.tours   a tour for each question
  annot export webannotation -o notes.jsonld   W3C Web Annotations""",
)
def command() -> None:
    """Write the notes for other programs."""


@command.command(
    "codetour",
    epilog="""\b
Examples:
  annot export codetour --output ~/src/vllm/.tours
  annot export codetour --question 6 --commit v0.33.0 --lang zh

\b
Put the files into the folder .tours of a clone and install the extension
CodeTour. Each tour names its commit: where another one is checked out,
CodeTour opens the files at the tour's.""",
)
@_questions_option
@_commit_option
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default=".tours",
    show_default=True,
    metavar="DIR",
    help="Folder for the tours.",
)
@repo_option
@language_option
@study_option
def codetour(
    questions: tuple[int, ...],
    commit: str | None,
    output: Path,
    repo: Path | None,
    lang: str,
    study_dir: Path | None,
) -> None:
    """Write a CodeTour for VS Code, one tour a question."""
    from annotator.reading.codetour import Stop, file_name, tour
    from annotator.tasks.sessions import anchors_of, chosen_questions

    _, study = open_study(study_dir)
    numbers = questions or [question.number for question in study.questions]
    chosen = chosen_questions(study, numbers)
    language = cast("Language", lang)
    with _Views(study, repo, commit) as view_of:
        for at, question in enumerate(chosen):
            anchors = anchors_of(study, [question])
            stops = [Stop(p.anchor, view) for p in anchors if (view := view_of(p))]
            if not stops:
                continue
            following = chosen[at + 1] if at + 1 < len(chosen) else None
            data = tour(question, stops, following, language)
            output.mkdir(parents=True, exist_ok=True)
            path = output / file_name(question)
            path.write_text(_json(data) + "\n", encoding="utf-8", newline="\n")
            click.echo(path)


@command.command(
    "webannotation",
    epilog="""\b
Examples:
  annot export webannotation -o notes.jsonld
  annot export webannotation --question 6 --commit v0.33.0""",
)
@_questions_option
@_commit_option
@repo_option
@output_option
@study_option
def webannotation(
    questions: tuple[int, ...],
    commit: str | None,
    repo: Path | None,
    output: Path | None,
    study_dir: Path | None,
) -> None:
    """Write the anchors as W3C Web Annotations: one collection, in JSON-LD, with both languages."""
    from annotator.reading.webannotation import collection
    from annotator.tasks.sessions import anchors_of, chosen_questions

    _, study = open_study(study_dir)
    anchors = study.anchors
    if questions:
        anchors = anchors_of(study, chosen_questions(study, questions))
    with _Views(study, repo, commit) as view_of:
        placed = [(one, view) for one in anchors if (view := view_of(one))]
    title = study.handbook.title.in_language("en") if study.handbook else "annot"
    first = next(iter(study.upstreams.values()))
    source = first.web or first.git
    write_text(_json(collection(placed, label=title, source=source)), output)


class _Views:
    """Finds anchors at the pin or at a commit; tells on standard error which it left out, and why."""

    def __init__(self, study: "Study", repo: Path | None, ref: str | None) -> None:
        from annotator.tasks.workspace import Workspace
        from annotator.upstream.folders import cache_folder

        self._study = study
        self._ref = ref
        self._workspace = Workspace(cache_folder(), repo, study)

    def __enter__(self) -> "Callable[[PlacedAnchor], View | None]":
        self._workspace.__enter__()
        return self._view

    def __exit__(self, *failure: Any) -> None:
        self._workspace.__exit__(*failure)

    def _view(self, placed: "PlacedAnchor") -> "View | None":
        from annotator.model.failures import AnnotError
        from annotator.tasks.views import compared_view, pinned_view

        try:
            if self._ref is None:
                return pinned_view(self._workspace, self._study, placed)
            target = self._workspace.revision(placed.upstream, self._ref)
            found = compared_view(self._workspace, self._study, placed, target)
        except AnnotError as error:
            click.echo(f"annot: {placed.anchor.id} is left out: {error}", err=True)
            return None
        if found.new is None:
            outcome = found.resolution.outcome.value
            click.echo(f"annot: {placed.anchor.id} is left out: {outcome}", err=True)
        return found.new


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)
