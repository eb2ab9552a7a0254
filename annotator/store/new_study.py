"""New files of a study: none is ever written over."""

import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from annotator.model.failures import UserMistake
from annotator.model.study import Question
from annotator.model.upstream import UpstreamsFile
from annotator.store.atomic_file import replace_file
from annotator.store.json_schema import write_schemas
from annotator.store.problems import shown
from annotator.store.study_entries import new_entry
from annotator.store.study_folder import STUDY_NAME, leaves_study
from annotator.store.validation import validate
from annotator.store.whole_change import FileChange, apply_together
from annotator.store.yaml_source import Loc, parse_yaml
from annotator.store.yaml_writer import yaml_text

_FIRST = "upstreams.yaml"
"""The file that makes a folder a study."""

_SCHEMA_LINE = "# yaml-language-server: $schema=schema/upstreams.schema.json\n"


class NewQuestion(NamedTuple):
    """A question that is to be written.

    Attributes:
        name: name of its file, without the number in front and the suffix.
        data: what it says, in the form of its file.
        above: comments above its keys.
    """

    name: str
    data: Mapping[str, Any]
    above: Mapping[Loc, str] = {}


def write_study(
    project: Path,
    upstreams: Mapping[str, Any],
    questions: list[NewQuestion],
    *,
    above: Mapping[Loc, str] | None = None,
    beside: Mapping[Loc, str] | None = None,
) -> list[Path]:
    """Writes a study into a project's folder; returns the new files, schemas left out.

    Args:
        project: the folder that `anchors/` comes into; made if it is not there.
        upstreams: what upstreams.yaml says.
        questions: the first questions.
        above: comments above keys of upstreams.yaml.
        beside: comments behind its values.

    Raises:
        UserMistake: if there is a study already, or a text cannot be written.
    """
    folder = project / STUDY_NAME
    refuse_study(project)
    text = _SCHEMA_LINE + yaml_text(upstreams, above=above, beside=beside)
    validate(UpstreamsFile, parse_yaml(text, shown(folder / _FIRST)))
    with _made_at_once(folder) as draft:
        new = [FileChange(_FIRST, None, text), *_new_questions(draft, questions)]
        apply_together(draft, new)
        write_schemas(draft)
    written = [folder / change.name for change in new]
    ignored = project / ".gitignore"
    if not ignored.exists():
        replace_file(ignored, "# made by annot site build\n/build/\n")
        written.append(ignored)
    return written


@contextmanager
def _made_at_once(folder: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `folder` at the end; nothing is left of it if that is not reached."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.new")
    draft.mkdir()
    try:
        yield draft
        if folder.is_dir():
            folder.rmdir()  # an empty one; a full one was refused
        draft.replace(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_questions(folder: Path, questions: list[NewQuestion]) -> list[Path]:
    """Writes new questions into the route of the study in `folder`, all or none; returns their files.

    Raises:
        UserMistake: if a file is there already or a text cannot be written.
        ProblemsFound: if a question is not valid.
    """
    new = _new_questions(folder, questions)
    apply_together(folder, new)
    return [folder / change.name for change in new]


def _new_questions(folder: Path, questions: list[NewQuestion]) -> list[FileChange]:
    found = []
    for question in questions:
        path = folder / "route" / f"{question.data['number']:02}-{question.name}.yaml"
        validate(Question, parse_yaml(yaml_text(question.data), shown(path)))
        found.append(new_entry(path, folder, "question", question.data, above=question.above))
    return found


def refuse_study(project: Path) -> None:
    """Refuses a folder that has a study already.

    Raises:
        UserMistake: if it has one, or its `anchors` is something else or a link out of it.
    """
    folder = project / STUDY_NAME
    if not folder.exists() and not folder.is_symlink():
        return
    if leaves_study(folder, project):
        raise UserMistake(f"{shown(folder)} is a link to a place outside {shown(project)}")
    if not folder.is_dir() or any(folder.iterdir()):
        raise UserMistake(
            f"{shown(folder)} is there already and not empty; nothing was written",
            hint="choose another folder, or add to that study with `annot add` or `annot import`",
        )
