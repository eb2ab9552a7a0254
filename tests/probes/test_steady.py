"""Parts that are run again when they refute."""

from collections.abc import Sequence

import pytest

from annotator.probes.contract import CannotAdapt, Context
from annotator.probes.steady import steadily

OK, NO, NONE, FAILS = "confirmed", "refuted", "not-applicable", "fails"


class Part:
    """A part that does one thing the first time it is run, another the second time, and so on."""

    def __init__(self, *attempts: dict[str, str] | str) -> None:
        self.attempts = attempts
        self.run = 0

    def __call__(self, context: Context) -> None:
        attempt = self.attempts[self.run]
        self.run += 1
        context.saw("attempt", self.run)
        if isinstance(attempt, str):
            raise TimeoutError("no answer")
        for check, verdict in attempt.items():
            if verdict == NONE:
                context.not_applicable(check, f"run {self.run}")
            else:
                context.verdict(check, verdict == OK, f"run {self.run}")


def context_() -> Context:
    return Context("engine", "cpu", 0, "unused")


@pytest.mark.parametrize(
    ("attempts", "expected", "runs"),
    [
        pytest.param([{"a": OK, "b": OK}], {"a": OK, "b": OK}, 1, id="all well"),
        pytest.param([{"a": NO}] * 3, {"a": NO}, 3, id="refuted every time"),
        pytest.param([{"a": NO}, {"a": OK}], {"a": OK}, 2, id="refuted once"),
        pytest.param(
            [{"a": NO, "b": OK}, {"a": OK, "b": NO}, {"a": OK, "b": OK}],
            {"a": OK, "b": OK},
            3,
            id="by turns",
        ),
        pytest.param([{"a": NO, "b": OK}] * 3, {"a": NO, "b": OK}, 3, id="one refuted every time"),
        pytest.param([{"a": NONE}], {"a": NONE}, 1, id="no case"),
        pytest.param([FAILS, {"a": OK}], {"a": OK}, 2, id="failed once"),
        pytest.param([FAILS, {"a": NO}, {"a": NO}], {"a": NO}, 3, id="failed, then refuted"),
    ],
)
def test_a_check_is_refuted_if_every_attempt_refutes_it(
    attempts: Sequence[dict[str, str] | str], expected: dict[str, str], runs: int
) -> None:
    context, part = context_(), Part(*attempts)
    steadily(context, part)
    assert {check: verdict for check, (verdict, _) in context.verdicts.items()} == expected
    assert part.run == runs
    assert context.observations == {"attempt": runs}


def test_what_was_refuted_once_is_told() -> None:
    context = context_()
    steadily(context, Part(FAILS, {"a": NO}, {"a": OK}))
    assert context.adaptations == [
        "run again after TimeoutError: no answer",
        "a was refuted once and not again: run 2",
    ]


def test_what_fails_every_time_fails() -> None:
    part = Part(FAILS, FAILS, FAILS)
    with pytest.raises(TimeoutError, match="no answer"):
        steadily(context_(), part)
    assert part.run == 3


def test_what_does_not_fit_this_version_is_not_tried_again() -> None:
    runs = []

    def part(context: Context) -> None:
        runs.append(context)
        raise CannotAdapt("no such class")

    with pytest.raises(CannotAdapt):
        steadily(context_(), part)
    assert len(runs) == 1


def test_an_earlier_part_keeps_its_refutation() -> None:
    context = context_()
    context.verdict("a", False, "seen before")
    steadily(context, Part({"b": OK}))
    assert context.verdicts == {"a": (NO, "seen before"), "b": (OK, "run 1")}
