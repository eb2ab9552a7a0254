"""Where source of an upstream lies, and local repositories that are read where they are: no copy, always up to date."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from annotator.model.failures import UserMistake
from annotator.store.atomic_file import replace_file
from annotator.upstream.folders import cache_folder, clone_folder, releases_folder

if TYPE_CHECKING:  # an answer that stands opens no repository
    from annotator.upstream.repository import Repository

SourceKind = Literal["given", "clone", "local", "releases"]


def synced_folders(upstream: str) -> list[tuple[SourceKind, Path]]:
    """Where source of `upstream` can lie besides what the user gives, in the order of asking."""
    folders: list[tuple[SourceKind, Path]] = [("clone", clone_folder(upstream))]
    if in_place := place_of(upstream):
        folders.append(("local", in_place))
    return [*folders, ("releases", releases_folder(upstream))]


def place_of(upstream: str) -> Path | None:
    """The git folder of the local repository of `upstream`, if one was set and is still there."""
    try:
        path = Path(_file(upstream).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    return path if path.is_absolute() and path.is_dir() else None


def read_in_place(upstream: str, path: Path) -> "Repository":
    """Remembers that `upstream` is read from the repository at `path`; opens it.

    Nothing of the repository is copied or changed: its HEAD, branches and tags count as they are
    whenever they are read.

    Raises:
        UserMistake: if there is no repository, or it has no commit yet.
    """
    from annotator.upstream.repository import open_repository  # noqa: PLC0415

    repository = open_repository(path)
    try:
        repository.resolve("HEAD")
    except UserMistake as error:
        repository.close()
        raise UserMistake(f"{path} has no commit yet", hint="commit something first") from error
    file = _file(upstream)
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, str(repository.git_dir))
    return repository


def _file(upstream: str) -> Path:
    return cache_folder() / "sources" / upstream / "in-place"
