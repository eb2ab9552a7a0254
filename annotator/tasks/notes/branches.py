"""Links by branch: whether what they show is there, as far as that can be known.

What such a link showed on the day the note was written is not known, so that nothing can be compared. But a path that is
not there any more is a broken link, and where it went can be found from the newest release that has it.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace
from packaging.version import InvalidVersion, Version

from annotator.model.mention import Mention
from annotator.model.resolution import Change, Place, Resolution
from annotator.model.target import Target
from annotator.model.words import ChangeKind, Outcome, Watch
from annotator.outline.text import count_lines
from annotator.tasks.notes.folders import resolve_folder
from annotator.tasks.notes.places import Paths
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.sources import Sources

Resolve = Callable[[Revision, Revision, Target, Watch], Resolution]

_MOST_TAGS = 80
"""Releases that are looked through for a path."""


def resolve_branch_link(
    workspace: Workspace,
    sources: Sources,
    path: str,
    mention: Mention,
    target: Revision,
    paths_of: Callable[[Revision], Paths],
    resolve: Resolve,
) -> tuple[Resolution, Revision]:
    """What a link by branch shows at the target.

    Args:
        workspace: open sources.
        sources: the repositories of the upstream.
        path: the path that it names.
        mention: the link.
        target: the commit to look at.
        paths_of: gives the files of a commit.
        resolve: finds a place of one commit in another.

    Returns:
        The answer, and the commit that the path was last seen at.
    """
    snapshot = workspace.snapshot(target.repository, target.commit)
    if path in snapshot.files:
        lines = mention.lines
        total = count_lines(snapshot.data(path)) if lines else 0
        first, last = lines or (0, 0)
        place = Place(path=path, symbol="", start=first, end=last, blob=snapshot.files[path])
        if lines and last > total:
            reason = f"{path} has {total} lines at {target.label}, not {last}"
            return Resolution(outcome=Outcome.CHANGED, old=place, new=None, reason=reason), target
        evidence = ("the path is there",)
        return Resolution(outcome=Outcome.OK, old=place, new=place, evidence=evidence), target
    if paths_of(target).has_folder(path):
        return resolve_folder(snapshot, snapshot, path), target
    releases = list(_releases(sources))
    for index, seen in enumerate(releases):
        paths = paths_of(seen)
        if path in paths.files:
            later = [*reversed(releases[:index]), target]
            return _followed(seen, later, path, paths_of, resolve), seen
        if paths.has_folder(path):
            old = workspace.snapshot(seen.repository, seen.commit)
            return resolve_folder(old, snapshot, path), seen
    reason = f"{path} is not in the tree of {target.label}, nor of any release at hand"
    return Resolution(outcome=Outcome.GONE, confidence=0.8, reason=reason), target


def _followed(
    seen: Revision,
    later: Sequence[Revision],
    path: str,
    paths_of: Callable[[Revision], Paths],
    resolve: Resolve,
) -> Resolution:
    """Where a file went, release by release, since small steps are surer than one leap.

    Args:
        seen: the newest release that has it.
        later: the newer releases, oldest first, and the target.
        path: the file.
        paths_of: gives the files of a commit.
        resolve: finds a place of one commit in another.
    """
    here, old, confidence = seen, None, 1.0
    evidence: list[str] = []
    for step in later:
        if path in paths_of(step).files and step is not later[-1]:
            here = step
            continue
        found = resolve(here, step, Target(path), Watch.EXISTENCE)
        old = old or found.old
        confidence = min(confidence, found.confidence)
        if found.new is None:
            return replace(found, old=old, evidence=(*evidence, *found.evidence))
        evidence += [line for line in found.evidence if found.new.path != path]
        here, path = step, found.new.path
    moved = old is not None and old.path != path
    detail = f"{old.path} → {path}" if old is not None else ""
    change = Change(kind=ChangeKind.MOVED_FILE, detail=detail)
    return replace(
        found,
        outcome=Outcome.MOVED if moved else Outcome.OK,
        changes=(change,) if moved else (),
        old=old,
        confidence=confidence,
        evidence=tuple(evidence),
    )


def _releases(sources: Sources) -> Iterator[Revision]:
    """The releases at hand, newest first."""
    releases: dict[Version, Revision] = {}
    for source in sources.describe():
        for tag, commit in source.repository.tags().items():
            try:
                version = Version(tag)
            except InvalidVersion:
                continue
            releases.setdefault(version, Revision(source.repository, commit, tag))
    for version in sorted(releases, reverse=True)[:_MOST_TAGS]:
        yield releases[version]
