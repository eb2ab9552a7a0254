"""`annot list`."""

import json
from pathlib import Path

import click

from annotator.cli.options import (
    anchors_and_questions,
    form_option,
    language_option,
    open_study,
    result_console,
    study_option,
)


@click.command(
    "list",
    epilog="""\b
Examples:
  annot list      the route: questions, then resources
  annot list 6    the anchors of question 6
  annot list V4   the anchors of a resource
  annot list --format json""",
)
@click.argument("question", required=False, shell_complete=anchors_and_questions)
@form_option("table", "json")
@language_option
@study_option
def command(question: str | None, format_: str, lang: str, study_dir: Path | None) -> None:
    """List the questions of the route, or the anchors of one.

    QUESTION is a number of the route, the id of a question, or the id of a resource.
    """
    from annotator.report.listing import print_anchors, print_route
    from annotator.tasks.selection import select

    _, study = open_study(study_dir)
    anchors = select(study, question) if question else study.anchors
    if format_ == "json":
        rows = [placed.model_dump(mode="json", exclude_none=True) for placed in anchors]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    with result_console(None) as console:
        if question:
            print_anchors(console, anchors, lang)
        else:
            print_route(console, study, lang)
