"""`annot open`: where an anchor is in the user's own clone, and the command that opens it there."""

import difflib
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from annotator.model.failures import Incomplete, UserMistake
from annotator.model.resolution import Resolution
from annotator.model.study import PlacedAnchor, Study
from annotator.outline.text import decode, split_lines
from annotator.tasks.views import resolved
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.git_program import try_git
from annotator.upstream.repository import Repository

_FILE_LIMIT = 32 << 20
_PLUS_LINE = frozenset(
    {"vi", "vim", "nvim", "gvim", "mvim", "nano", "emacs", "emacsclient", "kak", "joe"}
    | {"mg", "micro", "ne", "pico", "jed", "gedit", "kate"}
)
_GOTO = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_COLON_LINE = frozenset({"hx", "helix", "subl", "zed", "zeditor"})
_DASH_LINE = frozenset({"idea", "pycharm", "clion", "rustrover"})


class Location(NamedTuple):
    """A place in a working tree.

    Attributes:
        path: the file.
        line: 1-based.
        label: the commit that is checked out, for people.
        resolution: what became of the anchor at that commit.
    """

    path: Path
    line: int
    label: str
    resolution: Resolution


def work_tree(folder: Path) -> Path:
    """The root of the working tree around `folder`.

    Raises:
        UserMistake: if there is none, as in a bare clone.
    """
    done = try_git(["rev-parse", "--show-toplevel"], folder=folder)
    root = done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
    if done.returncode != 0 or not root:
        raise UserMistake(
            f"{folder} has no working tree to open files in",
            hint="name your clone with --repo, or go into it",
        )
    return Path(root)


def locate_in_clone(
    workspace: Workspace, study: Study, placed: PlacedAnchor, tree: Path, repository: Repository
) -> Location:
    """Where an anchor is in the working tree at `tree`, at the commit that is checked out.

    Lines are those of the file as it lies there: what is edited and not committed shifts them.

    Raises:
        UserMistake: if the anchor is not there, or not clearly.
        Incomplete: if the working tree has no such file, or no baseline is at hand.
    """
    head = Revision(repository, repository.resolve("HEAD"), "HEAD")
    resolution = resolved(workspace, study, placed, head)
    place = resolution.new
    if place is None:
        raise UserMistake(
            f"{placed.anchor.id} is {resolution.outcome.value} at {head.label}"
            + (f": {resolution.reason}" if resolution.reason else ""),
            hint=f"`annot explain {placed.anchor.id}` says why",
        )
    path = tree / place.path
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(tree)):
        raise UserMistake(f"{place.path} is a link out of the working tree {tree}")
    if not path.is_file():
        raise Incomplete(
            f"{place.path} is not in the working tree {tree}",
            hint="check it out there (a sparse checkout may leave it out)",
        )
    committed = repository.read_one(place.blob)
    line = place.start
    if path.stat().st_size <= _FILE_LIMIT:
        line = line_now(
            split_lines(decode(committed)), split_lines(decode(path.read_bytes())), line
        )
    return Location(path, line, head.label, resolution)


def line_now(committed: Sequence[str], edited: Sequence[str], line: int) -> int:
    """The number that a committed file's line has in the edited file; the nearest one if it is gone."""
    if committed == edited:
        return line
    matcher = difflib.SequenceMatcher(a=committed, b=edited, autojunk=False)
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if old_start <= line - 1 < old_end:
            found = min(new_start + (line - 1 - old_start), max(new_end - 1, new_start)) + 1
            return max(min(found, len(edited)), 1)
    return max(min(line, len(edited)), 1)


def editor_command(
    path: Path, line: int, *, chosen: str | None, environment: Mapping[str, str]
) -> list[str]:
    """The command that opens a file at a line: a list of arguments, never a shell's text.

    Args:
        path: the file.
        line: 1-based.
        chosen: the editor that the user named, with its own options.
        environment: where VISUAL and EDITOR are looked up.

    Raises:
        UserMistake: if no editor is named and VS Code is not installed, or it is not found.
    """
    named = chosen or environment.get("VISUAL") or environment.get("EDITOR")
    if not named:
        named = next((name for name in ("code", "codium") if shutil.which(name)), "")
    words = _words(named)
    if not words:
        raise UserMistake(
            "there is no editor to open it with", hint="set VISUAL or EDITOR, or give --editor"
        )
    program = shutil.which(words[0])
    if program is None:
        raise UserMistake(f"the editor {words[0]!r} is not installed")
    return [program, *words[1:], *_at_line(PurePath(words[0]).stem.lower(), str(path), line)]


def _words(command: str) -> list[str]:
    """An editor and its options; a path with backslashes or spaces in it stays whole where it is a file."""
    if Path(command).is_file():
        return [command]
    return [word.strip('"') for word in shlex.split(command, posix=os.name != "nt")]


def _at_line(program: str, path: str, line: int) -> list[str]:
    if program in _PLUS_LINE:
        return [f"+{line}", path]
    if program in _GOTO:
        return ["--goto", f"{path}:{line}"]
    if program in _COLON_LINE:
        return [f"{path}:{line}"]
    if program in _DASH_LINE:
        return ["--line", str(line), path]
    return [path]
