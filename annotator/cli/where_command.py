"""`annot where`."""

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from annotator.cli.options import (
    form_option,
    output_option,
    repo_option,
    result_console,
    study_option,
    upstream_option,
    write_text,
)
from annotator.model.words import Outcome, Watch

if TYPE_CHECKING:
    from annotator.model.target import Target

_EXIT_CODES = {Outcome.ERROR: 3, Outcome.SKIPPED: 3, Outcome.OK: 0}


@click.command(
    "where",
    epilog="""\b
Examples:
  annot where vllm/v1/core/block_pool.py::BlockPool.touch --from v0.28.0 \\
      --to v0.33.0
  annot where vllm/v1/core/block_pool.py:300-310 --from v0.28.0
  annot where 'docs/design/prefix_caching.md#Data Structure' --from v0.28.0
  annot where pkg/mod.py::f --repo . --from HEAD~20 --to HEAD --format json
  annot where --batch places.jsonl --repo ~/src/project

\b
A line of a batch is a JSON object with id, from_ref, from_path, to_ref, and
from_symbol or from_start and from_end. Each gives one line of JSON, in the
same order.""",
)
@click.argument("target", required=False)
@click.option("--from", "from_ref", metavar="REF", help="Where TARGET is read.  [default: the pin]")
@click.option(
    "--to", "to_ref", default="HEAD", show_default=True, metavar="REF", help="Where to find it."
)
@click.option(
    "--batch",
    type=click.File("r", encoding="utf-8"),
    help="Answer each JSON line of this file ('-' for standard input).",
)
@click.option(
    "--watch",
    type=click.Choice([watch.value for watch in Watch if watch is not Watch.QUOTE]),
    default=Watch.BODY.value,
    show_default=True,
    help="What counts as a change.",
)
@form_option("table", "json")
@upstream_option
@repo_option
@output_option
@study_option
def command(
    target: str | None,
    from_ref: str | None,
    to_ref: str,
    batch: TextIO | None,
    watch: str,
    format_: str,
    upstream: str | None,
    repo: Path | None,
    output: Path | None,
    study_dir: Path | None,
) -> int:
    """Say what became of any place in the source, anchored or not.

    TARGET is path::Qual.name, path:LINE, path:START-END, path#heading or a path. Exit code 0 if it is
    ok, 1 if anything happened to it, 3 if it could not be checked.
    """
    from annotator import api
    from annotator.report.json_report import where_json
    from annotator.report.place import print_where
    from annotator.tasks.where import flatten

    if (target is None) == (batch is None):
        raise click.UsageError("give a TARGET or --batch FILE, one of the two")
    if batch is not None:
        answers = api.where_batch(
            batch, study=study_dir, upstream=upstream, repo=repo, watch=Watch(watch)
        )
        write_text("\n".join(where_json(answer) for answer in answers), output)
        return 0
    found = api.where(
        _parsed(target or ""),
        study=study_dir,
        upstream=upstream,
        start=from_ref,
        end=to_ref,
        repo=repo,
        watch=Watch(watch),
    )
    if format_ == "json":
        write_text(where_json(flatten(found)), output)
    else:
        with result_console(output) as console:
            print_where(console, found)
    return _EXIT_CODES.get(found.outcome, 1)


def _parsed(text: str) -> "Target":
    from annotator.model.target import TargetError, parse_target

    try:
        return parse_target(text)
    except TargetError as error:
        raise click.BadParameter(str(error), param_hint="TARGET") from None
