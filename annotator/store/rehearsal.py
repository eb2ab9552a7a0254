"""A copy of a study with changes made in it, to see that all is well before anything is written."""

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from annotator.store.problems import ProblemsFound, shown
from annotator.store.whole_change import FileChange, inside


@contextmanager
def rehearsed(folder: Path, changes: Iterable[FileChange]) -> Iterator[Path]:
    """The folder of a copy of the study in `folder` with `changes` made; it goes when the block ends.

    Raises:
        UserMistake: if a changed file lies behind a link out of the study.
        ProblemsFound: as the block raises it, with the files named as in the study itself.
    """
    with tempfile.TemporaryDirectory(prefix="annot-rehearsal-") as temporary:
        copy = Path(temporary).resolve() / folder.name
        shutil.copytree(folder, copy, symlinks=True)
        for change in changes:
            path = inside(copy, change.name)  # a folder may be a link back to the study itself
            path.unlink(missing_ok=True)  # a link is replaced, not written through
            if change.after is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(change.after.encode("utf-8"))
        try:
            yield copy
        except ProblemsFound as found:
            there, here = copy.as_posix(), shown(folder)
            raise ProblemsFound(
                problem._replace(file=problem.file.replace(there, here))
                for problem in found.problems
            ) from found
