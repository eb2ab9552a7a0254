"""`annot sync`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.options import open_study, study_option

if TYPE_CHECKING:
    from annotator.upstream.progress import ProgressCallback, Step


@click.command(
    "sync",
    epilog="""\b
Examples:
  annot sync   what the study needs, from wherever it can be had
  annot sync vllm --from pypi   source releases from the package index
  annot sync vllm --releases 0.28.0..0.33.0
  annot sync vllm --releases 0.20.0,0.33.0 --from pypi
  annot sync vllm --from git --history   a clone with history, for tracing

\b
Source is kept in the user's cache folder; ANNOT_CACHE_DIR puts it elsewhere.
It is safe to delete. The package index is the one that pip is configured to
use; ANNOT_INDEX_URL names another.""",
)
@click.argument("upstreams", nargs=-1, metavar="[UPSTREAM]...")
@click.option(
    "--from",
    "origin",
    type=click.Choice(["auto", "git", "pypi"]),
    default="auto",
    show_default=True,
    help="auto: the git host, and where it does not answer, the package index.",
)
@click.option(
    "--releases",
    metavar="LIST",
    help="Versions such as 0.31.0,0.32.0 or a range 0.28.0..0.33.0.  [default: what the study needs]",
)
@click.option("--history", is_flag=True, help="Fetch the whole history too (git only).")
@study_option
def command(
    upstreams: tuple[str, ...],
    origin: str,
    releases: str | None,
    history: bool,
    study_dir: Path | None,
) -> int:
    """Get or update the source of upstreams.

    Without names, every upstream that anchors point into. Interrupted or failed, it leaves what was there
    before; run it again to go on.
    """
    from annotator.model.failures import AnnotError
    from annotator.tasks.workspace import chosen_upstreams
    from annotator.upstream.sync import sync_upstream

    _, study = open_study(study_dir)
    worst = 0
    for name, upstream in chosen_upstreams(study, upstreams).items():
        try:
            with sync_progress(name) as progress:
                report = sync_upstream(
                    name,
                    upstream,
                    origin=origin,  # type: ignore[arg-type]  # click has checked the choice
                    releases=releases,
                    history=history,
                    progress=progress,
                )
        except AnnotError as error:
            click.echo(f"{name}: {error}", err=True)
            if error.hint:
                click.echo(f"  → {error.hint}", err=True)
            worst = max(worst, error.exit_code)
            continue
        for warning in report.warnings:
            click.echo(f"{name}: note: {warning}", err=True)
        new = f"new: {', '.join(report.fetched)}" if report.fetched else "nothing new"
        click.echo(f"{name}: {len(report.present)} versions from {report.origin} ({new})")
        click.echo(f"  {report.folder}")
    return worst


@contextmanager
def sync_progress(name: str) -> Iterator["ProgressCallback"]:
    """Shows progress on standard error while it is a terminal; else does nothing."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[amount]}"))
    with Progress(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(name, total=None, amount="")

        def update(step: "Step") -> None:
            bar.update(
                task,
                description=f"{name}: {step.stage}",
                completed=step.done,
                total=step.total,
                amount=_amount(step),
            )

        yield update


def _amount(step: "Step") -> str:
    if not step.unit:
        return ""
    if step.unit == "bytes":
        parts = [f"{count / 1e6:.1f}" for count in (step.done, step.total) if count is not None]
        return f"{' / '.join(parts)} MB"
    return f"{step.done:,}" + (f" / {step.total:,}" if step.total else "") + f" {step.unit}"
