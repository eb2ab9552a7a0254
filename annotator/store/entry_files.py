"""Sessions, records and experiments.yaml with where everything stands in them, to tell what is wrong where."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from annotator.model.experiment import ExperimentFile
from annotator.model.record import Record
from annotator.model.session import Session
from annotator.store.problems import Problem, ProblemsFound, shown
from annotator.store.study_entries import records_folder, sessions_folder
from annotator.store.study_files import StudyFile
from annotator.store.study_folder import leaves_study
from annotator.store.validation import Model, validate
from annotator.store.yaml_source import read_yaml


class EntryFiles(NamedTuple):
    """The valid files of a study that its group writes as it works.

    Attributes:
        sessions: sessions/*.yaml, by name.
        records: records/*.yaml, by name.
        experiments: experiments.yaml, if there is one.
        problems: what is wrong with the files that are not here.
    """

    sessions: list[StudyFile[Session]]
    records: list[StudyFile[Record]]
    experiments: StudyFile[ExperimentFile] | None
    problems: list[Problem]


def read_entry_files(folder: Path) -> EntryFiles:
    """Reads each of these files of the study in `folder`, also behind a broken one."""
    problems: list[Problem] = []

    def read(path: Path, model: type[Model]) -> Iterator[StudyFile[Model]]:
        if path.name.startswith("."):  # an editor's
            return
        if leaves_study(path, folder):
            message = "this is a link to a place outside the study"
            problems.append(Problem(shown(path), 1, 1, message, "put the file itself there"))
            return
        try:
            source = read_yaml(path)
            content = validate(model, source)
        except ProblemsFound as found:
            problems.extend(found.problems)
        else:
            yield StudyFile(path.relative_to(folder).as_posix(), source, content)

    def read_all(entries: Path, model: type[Model]) -> list[StudyFile[Model]]:
        return [file for path in sorted(entries.glob("*.yaml")) for file in read(path, model)]

    experiments = folder / "experiments.yaml"
    return EntryFiles(
        sessions=read_all(sessions_folder(folder), Session),
        records=read_all(records_folder(folder), Record),
        experiments=next(read(experiments, ExperimentFile), None)
        if experiments.is_file()
        else None,
        problems=problems,
    )
