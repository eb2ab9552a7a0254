"""`annot add`: an anchor for a position, as it would stand in a question's file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from annotator.model.anchor import Anchor
from annotator.model.failures import AnnotError, UserMistake
from annotator.model.study import Question, Study
from annotator.model.target import Target
from annotator.store.insertion import Insertion, with_entry
from annotator.store.yaml_source import read_yaml
from annotator.tasks.authoring.languages import language_of
from annotator.tasks.authoring.naming import anchor_id
from annotator.tasks.authoring.pointing import Pointed, point_at_baseline
from annotator.tasks.authoring.positions import Position, committed_position, is_clone_of
from annotator.tasks.lint.places import is_document
from annotator.tasks.workspace import Workspace, chosen_upstreams


class Found(NamedTuple):
    """A position at the baseline of its upstream.

    Attributes:
        upstream: name of the upstream.
        pointed: what is meant there.
        given: the position as it was given.
        label: the commit that it was given at, for people.
    """

    upstream: str
    pointed: Pointed
    given: Target
    label: str


class Addition(NamedTuple):
    """An anchor that is ready to be written.

    Attributes:
        anchor: the anchor.
        question: the question it belongs to.
        file: the question's file.
        insertion: the file with the anchor in it.
    """

    anchor: Anchor
    question: Question
    file: Path
    insertion: Insertion


def find_upstream(
    workspace: Workspace, study: Study, position: Position, wanted: str | None
) -> str:
    """The upstream that a position is in: the one that is asked for, or the only one that fits.

    Raises:
        UserMistake: if none or several fit.
    """
    if wanted is not None:
        return next(iter(chosen_upstreams(study, [wanted])))
    if len(study.upstreams) == 1:
        return next(iter(study.upstreams))
    fitting, cloned = [], []
    for name, upstream in study.upstreams.items():
        try:
            base = workspace.baseline(name, upstream)
        except AnnotError:
            continue
        if position.target.path in base.repository.tree(base.commit).files:
            fitting.append(name)
            if position.tree is not None and is_clone_of(position.tree, upstream):
                cloned.append(name)
    fitting = cloned or fitting
    if len(fitting) == 1:
        return fitting[0]
    raise UserMistake(
        f"which upstream is {position.target.path} of? {', '.join(fitting) or 'none has it'}",
        hint=f"name it with --upstream: {', '.join(study.upstreams)}",
    )


def find_position(
    workspace: Workspace, study: Study, name: str, position: Position, ref: str | None
) -> Found:
    """What a position means at the baseline.

    Args:
        workspace: open sources; with the position's own clone, if it is in one.
        study: the study.
        name: the upstream.
        position: the position.
        ref: the commit that it was given at; by default the clone's HEAD, or without a clone the baseline.

    Raises:
        UserMistake: if it is not there.
        Incomplete: if no source has the baseline.
    """
    base = workspace.baseline(name, study.upstreams[name])
    target, remark = position.target, ""
    if ref is not None:
        source = workspace.revision(name, ref)
    elif position.tree is not None:
        source = workspace.revision(name, "HEAD")
        target, remark = committed_position(workspace, source, position)
    else:
        source = base
    pointed = point_at_baseline(workspace, source, base, target)
    if remark:
        pointed = pointed._replace(remarks=(remark, *pointed.remarks))
    return Found(name, pointed, target, source.label)


def find_question(study: Study, wanted: str | None, found: Found) -> Question:
    """The question that an anchor goes into: by number or id, else the one that the file is read for most.

    Raises:
        UserMistake: if there is no such question, it is about another upstream, or none suggests itself.
    """
    ours = [q for q in study.questions if q.upstream == found.upstream]
    if wanted is not None:
        for question in study.questions:
            if wanted in {question.id, str(question.number)}:
                if question not in ours:
                    raise UserMistake(
                        f"question {wanted} is about {question.upstream}, not {found.upstream}"
                    )
                return question
        known = ", ".join(str(question.number) for question in ours)
        raise UserMistake(f"the route has no question {wanted!r}", hint=f"it has {known}")
    path = found.pointed.target.path
    counts = Counter(
        {
            question.id: sum(anchor.place.path == path for anchor in question.anchors)
            for question in ours
        }
    )
    best = counts.most_common(2)
    clear = len(best) == 1 or (len(best) == 2 and best[0][1] > best[1][1])
    if clear:
        return next(question for question in ours if question.id == best[0][0])
    near = [question for question in ours if counts[question.id]] or ours
    known = ", ".join(str(question.number) for question in near)
    raise UserMistake(
        "which question is it for?", hint=f"name it with --question: {known or 'there is none yet'}"
    )


def propose(
    folder: Path,
    study: Study,
    question: Question,
    found: Found,
    *,
    notes: Sequence[str],
    reason: str | None = None,
    id_: str | None = None,
) -> Addition:
    """The anchor for a position, in its place in the question's file; nothing is written.

    Args:
        folder: the study's folder.
        study: the study.
        question: the question it goes into.
        found: the position.
        notes: what to notice there, in one or both languages, which are told apart by their script.
        reason: why the place is in the study; by default where it was noted.
        id_: id of the anchor; by default one is made.

    Raises:
        UserMistake: if a text or the id cannot be used, or the question points there already.
    """
    taken = {placed.anchor.id for placed in study.anchors}
    if id_ is not None and id_ in taken:
        raise UserMistake(f"there is an anchor {id_!r} already")
    pointed = found.pointed
    for anchor in question.anchors:
        if (anchor.place, anchor.quote) == (pointed.target, pointed.quote):
            raise UserMistake(f"{anchor.id} points there already", hint="edit its note instead")
    id_ = id_ or anchor_id(question.id, pointed.target, pointed.quote, taken)
    data = anchor_data(id_, pointed, bilingual(notes))
    anchor = _valid(data)
    if not is_document(anchor):
        data["reason"] = (
            bilingual([reason]) if reason else provenance(str(found.given), found.label)
        )
        anchor = _valid(data)
    file = folder / study.where["question", question.id].file
    return Addition(anchor, question, file, with_entry(read_yaml(file), ("anchors",), data))


def anchor_data(id_: str, pointed: Pointed, note: dict[str, str]) -> dict[str, Any]:
    """An anchor in the form of its file, with its keys in the usual order."""
    data: dict[str, Any] = {"id": id_, "target": str(pointed.target)}
    if pointed.quote is not None:
        data["quote"] = pointed.quote.model_dump(exclude_defaults=True)
    if pointed.watch is not None:
        data["watch"] = pointed.watch.value
    return {**data, "note": note}


def bilingual(texts: Sequence[str]) -> dict[str, str]:
    """Texts by their language; two of one language become two paragraphs."""
    found: dict[str, str] = {}
    for text in texts:
        language = language_of(text)
        found[language] = f"{found[language]}\n\n{text}" if language in found else text
    return {language: found[language] for language in ("zh", "en") if language in found}


def provenance(place: str, label: str) -> dict[str, str]:
    """The reason of an anchor that nobody gave one: where it was noted."""
    return {"zh": f"记自 {label} 的 {place}。", "en": f"Noted at {place} of {label}."}


def _valid(data: dict[str, Any]) -> Anchor:
    try:
        return Anchor.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise UserMistake(f"{where}: {first['msg'].removeprefix('Value error, ')}") from error
