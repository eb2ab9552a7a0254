"""`annot add`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.options import open_study, repo_option, study_option, upstream_option

if TYPE_CHECKING:
    from annotator.model.study import Study


@click.command(
    "add",
    epilog="""\b
Examples:
  annot add vllm/v1/core/block_pool.py:352 --question 6 \\
      --note "Gives blocks back."
  annot add ~/src/vllm/vllm/v1/core/block_pool.py:352
      as your editor calls it
  annot add vllm/v1/core/block_pool.py::BlockPool.touch --question 6 \\
      --note "…" --write
  annot add vllm/v1/core/block_pool.py:300-310 --commit v0.28.0
      lines of another commit
  annot add 'docs/design/prefix_caching.md#Data Structure' --note "…" \\
      --note "……"

\b
In Vim:
  :execute '!annot add ' . expand('%:p') . ':' . line('.') . ' -n "…" --write'

\b
In VS Code, as the command of a task:
  annot add ${file}:${lineNumber}

\b
Exit code 2 if the place is not there or the text cannot be used, 3 if its
source is missing.""",
)
@click.argument("position", metavar="PATH:LINE|PATH::SYMBOL")
@click.option(
    "--question",
    "-q",
    metavar="N|ID",
    help="The question it goes into.  [default: the one with most anchors in that file]",
)
@click.option(
    "--note",
    "-n",
    "notes",
    metavar="TEXT",
    multiple=True,
    help="What to notice there; give it twice for both languages. Asked for in a terminal.",
)
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why the place is in the study.  [default: where it was noted]",
)
@click.option("--id", "id_", metavar="ID", help="Id of the anchor.  [default: from its symbol]")
@click.option(
    "--commit",
    metavar="REF",
    help="The commit that PATH:LINE is of.  [default: what your clone has checked out, else the pin]",
)
@click.option("--write", is_flag=True, help="Write it without asking.")
@upstream_option
@repo_option
@study_option
def command(
    position: str,
    question: str | None,
    notes: tuple[str, ...],
    reason: str | None,
    id_: str | None,
    commit: str | None,
    write: bool,
    upstream: str | None,
    repo: Path | None,
    study_dir: Path | None,
) -> None:
    """Add an anchor for a position in your editor.

    The lines become the innermost function, class or section that holds them, and a quote of the statement
    there, as they are at the pin. PATH is from the root of the source tree, or a file of your own clone, edited or
    not. Shows the anchor, and writes it on --write or your yes; the rest of the file stays byte for byte.
    """
    from annotator.model.failures import UserMistake
    from annotator.store.insertion import append_entry
    from annotator.store.study_entries import refuse_shipped
    from annotator.tasks.authoring.adding import (
        find_position,
        find_question,
        find_upstream,
        propose,
    )
    from annotator.tasks.authoring.positions import read_position
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    place = read_position(position, Path.cwd(), lambda tree: _is_source(tree, folder, study))
    with Workspace(cache_folder(), repo or place.tree, study) as workspace:
        name = find_upstream(workspace, study, place, upstream)
        found = find_position(workspace, study, name, place, commit)
    chosen = find_question(study, question, found)
    asks = sys.stdin.isatty() and not write
    for remark in found.pointed.remarks:
        click.echo(f"note: {remark}", err=True)
    if not notes and not asks:
        raise UserMistake(
            f"what is to be noticed at {found.pointed.target}?", hint="say it with --note TEXT"
        )
    notes = notes or (click.prompt(f"What is to be noticed at {found.pointed.target}"),)
    addition = propose(folder, study, chosen, found, notes=notes, reason=reason, id_=id_)
    click.echo(f"{addition.insertion.source.file}:{addition.insertion.line}", err=True)
    click.echo(addition.insertion.text.strip("\r\n"))
    if write or (asks and click.confirm("Write it?", default=True, err=True)):
        append_entry(addition.file, addition.insertion)
        click.echo(
            f"written; `annot lock` records what {addition.anchor.id} is at the pin", err=True
        )
    else:
        click.echo("nothing was written; --write does", err=True)


def _is_source(tree: Path, folder: Path, study: "Study") -> bool:
    """Whether a working tree is source, not the repository of the notes themselves."""
    from annotator.tasks.authoring.positions import is_clone_of

    inside = folder.resolve().is_relative_to(tree.resolve())
    return not inside or any(is_clone_of(tree, one) for one in study.upstreams.values())
