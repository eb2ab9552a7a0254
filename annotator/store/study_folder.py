"""Which study a command works on."""

import os
from pathlib import Path
from typing import Literal, NamedTuple

from annotator.model.failures import UserMistake

STUDY_NAME = "anchors"
"""Name of the folder that holds a study, in the project's folder."""

SHIPPED_NAME = "_study"
"""Name of the folder, inside the installed program, that holds the study which comes with it."""


class StudyFolder(NamedTuple):
    """A folder that holds a study's files.

    Attributes:
        path: the folder with upstreams.yaml in it.
        origin: whether the user named it, it was found around the working folder, or it is the
            study that came with the program.
    """

    path: Path
    origin: Literal["given", "found", "shipped"]


def find_study(given: Path | None = None, start: Path | None = None) -> StudyFolder:
    """Finds the study: the named one, else upward from `start` as git does, else the shipped one.

    Args:
        given: the study's folder, or the project's folder with `anchors` in it.
        start: where the search upward begins; the working folder by default.

    Raises:
        UserMistake: if `given` holds no study, or none is found anywhere.
    """
    if given is not None:
        for folder in (given / STUDY_NAME, given):
            if _is_study(folder):
                return StudyFolder(folder, "given")
        raise UserMistake(
            f"{given} holds no study: there is no {STUDY_NAME}/upstreams.yaml and no upstreams.yaml",
            hint="name the folder that contains anchors/, or make a study with `annot init`",
        )
    start = (start or Path.cwd()).absolute()
    for parent in (start, *start.parents):
        if _is_study(parent / STUDY_NAME):
            return StudyFolder(parent / STUDY_NAME, "found")
    import importlib.resources  # noqa: PLC0415 - slow to load, and most have a study of their own

    if shipped := shipped_study(importlib.resources.files("annotator")):
        return StudyFolder(shipped, "shipped")
    raise UserMistake(
        f"there is no study here: no {STUDY_NAME}/upstreams.yaml in {start} or above it",
        hint="go to a study's folder, name one with --study, or make one with `annot init`",
    )


def shipped_study(package: object) -> Path | None:
    """The study inside an installed `package`, or beside it where it runs from a source checkout."""
    if not isinstance(package, Path):  # imported from a zip archive: no folder to read
        return None
    for folder in (package / SHIPPED_NAME / STUDY_NAME, package.parent / STUDY_NAME):
        if _is_study(folder):
            return folder
    return None


def leaves_study(path: Path, folder: Path) -> bool:
    """Whether symbolic links lead from `path`, below the study's `folder`, out of that folder."""
    # Unlike Path.resolve, realpath does not fail on a link that leads to itself.
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _is_study(folder: Path) -> bool:
    return (folder / "upstreams.yaml").is_file()
