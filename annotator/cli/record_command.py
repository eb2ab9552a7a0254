"""`annot record`."""

import datetime
import json
import re
import sys
from pathlib import Path
from typing import Literal, cast

import click
from click.shell_completion import CompletionItem

from annotator.cli.options import (
    form_option,
    language_option,
    open_study,
    repo_option,
    result_console,
    study_option,
)

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from annotator.store.study_entries import records_folder
    from annotator.store.study_folder import find_study

    folder = records_folder(find_study(ctx.params.get("study_dir")).path)
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.group(
    "record",
    epilog="""\b
Examples:
  annot record new apc-h200 --log server.log
  annot record check apc-h200
  annot record diff apc-h200 apc-h100""",
)
def command() -> None:
    """Write, check and compare experiment records.

    A record has every field of the handbook's template. It is a file in the study's folder records/, which
    people go on editing; `?` marks what is to fill, `none` what does not apply.
    """


@command.command(
    "new",
    epilog="""\b
Examples:
  annot record new apc-h200 --python ~/venv/bin/python \\
      --model ~/models/Qwen3-8B
  annot record new apc-h200 --command "vllm serve Qwen/Qwen3-8B -tp 2" \\
      --log server.log
  annot record new pd-2 --config serve.yaml --no-machine""",
)
@click.argument("name")
@click.option("--date", metavar="DAY", help="Day of the experiment, YYYY-MM-DD.  [default: today]")
@click.option(
    "--python",
    default=sys.executable,
    metavar="PATH",
    help="Interpreter that runs the experiment; its packages are looked up.  [default: annot's own]",
)
@click.option(
    "--model",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with the model.",
)
@click.option(
    "--config",
    type=_file,
    help="Configuration file of the engine or of the connector (YAML, JSON).",
)
@click.option("--command", "command_line", metavar="TEXT", help="The command line that serves.")
@click.option("--log", type=_file, help="Log of the run.")
@click.option("--no-machine", is_flag=True, help="Look neither at this machine nor at --python.")
@repo_option
@study_option
def new(
    name: str,
    date: str | None,
    python: str,
    model: Path | None,
    config: Path | None,
    command_line: str | None,
    log: Path | None,
    no_machine: bool,
    repo: Path | None,
    study_dir: Path | None,
) -> None:
    """Write a record with every field, filled with what the machine and the given files can tell.

    What a log says of the run wins over the command line, that over the configuration file, that over the model's
    folder and the environment.
    """
    from annotator.store.problems import shown
    from annotator.store.study_entries import (
        read_experiments,
        records_folder,
        refuse_shipped,
        write_entry,
    )
    from annotator.tasks.records.environment import environment_facts
    from annotator.tasks.records.fill import commits_of_releases, draft
    from annotator.tasks.records.found import Found, first_of_each
    from annotator.tasks.records.given import command_facts, config_facts, log_facts, model_facts
    from annotator.tasks.records.machine import machine_facts
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    if not _NAME.fullmatch(name):
        raise click.BadParameter("write lower-case words joined by hyphens", param_hint="NAME")
    day = _day(date)
    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    experiments = read_experiments(folder)
    found: list[Found] = []
    if log is not None:
        found += log_facts(log, experiments.logs)
    if command_line is not None:
        found += command_facts(command_line, experiments.flags)
    if config is not None:
        found += config_facts(config, experiments.flags)
    if model is not None:
        found += model_facts(model)
    if not no_machine:
        found += environment_facts(python, experiments.software)
        found += machine_facts()
    with Workspace(cache_folder(), repo, study) as workspace:
        found += commits_of_releases(workspace, experiments, first_of_each(found))
    made = draft(name, day, experiments, first_of_each(found))
    path = records_folder(folder) / f"{name}.yaml"
    write_entry(path, folder, "record", made.data, above=made.above, beside=made.beside)
    click.echo(f"{shown(path)}: {len(made.missing)} facts are still to be filled (marked '?')")


def _day(date: str | None) -> str:
    try:
        return (datetime.date.fromisoformat(date) if date else datetime.date.today()).isoformat()
    except ValueError:
        raise click.BadParameter(
            f"{date!r} is no day; write YYYY-MM-DD", param_hint="--date"
        ) from None


@command.command(
    "check",
    epilog="""\b
Examples:
  annot record check   every record of the study
  annot record check apc-h200

\b
Exit code 2 if there is an error (a field to fill, something that is not
pinned, versions that do not go together), else 0.""",
)
@click.argument("names", nargs=-1, shell_complete=_names)
@form_option("table", "json")
@repo_option
@language_option
@study_option
def check(
    names: tuple[str, ...], format_: str, repo: Path | None, lang: str, study_dir: Path | None
) -> int:
    """Check that records are complete, that all in them is pinned, and that versions go together."""
    from annotator.report.records import print_record_findings
    from annotator.store.study_entries import read_experiments, read_record, read_records
    from annotator.tasks.records.checks import check_record
    from annotator.tasks.records.fill import release_commit
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    experiments = read_experiments(folder)
    records = {name: read_record(folder, name) for name in names} or read_records(folder)
    language = cast("Literal['zh', 'en']", lang)
    with Workspace(cache_folder(), repo, study) as workspace:
        findings = {
            name: check_record(
                record,
                experiments,
                language,
                lambda upstream, release: release_commit(workspace, upstream, release),
            )
            for name, record in records.items()
        }
    if format_ == "json":
        rows = [
            {"record": name, **finding._asdict()}
            for name, found in findings.items()
            for finding in found
        ]
        click.echo(json.dumps({"schema": 1, "findings": rows}, ensure_ascii=False, indent=2))
    else:
        with result_console(None) as console:
            for name, found in findings.items():
                print_record_findings(console, name, found)
    wrong = any(finding.level == "error" for found in findings.values() for finding in found)
    return 2 if wrong else 0


@command.command("diff")
@click.argument("old", shell_complete=_names)
@click.argument("new", shell_complete=_names)
@form_option("table", "json")
@study_option
def diff(old: str, new: str, format_: str, study_dir: Path | None) -> None:
    """Show in which facts two experiments differ."""
    from annotator.report.records import print_differences
    from annotator.store.study_entries import read_record
    from annotator.tasks.records.differences import record_differences

    folder, _ = open_study(study_dir)
    found = record_differences(read_record(folder, old), read_record(folder, new))
    if format_ == "json":
        click.echo(json.dumps([one._asdict() for one in found], ensure_ascii=False, indent=2))
        return
    with result_console(None) as console:
        print_differences(console, (old, new), found)


@command.command("list")
@study_option
def list_(study_dir: Path | None) -> None:
    """List the records, and how much there is to find in each."""
    from annotator.report.records import print_records
    from annotator.store.study_entries import read_experiments, read_records
    from annotator.tasks.records.checks import check_record

    folder, _ = open_study(study_dir)
    experiments = read_experiments(folder)
    records = read_records(folder)
    counts = {name: len(check_record(one, experiments)) for name, one in records.items()}
    with result_console(None) as console:
        print_records(console, records, counts)
