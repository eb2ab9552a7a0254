"""What is left to review: every anchor that drifted since its baseline, the most severe first."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from annotator.model.anchor import Anchor
from annotator.model.lock import Lock
from annotator.model.report import AnchorResult
from annotator.model.study import PlacedAnchor, Study
from annotator.model.upstream import Upstream
from annotator.model.words import DRIFT, WORST_FIRST, Outcome
from annotator.tasks.check import check
from annotator.tasks.progress import Progress
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.refs import is_full_id, spellings


class Pending(NamedTuple):
    """An anchor that somebody has to look at.

    Attributes:
        placed: the anchor.
        result: what became of it since its baseline.
    """

    placed: PlacedAnchor
    result: AnchorResult


class Queue(NamedTuple):
    """What a review has to go through.

    Attributes:
        pending: most severe first, within that in reading order; what was put off comes last.
        unchecked: anchors that could not be checked.
        results: every anchor checked, by id.
        warnings: what else there is to know.
    """

    pending: tuple[Pending, ...]
    unchecked: tuple[AnchorResult, ...]
    results: Mapping[str, AnchorResult]
    warnings: tuple[str, ...]


def review_queue(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    ref: str,
    *,
    only: Collection[str] = (),
    put_off: Collection[str] = (),
    progress: Progress = lambda what, done, total: None,
) -> Queue:
    """Checks anchors against what was last accepted of them, and lists those that drifted.

    Args:
        workspace: open sources.
        study: the study.
        upstreams: the upstreams to check.
        locks: what anchors were at the pin, by upstream.
        ref: commit to review, in each upstream.
        only: ids of the anchors to check; all of the upstreams' without any.
        put_off: ids of the anchors to show last.
        progress: told after each anchor.

    Raises:
        UserMistake: if `ref` is unknown.
        Incomplete: if the only upstream has no source at hand.
    """
    if only:
        chosen = tuple(placed for placed in study.anchors if placed.anchor.id in only)
        study = study.model_copy(update={"anchors": chosen})
    report = check(workspace, study, upstreams, locks, ref=ref, reviewed=True, progress=progress)
    placed = {item.anchor.id: item for item in study.anchors}
    drifted = [result for result in report.anchors if result.resolution.outcome in DRIFT]
    drifted.sort(
        key=lambda result: (result.id in put_off, WORST_FIRST.index(result.resolution.outcome))
    )
    return Queue(
        pending=tuple(Pending(placed[result.id], result) for result in drifted),
        unchecked=tuple(
            result
            for result in report.anchors
            if result.resolution.outcome in {Outcome.ERROR, Outcome.SKIPPED}
        ),
        results={result.id: result for result in report.anchors},
        warnings=report.warnings,
    )


def anchor_at_baseline(study: Study, pending: Pending) -> Anchor:
    """The anchor as it is at the commit that it was compared with: the pin's, or the last accepted one's."""
    anchor = pending.placed.anchor
    accepted = study.reviews.get(anchor.id)
    if accepted is None or accepted.ref != pending.result.baseline:
        return anchor
    return accepted.applied_to(anchor)


def lasting_ref(revision: Revision) -> str:
    """What names a commit for good: the tag that was asked for, else another tag of it, else its id.

    A branch and HEAD name something else tomorrow.
    """
    tags = revision.repository.tags()
    for ref in spellings(revision.ref):
        if tags.get(ref) == revision.commit:
            return ref
    return next((tag for tag, commit in tags.items() if commit == revision.commit), revision.commit)


def short_ref(ref: str) -> str:
    """A ref for people: a commit's id cut to a dozen digits."""
    return ref[:12] if is_full_id(ref) else ref
