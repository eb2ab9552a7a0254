"""`--format NAME[=FILE]`: several results of one run at once, each on the terminal or in a file of its own."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.shell_completion import CompletionItem

from annotator.model.failures import UserMistake
from annotator.report.formats import FORMATS

if TYPE_CHECKING:
    from annotator.model.finding import About, Finding

_F = TypeVar("_F", bound=Callable[..., Any])
_SUMMARY = "summary"
_SUMMARY_FILE = "GITHUB_STEP_SUMMARY"

WriteOwn = Callable[[Path | None], None]
"""Writes a command's own format to a file, or to standard output."""


class Wanted(NamedTuple):
    """A result that was asked for.

    Attributes:
        format: name of the format.
        file: where it goes; none for standard output, or for a summary the job's summary.
    """

    format: str
    file: Path | None


class _FormatType(click.ParamType[Wanted]):
    name = "NAME[=FILE]"

    def __init__(self, own: tuple[str, ...]) -> None:
        self._names = (*own, *FORMATS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Wanted:
        if isinstance(value, Wanted):
            return value
        name, sign, file = str(value).partition("=")
        if name not in self._names:
            self.fail(f"{name!r} is none of {', '.join(self._names)}", param, ctx)
        if sign and not file:
            self.fail(f"{value!r} names no file behind the '='", param, ctx)
        return Wanted(name, Path(file) if file else None)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        name, sign, file = incomplete.partition("=")
        if sign:
            return [CompletionItem(incomplete if file else name, type="file")]
        return [
            CompletionItem(each, help=FORMATS[each].about if each in FORMATS else "")
            for each in self._names
            if each.startswith(name)
        ]


def format_option(*own: str) -> Callable[[_F], _F]:
    """`--format NAME[=FILE]`, as often as wanted, given as `formats`.

    Args:
        own: the command's own formats; the first is the default.
    """
    names = ", ".join((*own, *FORMATS))
    return click.option(
        "--format",
        "formats",
        type=_FormatType(own),
        multiple=True,
        default=(own[0],),
        show_default=True,
        metavar="NAME[=FILE]",
        callback=_checked,
        help=f"How to show the result: {names}. With FILE it is written there; may be given several times.",
    )


def _checked(
    ctx: click.Context, param: click.Parameter, value: tuple[Wanted, ...]
) -> tuple[Wanted, ...]:
    on_terminal = [each.format for each in value if each.file is None and each.format != _SUMMARY]
    if len(on_terminal) > 1:
        raise click.BadParameter(
            f"{' and '.join(on_terminal)} cannot share standard output; write {on_terminal[1]}=FILE"
        )
    files = [each.file for each in value if each.file]
    if len(set(files)) < len(files):
        raise click.BadParameter("two formats go into the same file")
    if Wanted(_SUMMARY, None) in value and not os.environ.get(_SUMMARY_FILE):
        raise click.BadParameter(f"there is no {_SUMMARY_FILE}; write {_SUMMARY}=FILE")
    return value


def write_results(
    formats: Sequence[Wanted],
    output: Path | None,
    own: Mapping[str, WriteOwn],
    findings: "Callable[[], tuple[Sequence[Finding], About]]",
) -> None:
    """Writes everything that was asked for.

    Args:
        formats: what was asked for.
        output: where the format without a file goes, instead of standard output.
        own: how the command's own formats are written.
        findings: the result as findings; called only if a format needs it, and once.

    Raises:
        UserMistake: if a file cannot be written.
    """
    rendered = cache(findings)
    for wanted in formats:
        file = wanted.file or (output if wanted.format != _SUMMARY else None)
        try:
            if wanted.format in own:
                own[wanted.format](file)
            else:
                _write(FORMATS[wanted.format].render(*rendered()), wanted.format, file)
        except OSError as error:
            raise UserMistake(f"{file} cannot be written: {error.strerror or error}") from error


def _write(text: str, format_: str, file: Path | None) -> None:
    from annotator.store.atomic_file import replace_file

    if file is None and format_ == _SUMMARY:
        # Steps of a job add to one file, each at its end.
        with open(os.environ[_SUMMARY_FILE], "a", encoding="utf-8") as summary:
            summary.write(text + "\n")
    elif file is None:
        click.echo(text)
    elif file.is_symlink() or (file.exists() and not file.is_file()):  # a pipe, a device
        with file.open("w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    else:
        replace_file(file, text + "\n")
