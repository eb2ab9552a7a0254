"""What a reader of the old notes must know after the pin has moved: the data of the changelog."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from annotator.model.lock import Behaviour, Lock
from annotator.model.report import AnchorResult
from annotator.model.review import Accepted, Retired, ReviewFile
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.model.written import Bilingual
from annotator.tasks.check import check
from annotator.tasks.workspace import Revision, Workspace


class Entry(NamedTuple):
    """What became of one anchor.

    Attributes:
        anchor: its id.
        owner: id of its question or resource.
        old_target: its target under the old pin.
        new_target: its target under the new pin, empty if it was retired.
        accepted: what was accepted of it, oldest first.
        retired: how it was retired, if it was.
        note: what it said, for one that was retired.
        result: what became of it between the two pins, for one that was not.
    """

    anchor: str
    owner: str
    old_target: str
    new_target: str
    accepted: tuple[Accepted, ...]
    retired: Retired | None
    note: Bilingual | None
    result: AnchorResult | None


class BehaviourChange(NamedTuple):
    """An observation of a probe that differs between the two pins.

    Attributes:
        series: probe and reach.
        key: what was observed.
        old: what was seen, as text, empty if it was not seen.
        new: the same, now.
    """

    series: str
    key: str
    old: str
    new: str


class Owner(NamedTuple):
    """A question or resource.

    Attributes:
        id: its id.
        number: its place in the route, none for a resource.
        title: what it is about.
    """

    id: str
    number: int | None
    title: Bilingual


class Changelog(NamedTuple):
    """The move of one pin.

    Attributes:
        title: the upstream's name.
        date: when, as YYYY-MM-DD.
        old: the old baseline, for people.
        new: the new pin, for people.
        compare_link: web address that compares the two, empty without one.
        anchors: number of anchors of the upstream, after the move.
        owners: questions and resources with entries, in reading order.
        entries: what became of anchors, in reading order, those without news left out.
        behaviour: what probes see differently.
        behaviour_note: what is to be said about behaviour, may be empty.
        has_commits: whether upstream's own commits were at hand to name.
        old_pin: the old pin as it was written, comments included.
    """

    title: str
    date: str
    old: str
    new: str
    compare_link: str
    anchors: int
    owners: tuple[Owner, ...]
    entries: tuple[Entry, ...]
    behaviour: tuple[BehaviourChange, ...]
    behaviour_note: str
    has_commits: bool
    old_pin: str


def entries(
    workspace: Workspace,
    study: Study,
    name: str,
    upstream: Upstream,
    locks: Mapping[str, Lock],
    reviews: Iterable[ReviewFile],
    now: Revision,
    new_targets: Mapping[str, str],
) -> tuple[Entry, ...]:
    """What became of every anchor that was reviewed or retired, in reading order.

    Commits are named where upstream's own history is at hand; an imported release is none.

    Args:
        workspace: open sources.
        study: the study under the old pin.
        name: the upstream.
        upstream: its entry under the old pin.
        locks: what anchors were at the old pin.
        reviews: what was decided.
        now: the new pin.
        new_targets: targets under the new pin, by anchor.
    """
    decided = {review.anchor: review for review in reviews}
    kept = tuple(placed for placed in study.of_upstream(name) if placed.anchor.id in decided)
    results: dict[str, AnchorResult] = {}
    if kept:
        report = check(
            workspace,
            study.model_copy(update={"anchors": kept, "reviews": {}}),
            {name: upstream},
            locks,
            ref=now.ref,
            blame=has_commits(workspace, name, upstream, now),
        )
        results = {result.id: result for result in report.anchors}
    found = [
        Entry(
            anchor=placed.anchor.id,
            owner=placed.owner,
            old_target=placed.anchor.target,
            new_target=new_targets[placed.anchor.id],
            accepted=decided[placed.anchor.id].accepted,
            retired=None,
            note=None,
            result=results[placed.anchor.id],
        )
        for placed in kept
    ]
    found += [
        Entry(
            anchor=review.anchor,
            owner=review.retired.owner,
            old_target=review.retired.target,
            new_target="",
            accepted=review.accepted,
            retired=review.retired,
            note=review.retired.note,
            result=None,
        )
        for review in decided.values()
        if review.retired is not None
    ]
    order = [owner.id for owner in owners(study)]
    return tuple(
        sorted(found, key=lambda entry: order.index(entry.owner) if entry.owner in order else -1)
    )


def has_commits(workspace: Workspace, name: str, upstream: Upstream, now: Revision) -> bool:
    """Whether upstream's own commits between the old baseline and the new pin can be named."""
    base = workspace.baseline(name, upstream)
    same = base.repository.git_dir == now.repository.git_dir
    return same and not now.repository.is_release_import and not now.repository.is_shallow


def owners(study: Study) -> Iterator[Owner]:
    """Questions, then resources, in reading order."""
    for question in study.questions:
        yield Owner(question.id, question.number, question.title)
    for _, resource in study.resources:
        yield Owner(resource.id, None, resource.title)


def compare_link(web: str, old: Revision, new: Revision) -> str:
    """Web address that compares two commits, empty where the upstream has no web site."""
    return f"{web}/compare/{old.link_ref}...{new.link_ref}" if web else ""


def behaviour_changes(
    old: Mapping[str, Behaviour], new: Mapping[str, Behaviour]
) -> Iterator[BehaviourChange]:
    """What the same versions of probes, run the same way, see differently."""
    for series in sorted(old.keys() & new.keys()):
        before, after = old[series], new[series]
        if (before.version, before.tier) != (after.version, after.tier):
            continue
        for key in sorted(before.observations.keys() | after.observations.keys()):
            was, now = before.observations.get(key), after.observations.get(key)
            if was != now:
                yield BehaviourChange(series, key, _shown(was), _shown(now))


def _shown(value: object) -> str:
    return "" if value is None else str(value)
