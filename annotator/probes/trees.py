"""Lays out a commit's files for a child, from git objects."""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.version import InvalidVersion, Version

from annotator.model.failures import Incomplete
from annotator.model.target import TargetError, check_path
from annotator.probes.packages import Package
from annotator.upstream.repository import Oversize, Repository

_MOST_FILES = 50_000
_MOST_BYTES = 1 << 30


def files_under(repository: Repository, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Path → blob id of a commit's files that are, or lie below, one of `paths`.

    Raises:
        Incomplete: if there are none.
    """
    wanted = tuple(paths)
    folders = tuple(f"{path}/" for path in wanted)
    files = {
        path: blob
        for path, blob in repository.tree(commit).files.items()
        if path in wanted or path.startswith(folders)
    }
    if not files:
        raise Incomplete(f"commit {commit[:12]} has none of {', '.join(wanted)}")
    return files


def lay_out(repository: Repository, files: Mapping[str, str], folder: Path) -> None:
    """Writes files of a commit below a folder.

    Raises:
        Incomplete: if a path leads out of the folder, two paths are one on this system, or it is too much.
    """
    if len(files) > _MOST_FILES:
        raise Incomplete(f"{len(files)} files are too many to lay out")
    size = 0
    paths = list(files)
    contents = repository.read(files[path] for path in paths)
    for path, (_, content) in zip(paths, contents, strict=True):
        size += content.size if isinstance(content, Oversize) else len(content)
        if size > _MOST_BYTES:
            raise Incomplete(f"the files come to more than {_MOST_BYTES >> 20} MB")
        try:
            target = folder / check_path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(content)
        except (TargetError, OSError, ValueError) as error:
            raise Incomplete(f"{path!r} cannot be laid out here: {error}") from error


def version_of(label: str, commit: str) -> str:
    """The version to tell upstream: that of the tag, else one that stands for a development tree."""
    try:
        tagged = Version(label)
    except InvalidVersion:
        tagged = None
    if tagged is None or "." not in label:  # the short id of a commit may be all digits
        return f"0.0.0.dev0+g{commit[:9]}"
    return str(tagged)


def blob_id(content: bytes, length: int) -> str:
    """Git's id for a file, in the hash whose ids have `length` digits."""
    function = hashlib.sha1 if length == 40 else hashlib.sha256
    return function(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def make_up_version(folder: Path, package: Package, version: str, variant: str = "") -> None:
    """Writes what a build would have written: the version file, and what says the package is installed.

    Args:
        folder: root of the tree.
        package: the package.
        version: its version.
        variant: local part of the installed version, `cpu` say.
    """
    if package.version_file and not (folder / package.version_file).exists():
        release = tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])
        text = (
            f"__version__ = version = {version!r}\n"
            f"__version_tuple__ = version_tuple = {release!r}\n"
            "__commit_id__ = commit_id = None\n"
        )
        (folder / package.version_file).write_text(text, encoding="utf-8")
    if variant and "+" not in version:
        version += f"+{variant}"
    info = folder / f"{package.name}-{version}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")


def overlay_compiled(
    folder: Path, package: Package, installed: Path, compiled: Iterable[str]
) -> None:
    """Puts an installed package's compiled and generated files into a tree that lacks them."""
    wanted = set(compiled)
    for generated in package.generated:
        wanted |= {
            file.relative_to(installed).as_posix()
            for file in (installed / generated).rglob("*")
            if file.is_file() and file.suffix != ".pyc"
        }
    for name in sorted(wanted):
        target = folder / package.in_tree / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(installed / name, target)


def _link(source: Path, target: Path) -> None:
    try:
        os.symlink(source, target)
    except OSError:  # not allowed to everybody on every system
        shutil.copyfile(source, target)
