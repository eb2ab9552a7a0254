"""`annot open`."""

import os
import subprocess
from pathlib import Path

import click

from annotator.cli.options import anchors_and_questions, open_study, study_option


@click.command(
    "open",
    epilog="""\b
Examples:
  annot open q06-touch --repo ~/src/vllm
  cd ~/src/vllm && annot open q06-touch   the clone you are in
  annot open q06-touch --editor "code --wait"
  annot open q06-touch --print            path:line, for scripts""",
)
@click.argument("anchor", shell_complete=anchors_and_questions)
@click.option(
    "--repo",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="ANNOT_REPO",
    help="Your clone.  [default: ANNOT_REPO, else the one around the working folder]",
)
@click.option(
    "--editor",
    metavar="COMMAND",
    help="Editor to use.  [default: $VISUAL, $EDITOR, else VS Code]",
)
@click.option("--print", "print_only", is_flag=True, help="Print path:line; open nothing.")
@study_option
def command(
    anchor: str, repo: Path | None, editor: str | None, print_only: bool, study_dir: Path | None
) -> None:
    """Open an anchor in your editor, where it is at the commit that is checked out in your clone.

    The place is found again at that commit, and its line in the file as you have edited it.
    """
    from annotator.model.failures import Incomplete, UserMistake
    from annotator.model.words import Outcome
    from annotator.tasks.opening import editor_command, locate_in_clone, work_tree
    from annotator.tasks.selection import select
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder
    from annotator.upstream.repository import open_repository

    _, study = open_study(study_dir)
    chosen = select(study, anchor)
    if chosen[0].anchor.id != anchor:
        raise UserMistake(
            f"{anchor} is not one place but {len(chosen)}",
            hint=f"name one of {', '.join(placed.anchor.id for placed in chosen)}",
        )
    tree = work_tree(repo or Path.cwd())
    with Workspace(cache_folder(), tree, study) as workspace, open_repository(tree) as repository:
        location = locate_in_clone(workspace, study, chosen[0], tree, repository)
    if location.resolution.outcome is Outcome.AMBIGUOUS:
        click.echo(f"annot: {anchor} is ambiguous at {location.label}; the likeliest", err=True)
    if print_only:
        click.echo(f"{location.path}:{location.line}")
        return
    arguments = editor_command(location.path, location.line, chosen=editor, environment=os.environ)
    click.echo(f"{location.path}:{location.line} at {location.label}", err=True)
    code = subprocess.run(arguments, check=False).returncode
    if code != 0:
        raise Incomplete(f"{arguments[0]} ended with exit code {code}")
