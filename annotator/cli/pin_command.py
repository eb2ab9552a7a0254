"""`annot pin`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.options import (
    open_runner,
    open_study,
    probe_python_option,
    progress_bar,
    repo_option,
    result_console,
    study_option,
    upstream_option,
)
from annotator.cli.reviewing import queue_of, today

if TYPE_CHECKING:
    from annotator.probes.runner import Runner


@click.command(
    "pin",
    epilog="""\b
Examples:
  annot pin v0.33.0 --upstream vllm --dry-run
      what would change, and what is left to review
  annot pin v0.33.0 --upstream vllm
  annot pin HEAD --repo ~/src/vllm --upstream vllm
  annot pin --finish   after an interruption

\b
All or nothing: targets and quotes in the anchor files (comments and order
stay), the pin in upstreams.yaml, the lock, what probes observed, the
decisions of the review (they go into the changelog) and the changelog itself,
anchors/changelogs/UPSTREAM-REF.md. The new study is tried before it is
written: every anchor has to be ok at the new pin.

\b
Exit codes: 0 done, 1 something is left to review, 2 a mistake, 3 the check is
incomplete.""",
)
@click.argument("ref", required=False)
@upstream_option
@click.option("--dry-run", is_flag=True, help="Print what would change; write nothing.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the changelog to this file too.",
)
@click.option("--finish", is_flag=True, help="Finish a move that was interrupted.")
@probe_python_option
@repo_option
@study_option
def command(
    ref: str | None,
    upstream: str | None,
    dry_run: bool,
    output: Path | None,
    finish: bool,
    pythons: tuple[Path, ...],
    repo: Path | None,
    study_dir: Path | None,
) -> int:
    """Move the pin of an upstream to REF, once nothing is left to review.

    Every anchor has to be ok at REF, or accepted there. Otherwise nothing is changed, and what is left is
    listed.
    """
    from annotator.report.changelog import changelog_markdown
    from annotator.report.review import print_left
    from annotator.store.lock_file import read_lock
    from annotator.store.study_entries import refuse_shipped
    from annotator.store.whole_change import apply_together, file_change
    from annotator.tasks.review.pinning import changelog_name, repin
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    if finish:
        return _finish(study_dir)
    if ref is None:
        raise click.UsageError("name the new pin: annot pin REF --upstream NAME")
    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    names = [upstream] if upstream else list(chosen_upstreams(study))
    if len(names) != 1:
        raise click.UsageError(f"name one of {', '.join(names)} with --upstream")
    (name,) = chosen_upstreams(study, names)
    locks = {name: lock} if (lock := read_lock(folder, name)) else {}
    with Workspace(cache_folder(), repo, study) as workspace:
        queue = queue_of(workspace, folder, study, [name], ref)
        if queue.pending or queue.unchecked:
            with result_console(None) as console:
                print_left(console, queue)
            click.echo(
                f"{len(queue.pending)} to review, {len(queue.unchecked)} not checked:"
                " the pin stays where it is",
                err=True,
            )
            click.echo(f"  → annot review --upstream {name} --commit {ref}", err=True)
            if any(p.result.resolution.outcome.value == "moved" for p in queue.pending):
                click.echo(f"  → annot accept --all-moved --commit {ref}", err=True)
            return 3 if queue.unchecked else 1
        with progress_bar("locking") as progress:
            made = repin(
                workspace,
                folder,
                study,
                name,
                locks,
                queue.results,
                ref,
                today(),
                _runner(pythons) if name in locks and locks[name].behaviour else None,
                progress,
            )
    text = changelog_markdown(made.changelog)
    log_name = changelog_name(name, made.changelog)
    if not dry_run:
        apply_together(folder, [*made.changes, file_change(folder, log_name, text)])
    if output is not None:
        output.write_text(text, encoding="utf-8")
    would = "would be " if dry_run else ""
    for file in (*(change.name for change in made.changes if change.after is not None), log_name):
        click.echo(f"{folder.name}/{file} {would}written")
    decided = sum(change.after is None for change in made.changes)
    if decided:
        click.echo(f"{decided} files of {folder.name}/reviews/{name} {would}deleted")
    for note in made.notes:
        click.echo(f"note: {note}", err=True)
    log = made.changelog
    click.echo(
        f"{name}: {log.old} → {log.new}: {log.anchors} anchors, {made.moved} targets and"
        f" {made.requoted} quotes rewritten, {len(log.entries)} decisions told in the changelog"
    )
    return 0


def _runner(pythons: tuple[Path, ...]) -> "Runner | None":
    from annotator.probes.environments import find_environments
    from annotator.upstream.folders import cache_folder

    there = find_environments(cache_folder(), pythons)
    return open_runner(cache_folder(), pythons, "auto") if there else None


def _finish(study_dir: Path | None) -> int:
    from annotator.store.study_folder import find_study
    from annotator.store.whole_change import finish

    files = finish(find_study(study_dir).path)
    for file in files:
        click.echo(f"finished {file}")
    if not files:
        click.echo("nothing was interrupted")
    return 0
