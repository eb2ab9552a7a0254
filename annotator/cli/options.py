"""Options that several commands share, and what they stand for."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from annotator.store.study_folder import find_study

if TYPE_CHECKING:
    from rich.console import Console

    from annotator.model.study import Study
    from annotator.probes.runner import Runner

_F = TypeVar("_F", bound=Callable[..., Any])


def study_option(function: _F) -> _F:
    """`--study DIR`."""
    return click.option(
        "--study",
        "study_dir",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder that holds anchors/.  [default: found upward from here]",
    )(function)


def repo_option(function: _F) -> _F:
    """`--repo PATH`."""
    return click.option(
        "--repo",
        type=click.Path(exists=True, path_type=Path),
        help="Read this git repository, any clone of an upstream, before the synced source.",
    )(function)


def upstreams_option(function: _F) -> _F:
    """`--upstream NAME`, as often as wanted."""
    return click.option(
        "--upstream",
        "upstreams",
        metavar="NAME",
        multiple=True,
        shell_complete=_upstreams,
        help="Only this upstream; may be given several times.",
    )(function)


def upstream_option(function: _F) -> _F:
    """`--upstream NAME`, once."""
    return click.option(
        "--upstream", metavar="NAME", shell_complete=_upstreams, help="The upstream to look in."
    )(function)


def language_option(function: _F) -> _F:
    """`--lang zh|en`."""
    return click.option(
        "--lang",
        type=click.Choice(["zh", "en"]),
        default=default_language,
        envvar="ANNOT_LANG",
        help="Language of notes and titles.  [default: from the locale]",
    )(function)


def form_option(*forms: str) -> Callable[[_F], _F]:
    """`--format NAME`, given as `format_`.

    Args:
        forms: the names; the first is the default.
    """
    return click.option(
        "--format",
        "format_",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="How to show the result.",
    )


def cluster_option(function: _F) -> _F:
    """`--cluster ADDRESS`; the empty text for none."""
    return click.option(
        "--cluster",
        metavar="ADDRESS",
        default="",
        help="Let the workers of this Dask cluster do the work (extra `cluster`).",
    )(function)


def output_option(function: _F) -> _F:
    """`--output FILE`."""
    return click.option(
        "--output",
        "-o",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write to this file instead of the terminal.",
    )(function)


def probe_python_option(function: _F) -> _F:
    """`--python PATH`, as often as wanted."""
    return click.option(
        "--python",
        "pythons",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        multiple=True,
        help="Interpreter for probes; may be given several times, the first that fits is used.",
    )(function)


def engine_option(function: _F) -> _F:
    """`--engine auto|none|cpu|gpu`."""
    return click.option(
        "--engine",
        type=click.Choice(["auto", "none", "cpu", "gpu"]),
        default="auto",
        show_default=True,
        help="Whether probes that want compiled code are run, and on what.",
    )(function)


def open_runner(cache: Path, pythons: tuple[Path, ...], engine: str) -> "Runner":
    """Runs probes under the given interpreters, or those at hand."""
    from annotator.probes.environments import find_environments
    from annotator.probes.results import Results
    from annotator.probes.runner import Runner

    device = {"cpu": "cpu", "gpu": "cuda"}.get(engine, "auto")
    return Runner(find_environments(cache, pythons), Results(cache), device=device)


def default_language() -> str:
    """`zh` where the user's locale is Chinese, else `en`."""
    locale = next(
        (os.environ[k] for k in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(k)), ""
    )
    return "zh" if locale.lower().startswith("zh") else "en"


def open_study(study_dir: Path | None) -> "tuple[Path, Study]":
    """The study's folder and the study itself.

    Raises:
        UserMistake: if there is none, or its files are wrong.
    """
    from annotator.probes.known import probe_names
    from annotator.store.study_loader import load_study

    folder = find_study(study_dir).path
    return folder, load_study(folder, probe_names())


def write_text(text: str, output: Path | None) -> None:
    """Writes a result to a file or to standard output."""
    if output is None:
        click.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


@contextmanager
def result_console(output: Path | None) -> "Iterator[Console]":
    """A console that writes to a file or to standard output."""
    from rich.console import Console

    if output is None:
        yield Console(emoji=False)  # `:name:` in upstream's words is no picture
        return
    with output.open("w", encoding="utf-8", errors="backslashreplace") as file:
        yield Console(file=file, width=120, emoji=False)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """Shows progress on standard error while it is a terminal; else does nothing."""
    if not sys.stderr.isatty():
        yield lambda label, done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)

        def update(label: str, done: int, total: int) -> None:
            progress.update(
                task, description=f"{what} {label}", completed=done, total=total or None
            )

        yield update


def _upstreams(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    _, study = open_study(ctx.params.get("study_dir"))
    return [name for name in study.upstreams if name.startswith(incomplete)]


def anchors_and_questions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Completes ids of anchors and questions."""
    _, study = open_study(ctx.params.get("study_dir"))
    ids = [question.id for question in study.questions]
    ids += [resource.id for _, resource in study.resources]
    ids += [placed.anchor.id for placed in study.anchors]
    return [id_ for id_ in ids if id_.startswith(incomplete)]
