"""`annot check`."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from annotator.cli.formats import Wanted, format_option, write_results
from annotator.cli.gate import debt_options, fail_on_option, quiet_option
from annotator.cli.options import (
    engine_option,
    language_option,
    open_runner,
    output_option,
    probe_python_option,
    progress_bar,
    repo_option,
    result_console,
    study_option,
    upstreams_option,
    write_text,
)
from annotator.model.words import FailOn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotator.model.finding import About, Finding
    from annotator.model.report import CheckReport
    from annotator.model.study import PlacedAnchor
    from annotator.tasks.probe import Engine


@click.command(
    "check",
    epilog="""\b
Examples:
  annot check                             newest commit of each upstream
  annot check --commit v0.33.0            a release
  annot check --upstream vllm --question 6
  annot check --repo ~/src/vllm --commit HEAD~5
  annot check --repo ~/src/vllm --blame   with the commits behind each drift
  annot check --format json -o drift.json
  annot check --format sarif=drift.sarif --format junit=drift.xml
  annot check --debt debt.yaml --update-debt
      record old drift; without --update-debt only new drift fails
  annot check --watch                     again on each save of an anchor file
  annot check --probes                    also run upstream's code
  annot check --fail-on gone,ambiguous    a gate that lets edits pass
  annot check --fail-on error             what is gone or severe

\b
Outcomes: ok nothing to do; moved the citation is to be mended; changed to be
read again; gone no successor; ambiguous several candidates; error and skipped
could not be checked.

\b
Exit codes: 0 nothing fails, 1 drift, 2 a mistake in the arguments or anchor
files, 3 something could not be checked.""",
)
@click.option(
    "--commit",
    default="HEAD",
    show_default=True,
    metavar="REF",
    help="Commit, tag, branch or version to check against.",
)
@upstreams_option
@repo_option
@click.option("--question", type=click.IntRange(1), metavar="N", help="Only this question.")
@click.option(
    "--baseline",
    type=click.Choice(["pin", "reviewed"]),
    default="reviewed",
    show_default=True,
    help="Compare with what was last accepted (see `annot review`), else the pin; or always with the pin.",
)
@fail_on_option()
@debt_options
@format_option("table", "json")
@click.option("--blame", is_flag=True, help="Name the upstream commits behind each drift.")
@click.option("--probes", is_flag=True, help="Run the probes that claims name (see `annot probe`).")
@engine_option
@probe_python_option
@click.option("--all", "show_ok", is_flag=True, help="Also list the anchors that are ok.")
@click.option(
    "--watch",
    is_flag=True,
    help="Go on: check again when anchor files are saved, print what changed.",
)
@quiet_option
@output_option
@language_option
@study_option
def command(
    commit: str,
    upstreams: tuple[str, ...],
    repo: Path | None,
    question: int | None,
    baseline: Literal["pin", "reviewed"],
    fail_on: tuple[FailOn, ...],
    debt_file: Path | None,
    update_debt: bool,
    formats: tuple[Wanted, ...],
    blame: bool,
    probes: bool,
    engine: "Engine",
    pythons: tuple[Path, ...],
    show_ok: bool,
    watch: bool,
    quiet: bool,
    output: Path | None,
    lang: Literal["zh", "en"],
    study_dir: Path | None,
) -> int:
    """Find every anchor again on a commit and say what drifted.

    Each anchor is looked up in the tree of the commit: at its path and name first, then wherever it may
    have gone. What counts as drift is the anchor's own choice (its `watch`); moved lines,
    formatting, comments and docstrings never do.
    """
    from annotator import api
    from annotator.upstream.folders import cache_folder

    if update_debt and debt_file is None:
        raise click.UsageError("--update-debt needs --debt FILE to write to")
    if watch and update_debt:
        raise click.UsageError(
            "--watch would make every drift known; give --update-debt without it"
        )

    @cache
    def opened() -> api.LoadedStudy:
        return api.load(study_dir)

    def checked(study: api.StudyLike) -> "CheckReport":
        with progress_bar("checking") as progress:
            report = api.check(
                study,
                commit=commit,
                upstreams=upstreams,
                repo=repo,
                question=question,
                baseline=baseline,
                blame=blame,
                fail_on=fail_on,
                runner=open_runner(cache_folder(), pythons, engine) if probes else None,
                engine=engine,
                progress=progress,
            )
        if debt_file is not None:
            anchors = api.loaded(study).study.anchors if update_debt else None
            report = _with_debt(report, debt_file, anchors)
        return report

    report = checked(opened() if watch else study_dir)

    def write_table(file: Path | None) -> None:
        from annotator.report.table import print_check

        with result_console(file) as console:
            print_check(console, report, language=lang, show_ok=show_ok, quiet=quiet)

    def write_json(file: Path | None) -> None:
        from annotator.report.json_report import check_json

        write_text(check_json(report), file)

    def as_findings() -> "tuple[list[Finding], About]":
        from annotator.tasks.findings import about_check, check_findings

        folder, study = opened()
        return check_findings(report, study, folder), about_check(report, lang)

    write_results(formats, output, {"table": write_table, "json": write_json}, as_findings)
    if watch:
        from annotator.cli.watching import watch_check

        return watch_check(opened(), report, checked)
    return report.exit_code


def _with_debt(
    report: "CheckReport", file: Path, anchors: "Sequence[PlacedAnchor] | None"
) -> "CheckReport":
    """The report with known drift marked; with the study's anchors, after what drifts now has become known."""
    from annotator.model.debt import DebtFile
    from annotator.store.debt_file import read_debt, write_debt
    from annotator.tasks.debt import updated_debt, with_debt

    debt = DebtFile(schema=1) if anchors is not None and not file.exists() else read_debt(file)
    if anchors is not None:
        debt = updated_debt(report, debt, (placed.anchor.id for placed in anchors))
        write_debt(file, debt)
    return with_debt(report, debt)
