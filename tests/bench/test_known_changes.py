"""The known changes that `python -m bench.trace` checks."""

import re

import pytest

from annotator.model.target import parse_target
from annotator.model.words import ChangeKind
from bench.trace.cases import Case, Checked, KnownStep, read_cases


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.target)
def test_a_case_says_where_to_begin_and_what_to_find(case: Case) -> None:
    assert parse_target(case.target).symbol
    assert re.fullmatch(r"[0-9a-f]{40}(~\d+)?", case.start)
    assert all(step.kinds and step.says for step in case.steps)


@pytest.mark.parametrize(
    ("named", "verdict"),
    [
        (None, "not named"),
        ({ChangeKind.SIGNATURE}, "without body"),
        ({ChangeKind.SIGNATURE, ChangeKind.BODY, ChangeKind.COMMENTS}, "right"),
    ],
)
def test_a_step_is_right_if_the_pull_request_and_all_its_kinds_are_named(
    named: set[ChangeKind] | None, verdict: str
) -> None:
    step = KnownStep(
        pull_request=1, kinds=frozenset({ChangeKind.SIGNATURE, ChangeKind.BODY}), says="more"
    )
    case = Case.model_validate({"target": "a.py::f", "from": "0" * 40, "steps": [step]})

    assert Checked(case, step, None if named is None else frozenset(named)).verdict == verdict
