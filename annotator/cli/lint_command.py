"""`annot lint`."""

import json
from pathlib import Path

import click

from annotator.cli.options import form_option, open_study, repo_option, result_console, study_option
from annotator.store.study_folder import find_study


@click.command(
    "lint",
    epilog="""\b
Examples:
  annot lint
  annot lint --no-source   the files alone
  annot lint --study ~/notes --format json

\b
Mistakes in the files (unknown keys, duplicate ids, bad targets) are all
printed with file, line and column; those of sessions, records and
experiments.yaml as well.

\b
Exit code 2 if there is an error, else 0; warnings and hints never fail.""",
)
@form_option("table", "json")
@click.option("--no-source", is_flag=True, help="Do not compare names and defaults with source.")
@repo_option
@study_option
def command(format_: str, no_source: bool, repo: Path | None, study_dir: Path | None) -> int:
    """Check the anchor files, and their words against the source at hand.

    Finds mistakes in the files, entries of the handbook that nothing covers yet, missing translations,
    anchors used twice, questions with too little in them, claims whose probe has no such check, and names
    in sessions and records that lead nowhere. Where the pinned source of an upstream is at hand, names in
    backticks that are nowhere in it and defaults that differ from it are told too.
    """
    from annotator.report.lint import print_lint
    from annotator.store.entry_files import read_entry_files
    from annotator.store.problems import ProblemsFound
    from annotator.tasks.lint import Level, lint, summary
    from annotator.tasks.lint.entries import entry_findings

    entries = read_entry_files(find_study(study_dir).path)
    try:
        folder, study = open_study(study_dir)
    except ProblemsFound as found:
        raise ProblemsFound([*found.problems, *entries.problems]) from None
    if entries.problems:
        raise ProblemsFound(entries.problems)
    findings = sorted([*lint(study), *entry_findings(study, entries)])
    unchecked, counts = [], summary(study)
    if not no_source:
        from annotator.tasks.lint.source import lint_source
        from annotator.tasks.workspace import Workspace
        from annotator.upstream.folders import cache_folder

        with Workspace(cache_folder(), repo, study) as workspace:
            against_source = lint_source(workspace, study)
        findings = sorted([*findings, *against_source.findings])
        unchecked = against_source.unchecked
    if format_ == "json":
        rows = [finding._asdict() for finding in findings]
        skipped = [one._asdict() for one in unchecked]
        data = {
            "schema": 1,
            "findings": rows,
            "unchecked": skipped,
            "summary": counts._asdict(),
        }
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        with result_console(None) as console:
            print_lint(console, folder, findings, unchecked, counts)
    return 2 if any(finding.level is Level.ERROR for finding in findings) else 0
