"""`annot show`."""

from pathlib import Path

import click

from annotator.cli.options import (
    anchors_and_questions,
    language_option,
    open_study,
    repo_option,
    result_console,
    study_option,
)


@click.command(
    "show",
    epilog="""\b
Examples:
  annot show 6             question 6 at the pin
  annot show q06-touch --commit HEAD   one anchor, and what became of it
  annot show V4 --lang zh
  annot show 6 --answers   with the worked answers of the exercises""",
)
@click.argument("what", metavar="QUESTION|ANCHOR", shell_complete=anchors_and_questions)
@click.option(
    "--commit", metavar="REF", help="Also show the code at this commit, and the difference."
)
@click.option(
    "--lines",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    metavar="N",
    help="Longest excerpt.",
)
@click.option("--answers", is_flag=True, help="Show the worked answers of the exercises.")
@repo_option
@language_option
@study_option
def command(
    what: str,
    commit: str | None,
    lines: int,
    answers: bool,
    repo: Path | None,
    lang: str,
    study_dir: Path | None,
) -> None:
    """Show the note and the code of a question or an anchor.

    QUESTION is a number of the route, the id of a question or of a resource. The code is read from the pin, or from
    its stand-in where the pin is not at hand.
    """
    from annotator.report.excerpts import print_exercises, print_owner, print_shown
    from annotator.tasks.selection import select
    from annotator.tasks.show import show
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    _, study = open_study(study_dir)
    anchors = select(study, what)
    with Workspace(cache_folder(), repo, study) as workspace, result_console(None) as console:
        whole = anchors[0].anchor.id != what
        if whole:
            print_owner(console, study, anchors[0].owner, lang)
        for shown in show(workspace, study, anchors, commit):
            print_shown(console, shown, language=lang, limit=lines)
        if whole:
            print_exercises(console, study, anchors[0].owner, lang, answers=answers)
