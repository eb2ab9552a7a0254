"""Options that decide what makes a command fail."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from annotator.model.words import FailOn

_F = TypeVar("_F", bound=Callable[..., Any])
_NONE = "none"


def fail_on_option(default: str = FailOn.WARNING.value) -> Callable[[_F], _F]:
    """`--fail-on LIST`, given as a tuple of `FailOn`."""
    return click.option(
        "--fail-on",
        default=default,
        show_default=True,
        metavar="LIST",
        callback=_words,
        shell_complete=_known_words,
        help="What makes the exit code 1: outcomes, a severity (note, warning, error) and above, or none.",
    )


def debt_options(function: _F) -> _F:
    """`--debt FILE` and `--update-debt`."""
    function = click.option(
        "--update-debt",
        is_flag=True,
        help="Record in the --debt file what drifts now; make the file if there is none.",
    )(function)
    return click.option(
        "--debt",
        "debt_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Let the drift pass that is recorded in this file, until it changes again.",
    )(function)


def quiet_option(function: _F) -> _F:
    """`--quiet`."""
    return click.option(
        "--quiet", "-q", is_flag=True, help="Print only what fails or could not be checked."
    )(function)


def _words(ctx: click.Context, param: click.Parameter, value: str) -> tuple[FailOn, ...]:
    if value == _NONE:
        return ()
    words = [word.strip() for word in value.split(",")]
    known = {word.value: word for word in FailOn}
    unknown = [word for word in words if word not in known]
    if unknown:
        raise click.BadParameter(
            f"{', '.join(unknown)} is nothing to fail on; choose from {', '.join(known)}, or {_NONE}"
        )
    return tuple(known[word] for word in words)


def _known_words(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    before, comma, last = incomplete.rpartition(",")
    words = [word.value for word in FailOn] if comma else [*(w.value for w in FailOn), _NONE]
    return [CompletionItem(f"{before}{comma}{word}") for word in words if word.startswith(last)]
