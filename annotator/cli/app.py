"""The command `annot`: which commands there are, and how failures leave the process."""

import gc
import io
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import NoReturn

import click

from annotator.model.failures import AnnotError, Incomplete
from annotator.model.version import __version__

_COMMANDS: Mapping[str, str] = {
    "init": "Start a study of any git repository.",
    "check": "Find every anchor again on a commit and say what drifted.",
    "show": "Show the note and the code of a question or an anchor.",
    "list": "List the questions of the route, or the anchors of one.",
    "where": "Say what became of any place in the source.",
    "notes": "Check notes kept elsewhere, and mend their links to source.",
    "explain": "Say how the answer for an anchor came about.",
    "trace": "Follow one place commit by commit.",
    "bisect": "Name the first commit at which a place drifted.",
    "probe": "Run upstream's code and say whether it behaves as the notes say.",
    "map": "Show every anchor at every release at hand.",
    "site": "Build or serve the study as a web site.",
    "read": "Read the route in the terminal: notes beside the code.",
    "open": "Open an anchor in your editor, in your own clone.",
    "session": "Plan a reading session, close it, see how far the group is.",
    "export": "Write the notes as CodeTour files or W3C Web Annotations.",
    "record": "Write, check and compare experiment records.",
    "import": "Turn notes with links to source into a study.",
    "add": "Add an anchor for a position in your editor.",
    "sync": "Get or update the source of upstreams.",
    "review": "Walk through what drifted and decide about each place.",
    "accept": "Record that notes still stand although their places drifted.",
    "pin": "Move the pin of an upstream once nothing is left to review.",
    "lock": "Record what every anchor is at the pin.",
    "lint": "Check the anchor files alone.",
    "doctor": "Look at everything that a check needs, and say what mends it.",
    "schema": "Print the JSON Schemas of anchor files and of results.",
    "completion": "Print the completion script for a shell.",
}
_INTERRUPTED = 130
_GARBAGE = (100_000, 50, 100)
"""Most of what is made lives to the end: looking for garbage as often as Python does costs a tenth of a check."""


class _Commands(click.Group):
    """Loads a command's module only to run it, so that `--help` and completion stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Loads one command."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"annotator.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Start here:
  annot sync     get the upstream source (from git, or from a package index)
  annot check    every anchor against the newest commit
  annot show 6   question 6: notes, code, what changed

\b
Exit codes: 0 nothing to do, 1 drift, 2 a mistake in arguments or anchor
files, 3 the check is incomplete (source missing, a tool failed); 3 wins over
1.""",
)
@click.version_option(__version__, prog_name="annot")
def app() -> None:
    """Keep source-reading notes true.

    Notes point at files, functions and statements of an upstream project at one pinned commit. annot finds
    each of those places again on any other commit, and says what became of it and what a reader must read
    again. The study (a folder with anchors/ in it) is found upward from the working folder; without
    one, the study of vLLM, LMCache and Mooncake that comes with annot is used.
    """


def main() -> NoReturn:
    """Runs the command line and exits with its code."""
    gc.set_threshold(*_GARBAGE)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # paths may hold any bytes, terminals may not
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs the command line; returns the exit code."""
    try:
        result = app.main(arguments, prog_name="annot", standalone_mode=False)
    except AnnotError as error:
        from annotator.report.style import printable

        click.echo(f"annot: {printable(str(error))}", err=True)
        if error.hint:
            click.echo(f"  → {printable(error.hint)}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("annot: interrupted", err=True)
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; there is nobody to tell
        return 0
    except OSError as error:  # the disk is full, a folder is not ours to write
        click.echo(f"annot: {_shown(error)}", err=True)
        click.echo(
            "  → look at the free space and the permissions; nothing is half written", err=True
        )
        return Incomplete.exit_code
    except Exception:
        # Python's own exit code for this is 1, which would be taken for drift.
        import traceback

        traceback.print_exc()
        click.echo("annot: this is a fault of annot itself; please report it", err=True)
        return Incomplete.exit_code
    return result if isinstance(result, int) else 0


def _shown(error: OSError) -> str:
    """The file and what is wrong with it, in one line."""
    files = [str(file) for file in (error.filename, error.filename2) if file is not None]
    shown = " → ".join(files).encode("utf-8", "replace").decode("utf-8")
    return f"{shown}: {error.strerror}" if shown and error.strerror else str(error)
