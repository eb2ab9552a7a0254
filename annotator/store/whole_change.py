"""Several files of a study changed together: all of them or none, also where the machine stops halfway.

First every new text is written beside its file, then a journal that names them all, and only then are
files replaced. Without a journal nothing has happened; with one, whatever is left of the work can be finished
at any time, as often as it takes.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from annotator.model.failures import UserMistake
from annotator.store.problems import shown
from annotator.store.study_folder import leaves_study

JOURNAL = ".unfinished.json"
"""Name of the journal in the study's folder."""

_MEND = "take the study's files from git, and delete it"


class FileChange(NamedTuple):
    """One file of a study, before and after.

    Attributes:
        name: path below the study's folder, with forward slashes.
        before: its text when it was read, none if it was not there.
        after: its new text, none to delete it.
    """

    name: str
    before: str | None
    after: str | None


def file_change(folder: Path, name: str, after: str | None) -> FileChange:
    """A change of the file as it is now; a byte order mark stays."""
    path = folder / name
    before = _text(path) if path.is_file() else None
    if after is not None and before is not None and before.startswith("\ufeff"):
        after = "\ufeff" + after
    return FileChange(name, before, after)


def apply_together(folder: Path, changes: Iterable[FileChange]) -> None:
    """Makes all of `changes`, or none.

    Raises:
        UserMistake: if one of the files was changed by somebody else since it was read, or an earlier change
            was not finished; nothing is changed then.
        OSError: if the folder cannot be written. Before the journal is there nothing is changed; afterwards
            `finish` does the rest.
    """
    real = [change for change in changes if change.before != change.after]
    refuse_unfinished(folder)
    for change in real:
        path = inside(folder, change.name)
        if (_text(path) if path.is_file() else None) != change.before:
            raise UserMistake(
                f"{shown(path)} was changed in the meantime", hint="run the command again"
            )
    token = secrets.token_hex(4)
    drafts: list[Path] = []
    try:
        steps = []
        for change in real:
            path = folder / change.name
            draft = path.with_name(f".{path.name}.{token}.new")
            if change.after is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                drafts.append(draft)
                _write_through(draft, change.after)
                if path.is_file():
                    shutil.copymode(path, draft)
            steps.append({"file": change.name, "draft": token if change.after is not None else ""})
        begun = folder / f"{JOURNAL}.{token}.new"
        drafts.append(begun)
        _write_through(begun, json.dumps({"schema": 1, "steps": steps}, indent=2) + "\n")
        _claim(begun, folder)
    except BaseException:
        for draft in drafts:
            draft.unlink(missing_ok=True)
        raise
    finish(folder)


def is_unfinished(folder: Path) -> bool:
    """Whether a change of several files was interrupted in the study in `folder`."""
    return (folder / JOURNAL).is_file()


def refuse_unfinished(folder: Path) -> None:
    """Refuses to read or change a study that is half one thing and half another.

    Raises:
        UserMistake: if a change of several files was interrupted.
    """
    if is_unfinished(folder):
        raise UserMistake(
            f"{shown(folder)}: a change of several files was interrupted halfway",
            hint="`annot pin --finish` does the rest of it",
        )


def finish(folder: Path) -> tuple[str, ...]:
    """Does what is left of an interrupted change; returns the files it is about.

    Raises:
        UserMistake: if the journal is damaged, or speaks of files outside the study.
    """
    journal = folder / JOURNAL
    if not journal.is_file():
        return ()
    steps = _steps(journal)
    try:
        paths = [inside(folder, name) for name, _ in steps]
    except UserMistake as error:
        raise UserMistake(f"{shown(journal)} is damaged: {error}", hint=_MEND) from error
    for path, (_, token) in zip(paths, steps, strict=True):
        draft = path.with_name(f".{path.name}.{token}.new")
        if not token:
            path.unlink(missing_ok=True)
            _drop_empty_folder(path.parent, folder)
        elif draft.is_file():  # else it was put in place before the interruption
            os.replace(draft, path)
    for begun in folder.glob(f"{JOURNAL}.*.new"):
        begun.unlink(missing_ok=True)
    journal.unlink()
    return tuple(name for name, _ in steps)


def inside(folder: Path, name: str) -> Path:
    """The file of that name below `folder`; a study and a journal may come from strangers.

    Raises:
        UserMistake: if its folder lies elsewhere, or is a link to elsewhere, or no file can have that name.
    """
    parts = PurePosixPath(name)
    path = folder / parts
    if not _can_be_file(path):
        raise UserMistake(f"{name[:100]!r} cannot be a file of the study")
    if parts.is_absolute() or ".." in parts.parts or leaves_study(path.parent, folder):
        raise UserMistake(f"{name!r} leads out of the study")
    return path


def _can_be_file(path: Path) -> bool:
    """Whether a file, and the draft of one, can have that name; a name may hold a NUL or be too long."""
    try:
        path.with_name(f".{path.name}.{'0' * 8}.new").lstat()
        return not path.is_dir()
    except FileNotFoundError:
        return not path.is_dir()
    except (OSError, ValueError):
        return False


def _claim(begun: Path, folder: Path) -> None:
    """Makes `begun` the journal, unless there is one: of two commands at once, one has to run again."""
    try:
        os.link(begun, folder / JOURNAL)
    except FileExistsError as error:
        raise UserMistake(
            f"{shown(folder)}: another command is changing the study at this moment",
            hint="run the command again; if nothing else runs, `annot pin --finish` ends an interruption",
        ) from error
    except OSError:  # a file system without hard links
        os.replace(begun, folder / JOURNAL)


def _steps(journal: Path) -> Sequence[tuple[str, str]]:
    try:
        data: Any = json.loads(journal.read_text(encoding="utf-8"))
        if data["schema"] != 1:
            raise ValueError(data["schema"])
        steps = [(str(step["file"]), str(step["draft"])) for step in data["steps"]]
        if not all(token == "" or (token.isalnum() and len(token) == 8) for _, token in steps):
            raise ValueError("draft")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserMistake(f"{shown(journal)} is damaged", hint=_MEND) from error
    return steps


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _write_through(path: Path, text: str) -> None:
    """Writes a file to the disk itself: a journal must not be there before what it speaks of."""
    with path.open("wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _drop_empty_folder(folder: Path, study: Path) -> None:
    if folder != study and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
