"""`annot trace`."""

from pathlib import Path

import click
import msgspec

from annotator.cli.options import (
    anchors_and_questions,
    form_option,
    output_option,
    repo_option,
    result_console,
    study_option,
    upstream_option,
    write_text,
)


@click.command(
    "trace",
    epilog="""\b
Examples:
  annot trace q06-touch                     from the pin to the newest commit
  annot trace q06-touch --from v0.28.0 --to v0.33.0
  annot trace vllm/lora/utils.py::_all_lora_classes --repo ~/src/vllm \\
      --from HEAD~3000
  annot trace q06-touch --format markdown   for a pull request

\b
On a clone with history, commit by commit along first parents; on imported
releases, release by release. What was found is kept: asked again, annot
looks only at the commits that came since.""",
)
@click.argument("what", metavar="ANCHOR|TARGET", shell_complete=anchors_and_questions)
@click.option("--from", "from_ref", metavar="REF", help="Where to begin.  [default: the pin]")
@click.option(
    "--to", "to_ref", default="HEAD", show_default=True, metavar="REF", help="Where to end."
)
@click.option(
    "--all",
    "show_quiet",
    is_flag=True,
    help="Also commits that changed only comments, docstrings, layout.",
)
@form_option("table", "json", "markdown")
@upstream_option
@repo_option
@output_option
@study_option
def command(
    what: str,
    from_ref: str | None,
    to_ref: str,
    show_quiet: bool,
    format_: str,
    upstream: str | None,
    repo: Path | None,
    output: Path | None,
    study_dir: Path | None,
) -> None:
    """Follow one place commit by commit: who changed it, when, why, and how.

    TARGET is path::Qual.name or path#heading as it is called at --from; an anchor is found there by annot.
    """
    from annotator import api

    history = api.trace(
        what, study=study_dir, upstream=upstream, start=from_ref, end=to_ref, repo=repo
    )
    if format_ == "json":
        write_text(msgspec.json.format(msgspec.json.encode(history), indent=2).decode(), output)
        return
    from annotator.report.history import history_markdown, print_history

    if format_ == "markdown":
        write_text(history_markdown([history], show_quiet=show_quiet), output)
    else:
        with result_console(output) as console:
            print_history(console, history, show_quiet=show_quiet)
