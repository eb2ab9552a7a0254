"""Brings an upstream's source onto this machine, from its git host or from a package index."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from packaging.version import InvalidVersion, Version

from annotator.model.failures import Incomplete, UserMistake
from annotator.model.upstream import Upstream
from annotator.upstream.addresses import without_password
from annotator.upstream.folders import clone_folder, releases_folder
from annotator.upstream.in_place import read_in_place
from annotator.upstream.progress import ProgressCallback, silent
from annotator.upstream.release_choice import ReleaseChoice, choose, parse_releases
from annotator.upstream.release_sync import sync_releases
from annotator.upstream.repository import open_repository

Origin = Literal["auto", "git", "pypi"]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did.

    Attributes:
        upstream: name of the upstream.
        origin: where the source came from, `git` or `pypi`.
        folder: the local repository.
        head: full id of its HEAD.
        present: what can be checked there now: tags, then commits that were fetched by id.
        fetched: what is new or has moved.
        warnings: plain sentences on what the user should know.
    """

    upstream: str
    origin: Literal["git", "pypi"]
    folder: Path
    head: str
    present: tuple[str, ...]
    fetched: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def sync_upstream(
    name: str,
    upstream: Upstream,
    *,
    origin: Origin = "auto",
    releases: str | None = None,
    history: bool = False,
    progress: ProgressCallback = silent,
) -> SyncReport:
    """Makes or updates the local repository of one upstream.

    Args:
        name: the upstream's name, which names the folder in the cache.
        upstream: what the study says about it.
        origin: `git` for its git host (a path on this machine is read in place), `pypi` for the package
            index, `auto` for the host and, where that does not answer, the index.
        releases: which releases, see `parse_releases`; by default those the study needs.
        history: whether to fetch the history too (git host only).
        progress: told how far it is.

    Raises:
        UserMistake: if the arguments or the upstream's addresses are wrong, or a local repository has no
            commit yet.
        Incomplete: if the source cannot be had. What was there before is untouched.
    """
    choice = parse_releases(releases) if releases else None
    if origin == "pypi":
        return _from_index(name, upstream, choice, progress, [])
    if Path(upstream.git).is_absolute():
        return _in_place(name, upstream)
    try:
        return _from_git(name, upstream, choice, progress, history=history)
    except Incomplete as error:
        if origin == "git" or not upstream.package:
            raise
        reason = f"no clone, so releases were taken from the package index ({error})"
        return _from_index(name, upstream, choice, progress, [reason])


def _from_index(
    name: str,
    upstream: Upstream,
    choice: ReleaseChoice | None,
    progress: ProgressCallback,
    warnings: list[str],
) -> SyncReport:
    if not upstream.package:
        raise UserMistake(
            f"upstream {name!r} has no source releases on a package index",
            hint="use --from git, or give its package in upstreams.yaml",
        )
    folder = releases_folder(name)
    pin = upstream.pin
    named = (*upstream.releases, *(pin.bracket or ()), *pin.refs)
    done = sync_releases(
        upstream.package,
        choice or ReleaseChoice(exact=tuple(_versions(named))),
        folder,
        with_newest=choice is None,
        progress=progress,
    )
    with open_repository(folder, search_upward=False) as repository:
        head = repository.head
    return SyncReport(
        upstream=name,
        origin="pypi",
        folder=folder,
        head=head,
        present=tuple(f"v{version}" for version in done.present),
        fetched=tuple(f"v{version}" for version in done.fetched),
        warnings=(*warnings, *done.warnings),
    )


def _in_place(name: str, upstream: Upstream) -> SyncReport:
    """A repository on this machine is not copied: partial ones could not be, and it would get old."""
    with read_in_place(name, Path(upstream.git)) as repository:
        return SyncReport(
            upstream=name,
            origin="git",
            folder=repository.git_dir,
            head=repository.head,
            present=tuple(repository.tags()),
            fetched=(),
        )


def _from_git(
    name: str,
    upstream: Upstream,
    choice: ReleaseChoice | None,
    progress: ProgressCallback,
    *,
    history: bool,
) -> SyncReport:
    # Imported here: GitPython takes 130 ms, and an import from the package index does without.
    from annotator.upstream.clone import remote_refs, update_clone  # noqa: PLC0415

    folder = clone_folder(name)
    pin = upstream.pin
    host = without_password(upstream.git)
    offered = remote_refs(upstream.git)
    if upstream.branch not in offered.branches:
        raise UserMistake(
            f"{host} has no branch {upstream.branch!r}",
            hint="correct `branch` in upstreams.yaml",
        )
    wanted = [pin.release] if pin.release else []
    if choice:
        wanted += _chosen_tags(choice, offered.tags, name)
    warnings = [f"{host} has no tag {tag}" for tag in wanted if tag not in offered.tags]

    def update(
        tags: Iterable[str], commits: Iterable[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return update_clone(
            upstream.git,
            folder,
            branch=upstream.branch,
            tags=sorted(set(tags) & set(offered.tags)),
            commits=commits,
            history=history,
            progress=progress,
        )

    fetched, refused = update(wanted, [pin.commit] if pin.commit else [])
    if refused:
        neighbours = [tag for tag in (*(pin.bracket or ()), pin.stand_in) if tag]
        warnings.append(
            f"{host} does not give the pinned commit {pin.commit}; "
            f"fetched the releases next to it instead: {', '.join(neighbours) or 'none are named'}"
        )
        if neighbours:
            fetched += update([*wanted, *neighbours], [])[0]
    with open_repository(folder, search_upward=False) as repository:
        head, tags = repository.head, tuple(repository.tags())
        pins = (pin.commit,) if pin.commit and not refused else ()
    return SyncReport(name, "git", folder, head, (*tags, *pins), fetched, tuple(warnings))


def _chosen_tags(choice: ReleaseChoice, tags: Iterable[str], name: str) -> list[str]:
    by_version = {version: tag for tag in tags for version in _versions([tag])}
    return [by_version[version] for version in choose(choice, by_version, (), name)]


def _versions(refs: Iterable[str]) -> list[Version]:
    """Those of `refs` that are versions; commit ids are not."""
    found = []
    for ref in refs:
        if "." in ref:
            with suppress(InvalidVersion):
                found.append(Version(ref))
    return found
