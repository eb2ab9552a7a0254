"""From words on the command line to a history: which place, between which commits."""

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.history import History
from annotator.model.study import PlacedAnchor, Study
from annotator.model.target import Target, TargetError, parse_target
from annotator.model.words import Outcome, Watch
from annotator.tasks.selection import select
from annotator.tasks.trace import Traced, Tracing
from annotator.tasks.workspace import Revision, Workspace, chosen_upstreams


def trace_place(
    workspace: Workspace,
    study: Study,
    what: str,
    upstream: str | None,
    from_ref: str | None,
    to_ref: str,
) -> History:
    """The history of an anchor or of any place.

    Args:
        workspace: open sources.
        study: the study.
        what: id of an anchor, or a target as it is called at `from_ref`.
        upstream: name of the upstream of a target; by default the study's first.
        from_ref: where to begin; by default the pin, or its stand-in.
        to_ref: where to end.

    Raises:
        UserMistake: if the place is unknown or the refs are in the wrong order.
        Incomplete: if the commits between the two are not at hand.
    """
    if "::" in what or "#" in what or "/" in what:
        name = upstream or next(iter(study.upstreams))
        try:
            traced = Traced(what, parse_target(what))
        except TargetError as error:
            raise UserMistake(str(error)) from error
        start = _start(workspace, study, name, from_ref)
    else:
        anchors = select(study, what)
        if len(anchors) != 1:
            ids = ", ".join(placed.anchor.id for placed in anchors)
            raise UserMistake(f"{what} has {len(anchors)} anchors", hint=f"name one of {ids}")
        (placed,) = anchors
        name = placed.upstream
        start = _start(workspace, study, name, from_ref)
        traced = anchor_at(workspace, study, placed, start)
    chosen = chosen_upstreams(study, [name])[name]
    end = workspace.revision(name, to_ref)
    return Tracing(workspace, chosen, name, start, end).trace(traced)


def _start(workspace: Workspace, study: Study, name: str, from_ref: str | None) -> Revision:
    if from_ref is not None:
        return workspace.revision(name, from_ref)
    return workspace.baseline(name, chosen_upstreams(study, [name])[name])


def anchor_at(workspace: Workspace, study: Study, placed: PlacedAnchor, start: Revision) -> Traced:
    """What an anchor points at in another commit than the pin.

    Raises:
        UserMistake: if it is not there.
    """
    anchor = placed.anchor
    traced = Traced(anchor.id, anchor.place, anchor.watches, anchor.quote)
    try:
        base = workspace.baseline(placed.upstream, study.upstreams[placed.upstream])
    except AnnotError:
        return traced
    if base.commit == start.commit:
        return traced
    # Only the place is wanted; to compare its text there, libcst would have to be loaded.
    found = workspace.resolver(base, start).resolve(anchor.place, Watch.EXISTENCE)
    if found.new is None or found.outcome in {Outcome.GONE, Outcome.AMBIGUOUS}:
        raise UserMistake(
            f"{anchor.id} is not in {start.ref}: {found.reason or found.outcome.value}",
            hint="begin at a later commit",
        )
    heading = anchor.place.heading
    return traced._replace(target=Target(found.new.path, found.new.symbol, heading=heading))
