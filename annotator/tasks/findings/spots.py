"""Where things are written, as tools that know only the repository around the notes have to be told."""

import os
from pathlib import Path

from annotator.model.failures import UserMistake
from annotator.model.finding import Spot, Suggestion
from annotator.model.resolution import Place
from annotator.model.target import Target, TargetError, parse_target
from annotator.store.edit import anchor_loc, with_value
from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import Loc, YamlSource, read_yaml


def project_root(folder: Path) -> Path:
    """The root of the git repository that the study in `folder` is in; else the folder around it."""
    return git_root(folder) or Path(os.path.abspath(folder)).parent


def git_root(folder: Path) -> Path | None:
    """The root of the git repository that `folder` is in; none if it is in none."""
    folder = Path(os.path.abspath(folder))
    # A folder, or in worktrees and submodules a file.
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def spot_in(folder: Path, file: str, line: int) -> Spot:
    """A whole line of a file below `folder`."""
    folder = Path(os.path.abspath(folder))
    path = (folder / file).relative_to(project_root(folder)).as_posix()
    return Spot(file=path, line=line)


class Mending:
    """Corrections of targets in a study's files, each of which is read once.

    Args:
        folder: the study's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sources: dict[str, YamlSource | None] = {}

    def suggestion(self, file: str, anchor: str, new: Place) -> Suggestion | None:
        """The correction that makes an anchor's target `new`; none if its file has changed or is broken.

        Args:
            file: path below the study's folder.
            anchor: the anchor's id.
            new: where the place is now.
        """
        source = self._read(file)
        if source is None:
            return None
        try:
            loc: Loc = (*anchor_loc(source, anchor), "target")
            target = source.value_at(loc)
            if not isinstance(target, str):
                return None
            changed = with_value(source, loc, mended_target(target, new))
        except (UserMistake, TargetError):
            return None
        span, after = source.values[loc], changed.values[loc]
        lead = source.text[source.text.rfind("\n", 0, span.start) + 1 : span.start]
        old = source.text[span.start : span.end]
        if "\n" in old:
            return None
        spot = spot_in(self._folder, file, span.line)
        return Suggestion(
            spot=Spot(
                file=spot.file,
                line=span.line,
                column=span.column,
                end_line=span.line,
                end_column=span.column + len(old),
            ),
            lead=lead,
            old=old,
            new=changed.text[after.start : after.end],
        )

    def _read(self, file: str) -> YamlSource | None:
        if file not in self._sources:
            try:
                self._sources[file] = read_yaml(self._folder / file)
            except ProblemsFound:
                self._sources[file] = None
        return self._sources[file]


def mended_target(target: str, new: Place) -> str:
    """The target that means `new`, in the form in which `target` is written."""
    return str(Target(new.path, new.symbol, heading=parse_target(target).heading))
