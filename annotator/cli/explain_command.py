"""`annot explain`."""

from pathlib import Path

import click

from annotator.cli.options import (
    anchors_and_questions,
    open_study,
    repo_option,
    result_console,
    study_option,
)


@click.command(
    "explain",
    epilog="""\b
Examples:
  annot explain q07-group-size
  annot explain q07-group-size --commit v0.28.0""",
)
@click.argument("anchor", shell_complete=anchors_and_questions)
@click.option(
    "--commit", default="HEAD", show_default=True, metavar="REF", help="Where to find it."
)
@repo_option
@study_option
def command(anchor: str, commit: str, repo: Path | None, study_dir: Path | None) -> None:
    """Say how an answer came about: every rung tried, the candidates, why the winner won.

    A confidence of 100 % is the same text at the same place; 90 % and more can be taken as it is; below that, look
    at the candidates.
    """
    from annotator.report.place import print_where
    from annotator.tasks.selection import select
    from annotator.tasks.show import show
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    _, study = open_study(study_dir)
    with Workspace(cache_folder(), repo, study) as workspace, result_console(None) as console:
        for shown in show(workspace, study, select(study, anchor), commit):
            console.print(shown.placed.anchor.id, style="bold")
            if shown.resolution is not None:
                print_where(console, shown.resolution)
            console.print()
