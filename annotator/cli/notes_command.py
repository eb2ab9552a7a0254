"""`annot notes`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from annotator.cli.formats import Wanted, format_option, write_results
from annotator.cli.gate import fail_on_option
from annotator.cli.options import (
    language_option,
    open_study,
    output_option,
    progress_bar,
    repo_option,
    result_console,
    study_option,
    upstreams_option,
    write_text,
)
from annotator.model.words import FailOn, Watch

if TYPE_CHECKING:
    from annotator.model.finding import About, Finding
    from annotator.model.mention import NotesReport
    from annotator.tasks.notes.files import NoteFile

_F = TypeVar("_F", bound=Callable[..., Any])


@click.group(
    "notes",
    epilog="""\b
Examples:
  annot notes check notes/ --commit v0.33.0
      what became of every place that notes point to
  annot notes fix notes/ --commit v0.33.0 --write
      links to places that stand or moved, rewritten""",
)
def command() -> None:
    """Check notes that are kept elsewhere, and mend their links to source.

    Read are Markdown, reStructuredText, HTML, Jupyter notebooks and plain text. In them are found links to
    files and lines (GitHub, GitLab, Gitee and mirrors of them), paths with line numbers such as
    path/to/file.py:123, and dotted Python names.
    """


def _ref_by_upstream(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, str]:
    refs = {}
    for word in value:
        name, sign, ref = word.partition("@")
        if not (name and sign and ref):
            raise click.BadParameter(f"{word!r} is not of the form NAME@REF")
        refs[name] = ref
    return refs


def _shared(function: _F) -> _F:
    """Arguments of all commands of the group."""
    for option in (
        click.option(
            "--at",
            multiple=True,
            metavar="NAME@REF",
            callback=_ref_by_upstream,
            help="What paths and names without a link are read at; by default what the note itself says.",
        ),
        repo_option,
        upstreams_option,
        click.option(
            "--commit",
            default="HEAD",
            show_default=True,
            metavar="REF",
            help="Commit, tag, branch or version to look at.",
        ),
        click.argument(
            "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE|DIR..."
        ),
    ):
        function = option(function)
    return study_option(function)


@command.command(
    "check",
    epilog="""\b
Examples:
  annot notes check notes/ --commit v0.33.0
  annot notes check README.md walkthrough.ipynb --all
  annot notes check old.md --at vllm@v0.8.5
      paths like vllm/x.py:10 are of that version
  annot notes check notes/ --format sarif=notes.sarif --format table
  annot notes check notes/ --fail-on-branch   a gate against links that rot
  annot notes check --upstream vllm --commit v0.33.0 docs/design
      upstream's own pages

