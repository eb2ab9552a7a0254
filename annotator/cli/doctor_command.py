"""`annot doctor`."""

import json
from pathlib import Path

import click

from annotator.cli.options import form_option, repo_option, result_console, study_option


@click.command(
    "doctor",
    epilog="""\b
Examples:
  annot doctor
  annot doctor --repo ~/src/vllm
  annot doctor --format json

\b
Marks: ✓ well, · worth knowing, ! needs attention, each with the command that
mends it.

\b
Exit codes: 0 nothing needs attention, 3 something does.""",
)
@form_option("table", "json")
@repo_option
@study_option
def command(format_: str, repo: Path | None, study_dir: Path | None) -> int:
    """Look at everything a check needs: programs, study, source, pins, locks, cache, probes.

    Nothing is downloaded, changed or checked anew.
    """
    import msgspec

    from annotator.report.doctor import print_diagnosis
    from annotator.tasks.doctor import diagnose
    from annotator.upstream.folders import cache_folder

    diagnosis = diagnose(cache_folder(), repo, study_dir)
    if format_ == "json":
        data = {**msgspec.to_builtins(diagnosis), "exit_code": diagnosis.exit_code}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        with result_console(None) as console:
            print_diagnosis(console, diagnosis)
    return diagnosis.exit_code
