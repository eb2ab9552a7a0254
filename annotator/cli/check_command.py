"""`annot check`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.options import (
    engine_option,
    language_option,
    open_runner,
    open_study,
    output_option,
    probe_python_option,
    progress_bar,
    repo_option,
    result_console,
    study_option,
    upstreams_option,
    write_text,
)
from annotator.model.words import Outcome

if TYPE_CHECKING:
    from annotator.tasks.probe import Engine

_FAILING = [Outcome.MOVED, Outcome.CHANGED, Outcome.GONE, Outcome.AMBIGUOUS]


def _outcomes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[Outcome, ...]:
    if value == "none":
        return ()
    words = [word.strip() for word in value.split(",")]
    known = {outcome.value: outcome for outcome in _FAILING}
    unknown = [word for word in words if word not in known]
    if unknown:
        raise click.BadParameter(
            f"{', '.join(unknown)} is no outcome to fail on; choose from {', '.join(known)}, or none"
        )
    return tuple(known[word] for word in words)


@click.command(
    "check",
    epilog="""\b
Examples:
  annot check                              newest commit of each upstream
  annot check --commit v0.33.0             a release
  annot check --upstream vllm --question 6 one question
  annot check --repo ~/src/vllm --commit HEAD~5
  annot check --repo ~/src/vllm --blame    with the upstream commits behind each drift
  annot check --format json -o drift.json  for programs
  annot check --probes                     also run upstream's code for the claims
  annot check --fail-on gone,ambiguous     a gate that lets edits pass
\b
Outcomes: ok nothing to do; moved the citation is to be mended; changed to be read again; gone no
successor; ambiguous several candidates; error and skipped could not be checked (exit code 3).""",
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
    default="pin",
    show_default=True,
    help="Compare with the pin, or with what was last accepted in a review.",
)
@click.option(
    "--fail-on",
    default="changed,gone,ambiguous",
    show_default=True,
    metavar="LIST",
    callback=_outcomes,
    help="Outcomes that make the exit code 1, or none.",
)
@click.option(
    "--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.option("--blame", is_flag=True, help="Name the upstream commits behind each drift.")
@click.option("--probes", is_flag=True, help="Run the probes that claims name (see `annot probe`).")
@engine_option
@probe_python_option
@click.option("--all", "show_ok", is_flag=True, help="Also list the anchors that are ok.")
@output_option
@language_option
@study_option
def command(
    commit: str,
    upstreams: tuple[str, ...],
    repo: Path | None,
    question: int | None,
    baseline: str,
    fail_on: tuple[Outcome, ...],
    format_: str,
    blame: bool,
    probes: bool,
    engine: "Engine",
    pythons: tuple[Path, ...],
    show_ok: bool,
    output: Path | None,
    lang: str,
    study_dir: Path | None,
) -> int:
    """Find every anchor again on a commit and say what drifted.

    Each anchor is looked up in the tree of the commit: at its path and name first, then wherever it may
    have gone. What counts as drift is the anchor's own choice (its `watch`); moved lines,
    formatting, comments and docstrings never do.
    """
    from annotator.store.lock_file import read_lock
    from annotator.tasks.check import check
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    if question is not None and study.question(question) is None:
        raise click.BadParameter(f"the route has no question {question}", param_hint="--question")
    chosen = chosen_upstreams(study, upstreams)
    locks = {name: lock for name in chosen if (lock := read_lock(folder, name))}
    with Workspace(cache_folder(), repo) as workspace, progress_bar("checking") as progress:
        report = check(
            workspace,
            study,
            chosen,
            locks,
            ref=commit,
            question=question,
            blame=blame,
            reviewed=baseline == "reviewed",
            fail_on=fail_on,
            runner=open_runner(cache_folder(), pythons, engine) if probes else None,
            engine=engine,
            progress=progress,
        )
    if format_ == "json":
        from annotator.report.json_report import check_json

        write_text(check_json(report), output)
    else:
        from annotator.report.table import print_check

        with result_console(output) as console:
            print_check(console, report, language=lang, show_ok=show_ok)
    return report.exit_code
