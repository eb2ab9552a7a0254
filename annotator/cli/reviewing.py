"""What the commands of a review share: who decides, and what is left to decide."""

import datetime
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from annotator.cli.options import progress_bar
from annotator.model.failures import UserMistake

if TYPE_CHECKING:
    from annotator.model.study import Study
    from annotator.tasks.review.queue import Queue
    from annotator.tasks.workspace import Workspace

_F = TypeVar("_F", bound=Callable[..., Any])


def by_option(function: _F) -> _F:
    """`--by NAME`."""
    return click.option(
        "--by", metavar="NAME", help="Who decides.  [default: user.name of git's configuration]"
    )(function)


def reviewer(folder: Path, given: str | None) -> str:
    """Who decides: the name that was given, else the one that git knows.

    Raises:
        UserMistake: if there is none.
    """
    from annotator.upstream.git_program import try_git

    if given and given.strip():
        return given.strip()
    known = try_git(["config", "user.name"], folder=folder).stdout.decode("utf-8", "replace")
    if not known.strip():
        raise UserMistake(
            "nobody knows who decides",
            hint="give --by NAME, or set user.name: git config user.name",
        )
    return known.strip()


def today() -> str:
    """Today, as YYYY-MM-DD."""
    return datetime.date.today().isoformat()


def queue_of(
    workspace: "Workspace",
    folder: Path,
    study: "Study",
    upstreams: Collection[str],
    ref: str,
    *,
    only: Collection[str] = (),
    put_off: Collection[str] = (),
) -> "Queue":
    """What is left to review, with progress and warnings on standard error."""
    from annotator.store.lock_file import read_lock
    from annotator.tasks.review.queue import review_queue
    from annotator.tasks.workspace import chosen_upstreams

    chosen = chosen_upstreams(study, upstreams)
    locks = {name: lock for name in chosen if (lock := read_lock(folder, name))}
    with progress_bar("checking") as progress:
        queue = review_queue(
            workspace,
            study,
            chosen,
            locks,
            ref,
            only=only,
            put_off=put_off,
            progress=progress,
        )
    for warning in queue.warnings:
        click.echo(f"warning: {warning}", err=True)
    return queue
