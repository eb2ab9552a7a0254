"""`annot lock`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.options import (
    engine_option,
    open_runner,
    open_study,
    probe_python_option,
    progress_bar,
    repo_option,
    study_option,
    upstreams_option,
)

if TYPE_CHECKING:
    from annotator.tasks.probe import Engine


@click.command(
    "lock",
    epilog="""\b
Examples:
  annot lock   every upstream of the study
  annot lock --upstream vllm --repo ~/src/vllm
  annot lock --probes
      also what every probe observes there (see `annot probe`)

\b
How sure an entry is: exact (read from the pin itself), bracketed (the same in
the releases on both sides of the pin) or stand-in (read from the release next
to the pin, and different on one side).""",
)
@upstreams_option
@click.option("--probes", is_flag=True, help="Also run the probes and record what they observe.")
@engine_option
@probe_python_option
@repo_option
@study_option
def command(
    upstreams: tuple[str, ...],
    probes: bool,
    engine: "Engine",
    pythons: tuple[Path, ...],
    repo: Path | None,
    study_dir: Path | None,
) -> int:
    """Record what every anchor is at the pin, and how sure that is.

    Writes anchors/locks/UPSTREAM.json. Where the pinned commit is at hand it is read, and anchors that were
    recorded differently before are named. Otherwise the stand-in release is read.
    """
    from annotator.store.lock_file import read_lock, write_lock
    from annotator.store.problems import shown
    from annotator.tasks.lock import make_lock
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    failed = incomplete = False
    with Workspace(cache_folder(), repo, study) as workspace:
        for name, chosen in chosen_upstreams(study, upstreams).items():
            with progress_bar("locking") as progress:
                report = make_lock(
                    workspace, study, name, chosen, read_lock(folder, name), progress=progress
                )
            failed = failed or bool(report.problems)
            for sentence in report.problems:
                click.echo(sentence, err=True)
            for sentence in (*report.corrected, *report.warnings):
                click.echo(f"note: {sentence}", err=True)
            lock = report.lock
            if probes:
                from annotator.tasks.claims import record_behaviour

                runner = open_runner(cache_folder(), pythons, engine)
                with progress_bar("locking") as progress:
                    behaviour, unseen = record_behaviour(
                        workspace, name, chosen, runner, engine=engine, progress=progress
                    )
                lock = lock.model_copy(update={"behaviour": {**lock.behaviour, **behaviour}})
                incomplete = incomplete or bool(unseen)
                for sentence in unseen:
                    click.echo(sentence, err=True)
            path = write_lock(folder, lock)
            levels = [entry.sureness.value for entry in report.lock.entries.values()]
            counts = ", ".join(f"{levels.count(level)} {level}" for level in sorted(set(levels)))
            click.echo(
                f"{shown(path)}: {len(levels)} anchors from {report.lock.recorded_from}: {counts}"
            )
    return 3 if incomplete else 2 if failed else 0