\b
A note says its version itself with a comment such as
<!-- annot: vllm@v0.8.5 -->, or in words near its beginning ("based on vLLM
v0.8.5", "基于 vLLM v0.8.5"), or through links that all name one commit.

\b
Outcomes are those of `annot check`. A link by branch (main, stable) is
flagged: it is only known whether its path is there. A link whose commit is
not at hand is skipped, with the command that gets it.

\b
Exit codes: 0 nothing to do, 1 drift, 2 a mistake in the arguments, 3
something could not be checked.""",
)
@_shared
@click.option(
    "--watch",
    type=click.Choice([watch.value for watch in Watch if watch is not Watch.QUOTE]),
    default=Watch.BODY.value,
    show_default=True,
    help="What counts where a whole definition is cited.",
)
@click.option(
    "--pages",
    is_flag=True,
    help="The paths are pages of the upstream itself at the commit; so they are taken if they are not there"
    " and one --upstream is given.",
)
@click.option(
    "--pedantic", is_flag=True, help="Of pages, tell names that may be of something else too."
)
@fail_on_option()
@click.option("--fail-on-branch", is_flag=True, help="Links by branch make the exit code 1.")
@format_option("table", "json")
@click.option("--all", "show_ok", is_flag=True, help="Also list the places that stand.")
@output_option
@language_option
def check(
    paths: tuple[Path, ...],
    commit: str,
    upstreams: tuple[str, ...],
    repo: Path | None,
    at: dict[str, str],
    watch: str,
    pages: bool,
    pedantic: bool,
    fail_on: tuple[FailOn, ...],
    fail_on_branch: bool,
    formats: tuple[Wanted, ...],
    show_ok: bool,
    output: Path | None,
    lang: Literal["zh", "en"],
    study_dir: Path | None,
) -> int:
    """Say what became of every place that notes point to.

    Each link or mention is checked like an anchor: what it pointed at in its own commit, whether that
    still stands, where it is now. A file or folder without lines has only to be there.

    On upstream's own pages, files, symbols and options are looked for that the code of the commit does not
    have any more.
    """
    options = {
        "ref": commit,
        "watch": Watch(watch),
        "fail_on": fail_on,
        "fail_on_branch": fail_on_branch,
    }
    if pages and len(upstreams) != 1:
        raise click.UsageError("--pages needs one --upstream")
    if pages or (len(upstreams) == 1 and not any(path.exists() for path in paths)):
        if at:
            raise click.UsageError("--at is about notes; pages are of the commit that is checked")
        report, notes = _checked_pages(
            paths, study_dir, upstreams[0], repo, pedantic=pedantic, **options
        )
    else:
        report, notes = _checked(paths, study_dir, upstreams, repo, at=at, **options)

    def write_table(file: Path | None) -> None:
        from annotator.report.notes import print_notes

        with result_console(file) as console:
            print_notes(console, report, language=lang, show_ok=show_ok)

    def write_json(file: Path | None) -> None:
        from annotator.report.notes import notes_json

        write_text(notes_json(report), file)

    def as_findings() -> "tuple[list[Finding], About]":
        from annotator.tasks.findings.noted import about_notes, notes_findings

        return notes_findings(report, notes), about_notes(report, lang)

    write_results(formats, output, {"table": write_table, "json": write_json}, as_findings)
    return report.exit_code


@command.command(
    "fix",
    epilog="""\b
Examples:
  annot notes fix notes/ --commit v0.33.0   shows what would change
  annot notes fix notes/ --commit v0.33.0 --write
  annot notes fix notes/ --write --pin-branches
      also links by branch, those without lines

\b
Rewritten are ref, path and line numbers of links whose place stands or has
moved; everything else stays byte for byte. Links to places that changed or
are gone, that are unsure or were skipped, and links to forks are left alone.

\b
Exit code 0 if there is nothing to write or it was written, 1 if there is.""",
)
@_shared
@click.option("--write", is_flag=True, help="Write the files, not only show the difference.")
@click.option(
    "--pin-branches", is_flag=True, help="Also rewrite links by branch, those without line numbers."
)
def fix(
    paths: tuple[Path, ...],
    commit: str,
    upstreams: tuple[str, ...],
    repo: Path | None,
    at: dict[str, str],
    write: bool,
    pin_branches: bool,
    study_dir: Path | None,
) -> int:
    """Rewrite links to source so that they cite another commit."""
    from annotator.report.style import printable
    from annotator.tasks.notes.fix import fixed_notes, unified_diff, write_fixed

    report, notes = _checked(
        paths, study_dir, upstreams, repo, ref=commit, at=at, pin_branches=pin_branches
    )
    for warning in report.warnings:
        click.echo(f"annot: {printable(warning)}", err=True)
    fixed = list(fixed_notes(report, notes))
    for one in fixed:
        click.echo(printable(unified_diff(one)))
        if write:
            write_fixed(one)
    links = sum(one.links for one in fixed)
    left = len(report.results) - links
    done = "rewritten" if write else "to rewrite (--write does it)"
    click.echo(f"{links} links in {len(fixed)} notes {done}; {left} places left alone", err=True)
    return 0 if write or not fixed else 1


def _checked(
    paths: tuple[Path, ...],
    study_dir: Path | None,
    upstreams: tuple[str, ...],
    repo: Path | None,
    **options: Any,
) -> "tuple[NotesReport, list[NoteFile]]":
    from annotator.model.failures import UserMistake
    from annotator.tasks.notes.check import check_notes
    from annotator.tasks.notes.files import find_notes
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    _, study = open_study(study_dir)
    chosen = chosen_upstreams(study, upstreams or study.upstreams)
    for name in options["at"]:
        chosen_upstreams(study, [name])
    for path in paths:
        if not path.exists():
            raise UserMistake(
                f"there is no {path}", hint="for pages of an upstream itself, give --upstream NAME"
            )
    notes = find_notes(paths, Path.cwd())
    with Workspace(cache_folder(), repo, study) as workspace, progress_bar("checking") as progress:
        return check_notes(workspace, chosen, notes, progress=progress, **options), notes


def _checked_pages(
    paths: tuple[Path, ...],
    study_dir: Path | None,
    upstream: str,
    repo: Path | None,
    **options: Any,
) -> "tuple[NotesReport, list[NoteFile]]":
    from annotator.tasks.notes.pages import check_pages
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    _, study = open_study(study_dir)
    chosen = chosen_upstreams(study, (upstream, *study.upstreams))
    given = [path.as_posix() for path in paths]
    with Workspace(cache_folder(), repo, study) as workspace, progress_bar("checking") as progress:
        return check_pages(workspace, upstream, chosen, given, progress=progress, **options)
