"""Brings source releases from the package index into the local repository of releases."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.bare_repository import locked
from annotator.upstream.package_index import PackageIndex, SourceArchive, open_index
from annotator.upstream.progress import ProgressCallback, silent
from annotator.upstream.release_choice import ReleaseChoice, choose, is_final
from annotator.upstream.release_import import BRANCH, Release, ReleaseRepository
from annotator.upstream.sdist import read_archive

_DOWNLOADS = "download-"


class ReleaseSync(NamedTuple):
    """What a sync of releases did.

    Attributes:
        present: all versions there are now, oldest first.
        fetched: those of them that are new.
        warnings: plain sentences on what the user should know.
    """

    present: tuple[str, ...]
    fetched: tuple[str, ...]
    warnings: tuple[str, ...]


def sync_releases(
    package: str,
    choice: ReleaseChoice,
    git_dir: Path,
    *,
    with_newest: bool = False,
    progress: ProgressCallback = silent,
) -> ReleaseSync:
    """Imports the chosen releases that are not there yet, then makes all of them visible at once.

    Args:
        package: name on the index.
        choice: which releases.
        git_dir: the repository, made if it is not there.
        with_newest: whether the newest final release belongs to the chosen ones.
        progress: told how far it is.

    Raises:
        UserMistake: if the index does not offer what was chosen.
        Incomplete: if something cannot be downloaded or stored. What was stored before is kept, out of
            sight, and need not be downloaded again.
    """
    with locked(git_dir):
        repository = ReleaseRepository(git_dir)
        repository.prepare(BRANCH)
        for leftover in git_dir.parent.glob(f"{_DOWNLOADS}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        have = repository.versions()
        fetched: list[str] = []
        warnings: list[str] = []
        named_ones_are_there = not choice.ranges and not with_newest
        if not named_ones_are_there or {str(v) for v in choice.exact} - set(have):
            with open_index() as index:
                for archive in _wanted(index, package, choice, with_newest=with_newest):
                    if archive.yanked is not None:
                        warnings.append(
                            f"{package} {archive.version} was withdrawn: {archive.yanked}"
                        )
                    if str(archive.version) in have:
                        continue
                    warnings += _import(index, package, archive, repository, progress)
                    fetched.append(str(archive.version))
        repository.publish()
        return ReleaseSync(tuple(repository.versions()), tuple(fetched), tuple(warnings))


def _wanted(
    index: PackageIndex, package: str, choice: ReleaseChoice, *, with_newest: bool
) -> Sequence[SourceArchive]:
    offered = {archive.version: archive for archive in index.archives(package)}
    yanked = [version for version, archive in offered.items() if archive.yanked is not None]
    wanted = set(choose(choice, offered, yanked, package))
    if with_newest:
        final = [v for v in offered if is_final(v) and v not in yanked]
        wanted.update(sorted(final)[-1:])
    if not wanted:
        raise UserMistake(f"{package} has no final source release on {index.address}")
    return [offered[version] for version in sorted(wanted)]


def _import(
    index: PackageIndex,
    package: str,
    archive: SourceArchive,
    repository: ReleaseRepository,
    progress: ProgressCallback,
) -> list[str]:
    release = Release(
        package, str(archive.version), archive.filename, archive.sha256, archive.uploaded
    )
    try:
        with tempfile.TemporaryDirectory(
            prefix=_DOWNLOADS, dir=repository.git_dir.parent
        ) as folder:
            file = index.download(archive, Path(folder), progress)
            imported = repository.add(release, read_archive(file), progress)
    except OSError as error:
        raise Incomplete(f"{package} {archive.version} could not be stored: {error}") from error
    if imported.links:
        return [f"{package} {archive.version}: {imported.links} links were left out"]
    return []
