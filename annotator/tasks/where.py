"""`annot where`: what became of any place, anchored or not."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from annotator.model.failures import AnnotError
from annotator.model.report import WhereAnswer
from annotator.model.resolution import Resolution
from annotator.model.target import Target, TargetError, check_path, parse_target
from annotator.model.words import Outcome, Watch
from annotator.outline.engine import HEADED, language_of
from annotator.tasks.workspace import Workspace


class Place(NamedTuple):
    """One line of a batch.

    Attributes:
        id: as given, none if absent.
        from_ref: ref that the target is read from.
        target: the place.
        to_ref: ref to find it at.
    """

    id: str | None
    from_ref: str
    target: Target
    to_ref: str


class BadPlace(NamedTuple):
    """A line of a batch that cannot be read, and why."""

    id: str | None
    reason: str


def where(
    workspace: Workspace, upstream: str, target: Target, from_ref: str, to_ref: str, watch: Watch
) -> Resolution:
    """Resolves one place between two refs.

    Raises:
        AnnotError: if a ref or its source is not at hand.
    """
    resolver = workspace.resolver(
        workspace.revision(upstream, from_ref), workspace.revision(upstream, to_ref)
    )
    return resolver.resolve(target, watch)


def where_batch(
    workspace: Workspace, upstream: str, lines: Iterable[str], watch: Watch
) -> Iterator[WhereAnswer]:
    """Answers many places, in the order of the lines.

    Places are resolved pair of refs by pair of refs, so that memory holds two trees at a time.
    """
    places = [read_place(line) for line in lines if line.strip()]
    answers: dict[int, WhereAnswer] = {}
    groups: dict[tuple[str, str], list[int]] = {}
    for index, place in enumerate(places):
        if isinstance(place, BadPlace):
            answers[index] = _failed(place.id, place.reason)
        else:
            groups.setdefault((place.from_ref, place.to_ref), []).append(index)
    for (from_ref, to_ref), indexes in groups.items():
        for index in indexes:
            place = places[index]
            assert isinstance(place, Place)  # noqa: S101 - groups hold no bad ones
            try:
                found = where(workspace, upstream, place.target, from_ref, to_ref, watch)
                answers[index] = flatten(found, place.id, place.target.symbol.endswith("#1"))
            except AnnotError as error:
                answers[index] = _failed(place.id, str(error))
        workspace.forget()
    return (answers[index] for index in range(len(places)))


def read_place(line: str) -> Place | BadPlace:
    """Reads one JSON line: `id, from_ref, from_path, from_symbol | from_start/from_end, to_ref`."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return BadPlace(None, f"no JSON: {error}")
    if not isinstance(row, dict):
        return BadPlace(None, "not a JSON object")
    id_ = str(row["id"]) if row.get("id") is not None else None
    missing = [
        key for key in ("from_ref", "from_path", "to_ref") if not isinstance(row.get(key), str)
    ]
    if missing:
        return BadPlace(id_, f"{', '.join(missing)} missing or no text")
    try:
        return Place(id_, row["from_ref"], _target_of(row), row["to_ref"])
    except (TargetError, TypeError, ValueError) as error:
        return BadPlace(id_, str(error))


def _target_of(row: Mapping[str, object]) -> Target:
    path = check_path(str(row["from_path"]))
    symbol = row.get("from_symbol")
    if symbol:
        return Target(path, str(symbol), heading=language_of(path) in HEADED)
    start = row.get("from_start")
    if start is None:
        return Target(path)
    end = row.get("from_end", start)
    return parse_target(f"{path}:{int(str(start))}-{int(str(end))}")


def flatten(resolution: Resolution, id_: str | None = None, numbered: bool = False) -> WhereAnswer:
    """A resolution in the flat form that batches and scripts read.

    Args:
        resolution: the answer.
        id_: id of the question.
        numbered: whether the question numbers the first of several as `name#1`; then the answer does.
    """
    new = resolution.new
    symbol = new.symbol if new else ""
    if numbered and symbol and "#" not in symbol:
        symbol += "#1"
    return WhereAnswer(
        id=id_,
        outcome=resolution.outcome,
        changes=tuple(change.kind.value for change in resolution.changes),
        path=new.path if new else "",
        symbol=symbol,
        start=new.start if new else 0,
        end=new.end if new else 0,
        confidence=resolution.confidence,
        candidates=resolution.candidates,
        successors=tuple(f"{place.path}::{place.symbol}" for place in resolution.successors),
        evidence=resolution.evidence,
        reason=resolution.reason,
    )


def _failed(id_: str | None, reason: str) -> WhereAnswer:
    return WhereAnswer(
        id=id_,
        outcome=Outcome.ERROR,
        changes=(),
        path="",
        symbol="",
        start=0,
        end=0,
        confidence=0.0,
        reason=reason,
    )
