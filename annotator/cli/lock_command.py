"""`annot lock`."""

from pathlib import Path

import click

from annotator.cli.options import (
    open_study,
    progress_bar,
    repo_option,
    study_option,
    upstreams_option,
)


@click.command(
    "lock",
    epilog="""\b
Examples:
  annot lock                      every upstream of the study
  annot lock --upstream vllm --repo ~/src/vllm
\b
How sure an entry is: exact (read from the pin itself), bracketed (the same in the releases on both
sides of the pin) or stand-in (read from the release next to the pin, and different on one side).""",
)
@upstreams_option
@repo_option
@study_option
def command(upstreams: tuple[str, ...], repo: Path | None, study_dir: Path | None) -> int:
    """Record what every anchor is at the pin, and how sure that is.

    Writes anchors/locks/UPSTREAM.json. Where the pinned commit is at hand it is read, and anchors that were
    recorded differently before are named. Otherwise the stand-in release is read.
    """
    from annotator.store.lock_file import read_lock, write_lock
    from annotator.tasks.lock import make_lock
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    failed = False
    with Workspace(cache_folder(), repo) as workspace:
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
            path = write_lock(folder, report.lock)
            levels = [entry.sureness.value for entry in report.lock.entries.values()]
            counts = ", ".join(f"{levels.count(level)} {level}" for level in sorted(set(levels)))
            click.echo(f"{path}: {len(levels)} anchors from {report.lock.recorded_from}: {counts}")
    return 2 if failed else 0
