"""What the command line says of itself, taken apart for a page: usage, options, examples, exit codes."""

import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import click
from markupsafe import Markup

from annotator.site_pages.escaping import code_text


class OptionEntry(NamedTuple):
    """One option.

    Attributes:
        names: its names and what follows them.
        meaning: its help, with the default.
    """

    names: str
    meaning: str


class Remark(NamedTuple):
    """One block behind the options, such as the examples.

    Attributes:
        title: its heading, empty if it has none.
        lines: preformatted, empty if the block is a sentence.
        sentence: what it says, empty if it is preformatted.
    """

    title: str
    lines: Markup
    sentence: str


class CommandEntry(NamedTuple):
    """One command.

    Attributes:
        name: as it is typed.
        id: of its heading.
        depth: 0 for a command, 1 for a command of a command.
        summary: in the page's language.
        usage: what it takes.
        paragraphs: its description, the summary left out.
        options: its options.
        remarks: what stands behind them.
    """

    name: str
    id: str
    depth: int
    summary: str
    usage: str
    paragraphs: tuple[str, ...]
    options: tuple[OptionEntry, ...]
    remarks: tuple[Remark, ...]


def command_entries(program: click.Group, summaries: Mapping[str, str]) -> list[CommandEntry]:
    """Every command of a program, each group before its own.

    Args:
        program: the command line.
        summaries: by what follows the program's name, instead of the help's first sentence.
    """
    root = click.Context(program, info_name="annot", **program.context_settings)
    return list(_below(program, root, summaries, 0))


def _below(
    group: click.Group, parent: click.Context, summaries: Mapping[str, str], depth: int
) -> Iterator[CommandEntry]:
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        if command is None or command.hidden:
            continue
        context = click.Context(command, parent=parent, info_name=name)
        yield _entry(command, context, summaries, depth)
        if isinstance(command, click.Group):
            yield from _below(command, context, summaries, depth + 1)


def _entry(
    command: click.Command, context: click.Context, summaries: Mapping[str, str], depth: int
) -> CommandEntry:
    path = context.command_path
    first, *rest = inspect.cleandoc(command.help or "").split("\n\n")
    options = (each for each in command.get_params(context) if isinstance(each, click.Option))
    records = (each.get_help_record(context) for each in options)
    return CommandEntry(
        path,
        path.replace(" ", "-"),
        depth,
        summaries.get(path.partition(" ")[2], " ".join(first.split())),
        " ".join([path, *command.collect_usage_pieces(context)]),
        tuple(" ".join(part.split()) for part in rest),
        tuple(OptionEntry(*record) for record in records if record),
        tuple(_remarks(command.epilog or "")),
    )


def _remarks(epilog: str) -> Iterator[Remark]:
    for block in epilog.split("\b\n"):
        text = textwrap.dedent(block).strip("\n")
        head, _, body = text.partition("\n")
        if head.endswith(":") and body.startswith(" "):
            yield Remark(head, _preformatted(textwrap.dedent(body)), "")
        elif "   " in text:  # columns
            yield Remark("", _preformatted(text), "")
        elif text:
            yield Remark("", Markup(""), " ".join(text.split()))


def _preformatted(text: str) -> Markup:
    """Inside a `pre`, without an empty line that would end an HTML block of Markdown."""
    return Markup(code_text(text.strip("\n")).replace("\n", "&#10;"))  # noqa: S704 - escaped just now
