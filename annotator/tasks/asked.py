"""What is to be traced: from words on the command line to a place in the source of an upstream."""

from typing import NamedTuple

from annotator.model.failures import UserMistake
from annotator.model.study_index import IndexedAnchor, StudyIndex
from annotator.model.target import Target, TargetError, parse_target
from annotator.tasks.selection import refuse_unknown, select_ids


class Asked(NamedTuple):
    """A place, before its source is looked at.

    Attributes:
        id: the anchor's id, or the target as written.
        upstream: name of the upstream.
        target: the place, as it is called where it is read.
        anchor: the anchor, if it is one's place: then it is called so at the pin.
    """

    id: str
    upstream: str
    target: Target
    anchor: IndexedAnchor | None = None


def asked_for(study: StudyIndex, what: str, upstream: str | None) -> Asked:
    """The place that a word on the command line means.

    Args:
        study: the study.
        what: id of an anchor, or a target.
        upstream: name of the upstream of a target; by default the study's first.

    Raises:
        UserMistake: if the target cannot be read, or the anchor or the upstream is unknown.
    """
    if "::" in what or "#" in what or "/" in what:
        name = upstream or next(iter(study.upstreams))
        refuse_unknown(study.upstreams, name)
        try:
            return Asked(what, name, parse_target(what))
        except TargetError as error:
            raise UserMistake(str(error)) from error
    owners = {id_: anchor.owner for id_, anchor in study.anchors.items()}
    ids = select_ids(study.questions, owners, what)
    if len(ids) != 1:
        raise UserMistake(f"{what} has {len(ids)} anchors", hint=f"name one of {', '.join(ids)}")
    anchor = study.anchors[ids[0]]
    return Asked(ids[0], anchor.upstream, anchor.place, anchor)
