"""`annot init`."""

from pathlib import Path

import click

from annotator.cli.sync_command import sync_progress


@click.command(
    "init",
    epilog="""\b
Examples:
  annot init notes --repo ~/src/project   a clone of yours
  annot init notes --repo https://host/owner/project
  annot init notes --repo ~/src/project --pin v1.2.0
  cd ~/src/project && annot init          the repository that you are in

\b
Nothing is ever written over.

\b
Exit code 2 if there is a study already or the repository cannot be read, 3 if
its host does not answer.""",
)
@click.argument(
    "project", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--repo",
    metavar="PATH|URL",
    help="The git repository that the notes are about.  [default: the one around DIR]",
)
@click.option("--name", help="What the study calls it.  [default: from its address]")
@click.option(
    "--pin",
    metavar="REF",
    help="Commit or tag that the notes are written against.  [default: the newest commit]",
)
def command(project: Path, repo: str | None, name: str | None, pin: str | None) -> None:
    """Start a study of any git repository, in DIR/anchors.

    Writes upstreams.yaml, which names the repository and the pinned commit, and a first question about the
    definitions that its files speak of most, to change or delete. The source is kept in annot's cache.
    """
    from annotator.model.failures import UserMistake
    from annotator.store.problems import shown
    from annotator.tasks.authoring.starting import begin_study, first_question
    from annotator.upstream.origin import find_origin

    if repo is None:
        around = next((p for p in (project.absolute(), Path.cwd()) if p.is_dir()), Path.cwd())
        try:
            origin = find_origin(str(around), pin)
        except UserMistake as error:
            raise UserMistake(f"which repository? {error}", hint="name it with --repo") from error
    else:
        origin = find_origin(repo, pin)
    with sync_progress(origin.title) as progress:
        begun = begin_study(project, origin, name, first_question, progress)
    pinned = begun.upstream.pin.release or (begun.upstream.pin.commit or "")[:12]
    click.echo(f"A study of {begun.upstream.title}, pinned at {pinned} ({begun.upstream.pin.date})")
    for path in begun.files:
        click.echo(f"  {shown(path)}")
    here = "" if project.resolve() == Path.cwd().resolve() else f"cd {shown(project)}\n  "
    click.echo(
        f"\nNext:\n  {here}annot lock              record what the anchors are at the pin\n"
        "  annot show 1            read the first question\n"
        "  annot add PATH:LINE     add an anchor from your editor's position\n"
        "  annot sync; annot check what drifted since"
    )
