"""`annot site`."""

import functools
import http.server
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from annotator.cli.options import open_study, progress_bar, repo_option, study_option

_INSTALL = "pip install 'annot[site]'"


@click.group(
    "site",
    epilog="""\b
Examples:
  annot site build               build/site/index.html needs no server
  annot site build --commit v0.33.0 --builder zensical
  annot site serve --port 8080   builds it, then serves it""",
)
def command() -> None:
    """Build or serve the study as a web site.

    Pages are written as Markdown and built with MkDocs (or Zensical). The result needs no server: it can be
    opened from a folder or a USB stick.
    """


_F = TypeVar("_F", bound=Callable[..., Any])


def _shared(function: _F) -> _F:
    for option in (
        study_option,
        repo_option,
        click.option(
            "--probes",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Results of `annot probe --format json` to show; else those that the locks recorded.",
        ),
        click.option(
            "--output",
            "-o",
            type=click.Path(file_okay=False, path_type=Path),
            default=Path("build"),
            show_default=True,
            help="Folder for the Markdown (pages/) and the site (site/).",
        ),
        click.option(
            "--builder",
            type=click.Choice(["mkdocs", "zensical", "none"]),
            default="mkdocs",
            show_default=True,
            help="What makes HTML of the Markdown; none writes the Markdown only.",
        ),
        click.option(
            "--commit",
            default="HEAD",
            show_default=True,
            metavar="REF",
            help="Commit, tag, branch or version to check against.",
        ),
    ):
        function = option(function)
    return function


@command.command("build")
@_shared
def build(
    commit: str,
    builder: str,
    output: Path,
    probes: Path | None,
    repo: Path | None,
    study_dir: Path | None,
) -> None:
    """Write the pages and build the site."""
    _build(commit, builder, output, probes, repo, study_dir)


@command.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to serve on.",
)
@_shared
def serve(
    port: int,
    commit: str,
    builder: str,
    output: Path,
    probes: Path | None,
    repo: Path | None,
    study_dir: Path | None,
) -> None:
    """Build the site and serve it on this machine only."""
    site = _build(commit, builder, output, probes, repo, study_dir)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        click.echo(f"http://127.0.0.1:{server.server_port}/  (Ctrl-C ends)")
        server.serve_forever()


def _build(
    commit: str,
    builder: str,
    output: Path,
    probes: Path | None,
    repo: Path | None,
    study_dir: Path | None,
) -> Path:
    from annotator.cli.app import app
    from annotator.model.failures import Incomplete
    from annotator.site_pages.behaviour import read_probe_report, recorded_runs
    from annotator.site_pages.group_work import last_closed, read_sessions
    from annotator.site_pages.site_folder import find_site_folder
    from annotator.store.lock_file import read_lock
    from annotator.tasks.site import gather
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    try:
        from annotator.site_pages.writer import write_pages
    except ModuleNotFoundError as error:
        raise Incomplete(f"the site needs {error.name}", hint=_INSTALL) from error
    began = time.monotonic()
    folder, study = open_study(study_dir)
    site = find_site_folder(folder.parent)
    chosen = chosen_upstreams(study)
    locks = {name: lock for name in chosen if (lock := read_lock(folder, name))}
    seen = read_probe_report(probes) if probes else recorded_runs(locks)
    last = last_closed(read_sessions(folder / "sessions"))
    with Workspace(cache_folder(), repo, study) as workspace, progress_bar("reading") as progress:
        material = gather(workspace, study, chosen, locks, ref=commit, last=last, progress=progress)
    for warning in material.report.warnings:
        click.echo(f"note: {warning}", err=True)
    built = (output / "site").absolute()
    configs = write_pages(material, site, folder, output.absolute(), seen, app)
    pages = sum(1 for _ in (output / "pages").rglob("*.md"))
    click.echo(f"{pages} pages written in {time.monotonic() - began:.1f} s", err=True)
    for config in configs if builder != "none" else ():
        _run_builder(builder, config)
    click.echo(f"{built if builder != 'none' else output / 'pages'}")
    return built


def _run_builder(builder: str, config: Path) -> None:
    """MkDocs and Zensical are programs of their own; both take the same configuration."""
    from annotator.model.failures import Incomplete

    wanted = ["--quiet", "--strict"] if builder == "mkdocs" else ["--clean"]
    try:
        subprocess.run(
            [sys.executable, "-m", builder, "build", "-f", str(config), *wanted],
            check=True,
            stdout=sys.stderr,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        )
    except subprocess.CalledProcessError as error:
        raise Incomplete(
            f"{builder} could not build {config}",
            hint=f"if it is not installed: {_INSTALL}",
        ) from error
