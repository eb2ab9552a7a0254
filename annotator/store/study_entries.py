"""Files that commands write into a study and people go on editing: sessions, experiment records."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotator.model.experiment import ExperimentFile
from annotator.model.failures import UserMistake
from annotator.model.record import Record
from annotator.model.session import Session
from annotator.store.atomic_file import replace_file
from annotator.store.problems import Problem, ProblemsFound, did_you_mean, shown
from annotator.store.study_folder import SHIPPED_NAME, leaves_study
from annotator.store.validation import Model, validate
from annotator.store.whole_change import FileChange, apply_together
from annotator.store.yaml_source import Loc, parse_yaml, read_yaml
from annotator.store.yaml_writer import yaml_text

_SCHEMA_LINE = "# yaml-language-server: $schema=../schema/{kind}.schema.json\n"


def sessions_folder(folder: Path) -> Path:
    """Where the sessions of the study in `folder` lie, each a YAML file with its handout beside it."""
    return folder / "sessions"


def records_folder(folder: Path) -> Path:
    """Where the experiment records of the study in `folder` lie."""
    return folder / "records"


def read_experiments(folder: Path) -> ExperimentFile:
    """What the study in `folder` knows about its experiments; nothing if it has no experiments.yaml.

    Raises:
        ProblemsFound: if the file is wrong.
    """
    path = folder / "experiments.yaml"
    if not path.is_file():
        return ExperimentFile(schema=1, software={})
    return _read(path, folder, ExperimentFile)


def read_sessions(folder: Path) -> tuple[Session, ...]:
    """Every session of the study in `folder`, oldest first.

    Raises:
        ProblemsFound: with what is wrong in any of the files.
    """
    sessions = _read_all(sessions_folder(folder), folder, Session)
    return tuple(sorted(sessions.values(), key=lambda session: (session.date, session.id)))


def read_records(folder: Path) -> dict[str, Record]:
    """Every experiment record of the study in `folder`, by the name of its file.

    Raises:
        ProblemsFound: with what is wrong in any of the files.
    """
    return _read_all(records_folder(folder), folder, Record)


def read_record(folder: Path, name: str) -> Record:
    """One experiment record, by its name or by the path of a file anywhere.

    Raises:
        UserMistake: if there is none.
        ProblemsFound: if the file is wrong.
    """
    path = records_folder(folder) / f"{name}.yaml"
    if path.is_file():
        return _read(path, folder, Record)
    elsewhere = Path(name)
    if elsewhere.suffix == ".yaml" and elsewhere.is_file():
        return validate(Record, read_yaml(elsewhere))
    known = [path.stem for path in sorted(records_folder(folder).glob("*.yaml"))]
    raise UserMistake(
        f"there is no record {name!r} in {shown(records_folder(folder))}{did_you_mean(name, known)}",
        hint=f"there are: {', '.join(known)}" if known else "`annot record new NAME` makes one",
    )


def new_entry(
    path: Path,
    folder: Path,
    kind: str,
    data: Mapping[str, Any],
    *,
    above: Mapping[Loc, str] | None = None,
    beside: Mapping[Loc, str] | None = None,
) -> FileChange:
    """The change that makes a new file of the study in `folder`; see `yaml_text` for the comments.

    Args:
        path: the file, which must not be there yet.
        folder: the study's folder.
        kind: name of its schema.
        data: what it says.
        above: comments above keys.
        beside: comments behind values.

    Raises:
        UserMistake: if the file is there, or the study is not the user's own.
    """
    refuse_shipped(folder)
    if path.exists():
        raise UserMistake(f"{shown(path)} is there already", hint="choose another name, or edit it")
    if leaves_study(path.parent, folder):
        raise UserMistake(f"{shown(path.parent)} is a link to a place outside the study")
    text = _SCHEMA_LINE.format(kind=kind) + yaml_text(data, above=above, beside=beside)
    return FileChange(path.relative_to(folder).as_posix(), None, text)


def write_entry(
    path: Path,
    folder: Path,
    kind: str,
    data: Mapping[str, Any],
    *,
    above: Mapping[Loc, str] | None = None,
    beside: Mapping[Loc, str] | None = None,
) -> None:
    """Writes a new file of the study in `folder`; see `new_entry`.

    Raises:
        UserMistake: if the file is there, or the study is not the user's own.
    """
    apply_together(folder, [new_entry(path, folder, kind, data, above=above, beside=beside)])


def write_session(folder: Path, session: Session, handout: str) -> tuple[Path, Path]:
    """Writes a new session and its handout; returns where they are.

    Raises:
        UserMistake: if one of the two is there already, or the study is not the user's own.
    """
    path = sessions_folder(folder) / f"{session.id}.yaml"
    page = path.with_suffix(".md")
    if page.exists():
        raise UserMistake(f"{shown(page)} is there already", hint="it may hold minutes; move it")
    data = session.model_dump(by_alias=True, exclude_none=True)
    written = FileChange(page.relative_to(folder).as_posix(), None, handout)
    apply_together(folder, [new_entry(path, folder, "session", data), written])
    return path, page


def append_outcome(path: Path, outcome: Mapping[str, Any]) -> None:
    """Adds what came of a session at the end of its file; every byte of the rest stays.

    Raises:
        UserMistake: if the file says already what came of it.
        ProblemsFound: if the file is wrong.
    """
    source = read_yaml(path)
    session = validate(Session, source)
    if session.outcome is not None:
        raise UserMistake(
            f"session {session.id} was closed on {session.outcome.closed}",
            hint=f"edit {shown(path)} to correct it",
        )
    text = source.text.rstrip("\n") + "\n" + yaml_text({"outcome": outcome})
    validate(Session, parse_yaml(text, shown(path)))
    replace_file(path, text)


def refuse_shipped(folder: Path) -> None:
    """Refuses to write into the study that was installed with the program.

    Raises:
        UserMistake: if `folder` is that study.
    """
    if folder.parent.name == SHIPPED_NAME:
        raise UserMistake(
            "the study that was installed with annot is not yours to write into",
            hint="go to a study's folder, or name one with --study",
        )


def _read(path: Path, folder: Path, model: type[Model]) -> Model:
    if leaves_study(path, folder):
        raise UserMistake(f"{shown(path)} is a link to a place outside the study")
    return validate(model, read_yaml(path))


def _read_all(entries: Path, folder: Path, model: type[Model]) -> dict[str, Model]:
    found: dict[str, Model] = {}
    problems: list[Problem] = []
    for path in sorted(entries.glob("*.yaml")):
        if path.name.startswith("."):
            continue
        try:
            found[path.stem] = _read(path, folder, model)
        except ProblemsFound as wrong:
            problems += wrong.problems
    if problems:
        raise ProblemsFound(problems)
    return found
