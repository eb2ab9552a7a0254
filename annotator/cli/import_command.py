"""`annot import`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.options import open_study, study_option

if TYPE_CHECKING:
    from annotator.tasks.authoring.importing import Imported
    from annotator.tasks.authoring.reading_notes import Notes


@click.command(
    "import",
    epilog="""\b
Examples:
  annot import notes.md --into study --repo ~/src/vllm
      a new study of that clone
  annot import notes/ more.md --into study
      of the repository that most links name
  annot import ~/src/project/.tours --into study --repo ~/src/project
      CodeTour files
  annot import notes.md --study study   more questions for a study
  annot import notes.md --into study --repo ~/src/vllm --commit v0.28.0

\b
Exit code 0 if every link into the study's upstreams became an anchor, 1 if
some are listed that did not (they stay in the text), 2 if none did, 3 if the
source is missing.""",
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILES...",
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Start a study in this folder.",
)
@click.option(
    "--upstream", metavar="NAME", help="What the study calls its upstream, or one of its."
)
@click.option(
    "--commit",
    metavar="REF",
    help="Commit that the notes are about: the pin of a new study, and where places are read that "
    "name no commit, or one that is not at hand.  [default: what most links name]",
)
@click.option(
    "--repo",
    metavar="PATH|URL",
    help="The git repository that the notes are about.",
)
@study_option
def command(
    files: tuple[Path, ...],
    into: Path | None,
    upstream: str | None,
    commit: str | None,
    repo: str | None,
    study_dir: Path | None,
) -> int:
    """Turn notes with links to source into a study: Markdown, and CodeTour files.

    A heading becomes a question; the text around a link is the anchor's note; the link's lines become the
    innermost function, class or section that holds them, and a quote of what they say, as it is at the pin. What
    cannot be placed is listed, and stays in the text.
    """
    from annotator.report.style import printable
    from annotator.tasks.authoring.reading_notes import read_notes

    if into is not None and study_dir is not None:
        raise click.UsageError("give --into for a new study or --study for one that is there")
    notes = read_notes(files)
    if into is not None:
        paths, imported = _into_new(into, notes, upstream, commit, repo)
    else:
        paths, imported = _into_study(study_dir, notes, upstream, commit, repo)
    for remark in imported.remarks:
        click.echo(printable(f"note: {remark}"), err=True)
    for left in imported.left:
        place = f"{left.file}:{left.line}: {left.text}: {left.reason}"
        click.echo(printable(f"not placed: {place}"), err=True)
    click.echo(
        f"{len(imported.questions)} questions with {imported.anchors} anchors;"
        f" {len(imported.left)} not placed"
    )
    for path in paths:
        click.echo(f"  {path}")
    click.echo("Next: annot lint; annot lock; annot check")
    return 1 if imported.left else 0


def _into_new(
    project: Path, notes: "Notes", name: str | None, commit: str | None, repo: str | None
) -> "tuple[list[str], Imported]":
    from annotator.cli.sync_command import sync_progress
    from annotator.store.problems import shown
    from annotator.tasks.authoring.starting_from_notes import begin_imported

    with sync_progress(name or "source") as progress:
        begun, imported = begin_imported(project, notes, repo, name, commit, progress)
    return [shown(path) for path in begun.files], imported


def _into_study(
    study_dir: Path | None,
    notes: "Notes",
    name: str | None,
    commit: str | None,
    repo: str | None,
) -> "tuple[list[str], Imported]":
    from annotator.store.new_study import write_questions
    from annotator.store.problems import shown
    from annotator.store.study_entries import refuse_shipped
    from annotator.tasks.authoring.importing import import_into
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    chosen = chosen_upstreams(study, [name] if name else study.upstreams)
    with Workspace(cache_folder(), Path(repo) if repo else None, study) as workspace:
        imported = import_into(workspace, study, chosen, notes, commit)
    return [shown(path) for path in write_questions(folder, imported.questions)], imported
