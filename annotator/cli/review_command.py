"""`annot review`."""

import sys
from pathlib import Path

import click

from annotator.cli.options import (
    language_option,
    open_study,
    repo_option,
    result_console,
    study_option,
    upstreams_option,
)
from annotator.cli.reviewing import by_option, queue_of, reviewer


@click.command(
    "review",
    epilog="""\b
Examples:
  annot review --commit v0.33.0
  annot review --upstream vllm --repo ~/src/vllm
      your clone; b then names the commits
  annot review --list   what is left, without a walk

\b
Keys: t still true (asks why), e edit the note in your editor, m moved to
another place, r retire the anchor, b who did it, d every line of the
difference, s skip (comes last next time), q quit.

\b
Each decision is written at once, into anchors/reviews/UPSTREAM/ANCHOR.yaml,
so a review goes on where it stopped, also on another branch. Programs use
`annot accept`; `annot pin` ends a review.

\b
Exit codes: 0 nothing is left, 1 something is, 2 a mistake, 3 something could
not be checked.""",
)
@click.option(
    "--commit", default="HEAD", show_default=True, metavar="REF", help="The commit to review."
)
@click.option("--list", "list_only", is_flag=True, help="List what is left; ask nothing.")
@click.option(
    "--lines",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    metavar="N",
    help="Longest difference shown at first.",
)
@click.option(
    "--editor",
    metavar="COMMAND",
    help="Editor for notes; should wait, as in 'code --wait'.  [default: $VISUAL, $EDITOR]",
)
@by_option
@upstreams_option
@repo_option
@language_option
@study_option
def command(
    commit: str,
    list_only: bool,
    lines: int,
    editor: str | None,
    by: str | None,
    upstreams: tuple[str, ...],
    repo: Path | None,
    lang: str,
    study_dir: Path | None,
) -> int:
    """Walk through what drifted, the most severe first, and decide about each place.

    Each is shown with what changed, the note, its claims, and both sides of the code. What is accepted is the
    baseline from then on: the next check is quiet about it, until it changes again.
    """
    from annotator.model.failures import UserMistake
    from annotator.report.review import print_left
    from annotator.store.review_progress import progress_path, read_put_off
    from annotator.store.study_entries import refuse_shipped
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    if not list_only:
        refuse_shipped(folder)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UserMistake(
                "a review asks questions and needs a terminal",
                hint="`annot review --list` lists what is left; decide with"
                " `annot accept ANCHOR --reason TEXT`",
            )
    put_off = read_put_off(progress_path(folder))
    with Workspace(cache_folder(), repo, study) as workspace, result_console(None) as console:
        queue = queue_of(workspace, folder, study, upstreams, commit, put_off=put_off)
        left = len(queue.pending)
        if list_only or not queue.pending:
            print_left(console, queue)
        else:
            from annotator.cli.review_walk import Setting, Walk

            setting = Setting(folder, commit, reviewer(folder, by), lang, lines, editor)
            walk = Walk(console, workspace, study, setting)
            left = walk.run(queue)
            told = ", ".join(f"{count} {what}" for what, count in walk.done.items())
            click.echo(f"\n{told or 'nothing decided'}")
    click.echo(f"{left} of {len(queue.results)} anchors left to review")
    if not left and not queue.unchecked:
        click.echo("→ annot pin REF --upstream NAME moves the pin")
    return 3 if queue.unchecked else 1 if left else 0
