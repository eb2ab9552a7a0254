"""`annot check --watch`: checks again whenever a file of the study is saved, and prints what changed."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.model.failures import AnnotError, Incomplete
from annotator.store.problems import Problem, ProblemsFound, shown
from annotator.store.study_digest import study_digest
from annotator.tasks.lint import lint
from annotator.tasks.watching import Seen, broken, differences, seen

if TYPE_CHECKING:
    from watchfiles import Change

    from annotator.api import LoadedStudy
    from annotator.model.report import CheckReport

_SETTLES = 100
"""Milliseconds without a further change after which a save counts as done: editors save in steps."""

_NOW_AND_THEN = 2000
"""Milliseconds after which files are looked at without an event."""


def watch_check(
    opened: "LoadedStudy",
    report: "CheckReport",
    again: "Callable[[LoadedStudy], CheckReport]",
) -> int:
    """Goes on checking until Ctrl-C; returns the exit code of the last check.

    Args:
        opened: the study, as it was checked.
        report: the check of it, which is printed already.
        again: checks the study as it is then.

    Raises:
        Incomplete: if the library that watches files is not installed.
    """
    folder = opened.folder
    before = seen(report, lint(opened.study), shown(folder))
    for trouble in before.troubles:
        click.echo(str(trouble))
    click.echo(f"watching {shown(folder)}; Ctrl-C ends")
    known = dict(before.outcomes or {})
    code = report.exit_code
    with suppress(KeyboardInterrupt):
        for _ in _saves(folder):
            after, code = _look(folder, again)
            for line in differences(before, after, known):
                click.echo(f"{time.strftime('%H:%M:%S')}  {line}")
            before = after
            known = dict(known if after.outcomes is None else after.outcomes)
    return code


def _look(folder: Path, again: "Callable[[LoadedStudy], CheckReport]") -> tuple[Seen, int]:
    """The study as it is now, and the exit code of its check."""
    from annotator.api import load

    try:
        opened = load(folder)
        report = again(opened)
    except ProblemsFound as found:
        return broken(found.problems), found.exit_code
    except AnnotError as error:
        return broken((Problem(shown(folder), 1, 1, str(error), error.hint),)), error.exit_code
    return seen(report, lint(opened.study), shown(folder)), report.exit_code


def _saves(folder: Path) -> Iterator[None]:
    """Yields when files of the study in `folder` have become others: on events, and now and then."""
    try:
        from watchfiles import watch
    except ImportError as error:
        raise Incomplete(
            "the library that watches files is not installed", hint="pip install 'annot[watch]'"
        ) from error
    last = ""  # the first look tells what was saved since the check
    # A look on timeout is for folders where no events come, such as those of another machine.
    for _ in watch(
        folder,
        watch_filter=_counts,
        step=_SETTLES,
        rust_timeout=_NOW_AND_THEN,
        yield_on_timeout=True,
    ):
        with suppress(OSError):  # a file that is being replaced; its event comes
            now = study_digest(folder)
            if now != last:
                last = now
                yield


def _counts(change: "Change", path: str) -> bool:
    """Whether a change can matter; hidden files are drafts of editors and of annot itself."""
    file = Path(path)
    is_lock = file.suffix == ".json" and file.parent.name == "locks"
    return not file.name.startswith(".") and (file.suffix == ".yaml" or is_lock)
