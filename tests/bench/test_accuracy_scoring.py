"""What counts as a right answer about a row of known truth."""

import pytest
from row_builder import a_row

from bench.accuracy.answers import Answer
from bench.accuracy.rows import Row
from bench.accuracy.scoring import Scored, calibration, score, summarize

SPLIT = {"successors": ("a.py::f", "a.py::g")}


def an_answer(
    outcome: str = "ok", place: str = "a.py::f", *changes: str, sure: float = 1.0
) -> Answer:
    return Answer(outcome, place, frozenset(changes), sure)


@pytest.mark.parametrize(
    ("kinds", "outcome"),
    [
        (["unchanged"], "ok"),
        (["moved-lines"], "ok"),
        (["format-or-comment-only"], "ok"),
        (["moved-and-renamed"], "moved"),
        (["moved-file", "format-or-comment-only"], "moved"),
        (["moved-file", "signature-changed"], "changed"),
        (["split", "renamed"], "changed"),
        (["deleted"], "gone"),
    ],
)
def test_the_outcome_of_a_row_follows_from_its_kinds(kinds: list[str], outcome: str) -> None:
    assert a_row(*kinds).outcome == outcome


@pytest.mark.parametrize(
    ("row", "answer", "location", "outcome"),
    [
        (a_row("unchanged"), an_answer(), True, True),
        (a_row("unchanged"), an_answer(place="b.py::f"), False, True),
        (a_row("renamed", to="a.py::g"), an_answer("moved", "a.py::g"), True, True),
        (a_row("renamed", to="a.py::g"), an_answer("gone", ""), False, False),
        (a_row("deleted", to=None), an_answer("gone", ""), True, True),
        (a_row("deleted", to=None), an_answer("moved", "b.py::f"), False, False),
        (a_row("split", **SPLIT), an_answer("changed", "a.py::g"), True, True),
        (a_row("split", **SPLIT), an_answer("changed", "a.py::h"), False, True),
        (a_row("unchanged"), an_answer("ambiguous"), True, False),
    ],
)
def test_places_and_outcomes(row: Row, answer: Answer, location: bool, outcome: bool) -> None:
    scored = score(row, answer)

    assert (scored.location, scored.outcome) == (location, outcome)


@pytest.mark.parametrize(
    ("kinds", "answered", "right"),
    [
        (["unchanged"], [], True),
        (["unchanged"], ["lines-shifted"], False),
        (["moved-lines"], ["lines-shifted"], True),
        (["moved-lines"], ["lines-shifted", "comments"], False),
        (["format-or-comment-only"], ["docstring", "lines-shifted"], True),
        (["body-changed"], ["body", "docstring", "lines-shifted"], True),
        (["body-changed"], ["value"], True),
        (["body-changed"], ["body", "signature"], False),
        (["signature-changed"], ["bases"], True),
        (["moved-and-renamed"], ["moved-file", "renamed", "lines-shifted"], True),
        (["moved-and-renamed"], ["moved-file"], False),
        (["moved-file"], ["moved-file", "re-exported"], True),
        (["deleted"], ["deleted", "body"], True),
    ],
)
def test_kinds_of_change(kinds: list[str], answered: list[str], right: bool) -> None:
    scored = score(a_row(*kinds), an_answer("ok", "a.py::f", *answered))

    assert (scored.changes == scored.row.changes) is right


def test_a_row_of_medium_confidence_counts_half() -> None:
    doubtful = score(a_row("body-changed", confidence="medium"), an_answer("ok", "b.py::f"))
    sure = score(a_row("body-changed"), an_answer("changed", "a.py::f", "body"))

    summary = summarize([doubtful, sure])

    assert (summary.rows, summary.location, summary.outcome) == (1.5, 2 / 3, 2 / 3)
    assert (summary.precision, summary.recall) == (1.0, 2 / 3)
    assert (summary.confident, summary.confident_wrong) == (2, 1)


def test_a_tool_that_tells_no_kinds_is_not_scored_on_them() -> None:
    summary = summarize([score(a_row("body-changed"), Answer("changed", "a.py::f"))])

    assert (summary.changes, summary.precision, summary.recall) == (None, None, None)
    assert summary.confident is None


def test_calibration_puts_answers_of_like_confidence_together() -> None:
    scored: list[Scored] = [
        score(a_row("unchanged"), an_answer(sure=0.9)),
        score(a_row("unchanged"), an_answer(place="b.py::f", sure=0.94)),
        score(a_row("unchanged"), an_answer(sure=0.999)),
        score(a_row("unchanged"), an_answer(sure=1.0)),
    ]

    bins = [(item.low, item.rows, item.location) for item in calibration(scored)]

    assert bins == [(0.9, 2, 0.5), (0.99, 1, 1.0), (1.0, 1, 1.0)]
