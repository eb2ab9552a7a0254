"""From a place that is asked for to its history: between which commits, and where the place is at the first."""

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.history import History
from annotator.model.study_index import IndexedAnchor, StudyIndex
from annotator.model.target import Target
from annotator.model.words import Outcome, Watch
from annotator.tasks.asked import Asked
from annotator.tasks.trace import Traced, Tracing
from annotator.tasks.workspace import Revision, Workspace


def trace_place(
    workspace: Workspace, study: StudyIndex, asked: Asked, from_ref: str | None, to_ref: str
) -> History:
    """The history of an anchor or of any place.

    Args:
        workspace: open sources.
        study: the study.
        asked: the place; a target is called so at `from_ref`.
        from_ref: where to begin; by default the pin, or its stand-in.
        to_ref: where to end.

    Raises:
        UserMistake: if the place is unknown or the refs are in the wrong order.
        Incomplete: if the commits between the two are not at hand.
    """
    name = asked.upstream
    refs = study.upstreams[name].refs
    if from_ref is None:
        start = workspace.first_of(name, refs)
    else:
        start = workspace.revision(name, from_ref)
    traced = Traced(asked.id, asked.target)
    if asked.anchor is not None:
        traced = _anchored(workspace, asked, asked.anchor, refs, start)
    end = workspace.revision(name, to_ref)
    return Tracing(workspace, study.upstreams[name], name, start, end).trace(traced)


def _anchored(
    workspace: Workspace,
    asked: Asked,
    anchor: IndexedAnchor,
    pinned: tuple[str, ...],
    start: Revision,
) -> Traced:
    """What an anchor points at in another commit than the pin.

    Raises:
        UserMistake: if it is not there.
    """
    traced = Traced(asked.id, asked.target, anchor.watches)
    if anchor.quote is not None:
        from annotator.model.anchor import Quote  # noqa: PLC0415 - loads pydantic

        said = anchor.quote
        traced = traced._replace(
            quote=Quote(exact=said.exact, prefix=said.prefix, suffix=said.suffix)
        )
    try:
        base = workspace.first_of(asked.upstream, pinned)
    except AnnotError:
        return traced
    if base.commit == start.commit:
        return traced
    # Only the place is wanted; to compare its text there, libcst would have to be loaded.
    found = workspace.resolver(base, start).resolve(asked.target, Watch.EXISTENCE)
    if found.new is None or found.outcome in {Outcome.GONE, Outcome.AMBIGUOUS}:
        raise UserMistake(
            f"{asked.id} is not in {start.ref}: {found.reason or found.outcome.value}",
            hint="begin at a later commit",
        )
    heading = asked.target.heading
    return traced._replace(target=Target(found.new.path, found.new.symbol, heading=heading))
