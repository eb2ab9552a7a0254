"""`annot bisect`."""

from pathlib import Path

import click

from annotator.cli.options import (
    anchors_and_questions,
    repo_option,
    result_console,
    study_option,
    upstream_option,
)


@click.command(
    "bisect",
    epilog="""\b
Examples:
  annot bisect q06-touch
  annot bisect vllm/v1/core/block_pool.py::BlockPool.touch --from v0.28.0 \\
      --to v0.33.0

\b
Exit code 1 if a commit was found, 0 if the place did not drift.""",
)
@click.argument("what", metavar="ANCHOR|TARGET", shell_complete=anchors_and_questions)
@click.option("--from", "from_ref", metavar="REF", help="Where it was right.  [default: the pin]")
@click.option(
    "--to", "to_ref", default="HEAD", show_default=True, metavar="REF", help="Where it is not."
)
@upstream_option
@repo_option
@study_option
def command(
    what: str,
    from_ref: str | None,
    to_ref: str,
    upstream: str | None,
    repo: Path | None,
    study_dir: Path | None,
) -> int:
    """Name the first commit at which a place drifted."""
    from annotator import api
    from annotator.report.history import print_turn

    history = api.trace(
        what, study=study_dir, upstream=upstream, start=from_ref, end=to_ref, repo=repo
    )
    turn = history.first_turn
    with result_console(None) as console:
        print_turn(console, history, turn)
    return 1 if turn else 0
