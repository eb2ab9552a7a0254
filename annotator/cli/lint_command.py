"""`annot lint`."""

import json
from pathlib import Path

import click

from annotator.cli.options import open_study, result_console, study_option


@click.command(
    "lint",
    epilog="""\b
Examples:
  annot lint
  annot lint --study ~/notes --format json
\b
Mistakes in the files (unknown keys, duplicate ids, bad targets) are all printed with file, line and column.
Exit code 2 if there is an error, else 0; warnings and hints never fail.""",
)
@click.option(
    "--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@study_option
def command(format_: str, study_dir: Path | None) -> int:
    """Check the anchor files alone, without any source.

    Finds mistakes in the files, entries of the handbook that nothing covers yet, empty notes, missing
    translations, anchors used twice, and questions with too few places in the code.
    """
    from annotator.report.findings import print_lint
    from annotator.tasks.lint import Level, lint, summary

    folder, study = open_study(study_dir)
    findings, counts = lint(study), summary(study)
    if format_ == "json":
        rows = [finding._asdict() for finding in findings]
        data = {"schema": 1, "findings": rows, "summary": counts._asdict()}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        with result_console(None) as console:
            print_lint(console, folder, findings, counts)
    return 2 if any(finding.level is Level.ERROR for finding in findings) else 0
