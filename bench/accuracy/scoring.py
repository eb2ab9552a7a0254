"""Compares answers with the truth and sums up."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from bench.accuracy.answers import Answer
from bench.accuracy.rows import Row

CONFIDENT = 0.9
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Lower ends of the calibration table's bins of confidence; the last one is certainty alone."""


class Scored(NamedTuple):
    """One row with its answer.

    Attributes:
        row: the truth.
        answer: the answer.
        location: whether the place is right.
        outcome: whether the outcome is right.
        changes: the answered kinds of change in the row's words; none if the tool tells no kinds.
    """

    row: Row
    answer: Answer
    location: bool
    outcome: bool
    changes: frozenset[str] | None

    @property
    def right(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.location and self.outcome and self.changes in {None, self.row.changes}


class Summary(NamedTuple):
    """A group of rows summed up; counts are weighted by how sure a row is, shares are 0 to 1.

    Attributes:
        rows: rows asked.
        location: share of right places.
        outcome: share of right outcomes.
        changes: share with exactly the right kinds of change; none from a tool that tells no kinds.
        precision: share of the answered kinds of change that are right.
        recall: share of the true kinds of change that were answered.
        confident: answers with a confidence of 0.9 or more, unweighted; none without confidences.
        confident_wrong: those of them whose place is wrong.
        ambiguous: answers that leave the choice to the reader, unweighted.
    """

    rows: float
    location: float
    outcome: float
    changes: float | None
    precision: float | None
    recall: float | None
    confident: int | None
    confident_wrong: int
    ambiguous: int


class Bin(NamedTuple):
    """Answers of about the same confidence.

    Attributes:
        low: lower end, inclusive.
        high: upper end, exclusive unless it is 1.
        rows: answers in it, unweighted.
        confidence: their mean confidence.
        location: weighted share of right places.
        outcome: weighted share of right outcomes.
    """

    low: float
    high: float
    rows: int
    confidence: float
    location: float
    outcome: float


def score(row: Row, answer: Answer) -> Scored:
    """Compares one answer with the truth.

    What is gone is found if the answer is `gone`; of what was split any part is a right place.
    """
    location = answer.place in row.places if row.places else answer.outcome == "gone"
    changes = None if answer.changes is None else row.comparable(answer.changes)
    return Scored(row, answer, location, answer.outcome == row.outcome, changes)


def summarize(group: Sequence[Scored]) -> Summary:
    """Sums up a group that is not empty."""
    told = [item for item in group if item.changes is not None]
    sure = [item for item in group if item.answer.confidence is not None]
    confident = [item for item in sure if (item.answer.confidence or 0) >= CONFIDENT]
    right = _weigh(told, lambda item: len((item.changes or frozenset()) & item.row.changes))
    answered = _weigh(told, lambda item: len(item.changes or ()))
    true = _weigh(told, lambda item: len(item.row.changes))
    return Summary(
        rows=_weigh(group, lambda _: 1),
        location=_share(group, lambda item: item.location),
        outcome=_share(group, lambda item: item.outcome),
        changes=_share(told, lambda item: item.changes == item.row.changes) if told else None,
        precision=right / answered if answered else None,
        recall=right / true if told and true else None,
        confident=len(confident) if sure else None,
        confident_wrong=sum(not item.location for item in confident),
        ambiguous=sum(item.answer.outcome == "ambiguous" for item in group),
    )


def calibration(group: Iterable[Scored]) -> list[Bin]:
    """How often answers of each degree of confidence are right; bins without answers are left out."""
    sure = [item for item in group if item.answer.confidence is not None]
    bins = []
    for low, high in zip(BINS, (*BINS[1:], 1.0), strict=True):
        inside = [
            item
            for item in sure
            if low <= (item.answer.confidence or 0) < high or low == item.answer.confidence
        ]
        if inside:
            mean = sum(item.answer.confidence or 0 for item in inside) / len(inside)
            location = _share(inside, lambda item: item.location)
            outcome = _share(inside, lambda item: item.outcome)
            bins.append(Bin(low, high, len(inside), mean, location, outcome))
    return bins


def _weigh(group: Iterable[Scored], count: Callable[[Scored], float]) -> float:
    return sum(item.row.weight * count(item) for item in group)


def _share(group: Sequence[Scored], is_right: Callable[[Scored], bool]) -> float:
    return _weigh(group, is_right) / _weigh(group, lambda _: 1)
