"""Generated sequences find a difference, and the evidence is a shortest one."""

from pathlib import Path

import pytest

from annotator.probes.contract import CannotAdapt, Check, Context
from annotator.probes.sequences import (
    Findings,
    Operation,
    Run,
    explore,
    require_verdicts,
    shortened,
    written,
)

st = pytest.importorskip("hypothesis.strategies")
OPERATIONS = st.one_of(st.tuples(st.just("add"), st.integers(1, 9)), st.tuples(st.just("rest")))


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(
        tier="source", device="cpu", seed=0, folder=str(tmp_path), options={"examples": 30}
    )


def _adds_up(sequence: list[Operation], run: Run) -> None:
    """A sum that goes wrong above seven."""
    total = sum(operation[1] for operation in sequence if operation[0] == "add")
    run.expect("adds", min(total, 7), total, "sum")
    run.expect("is-number", isinstance(total, int), True, "number")


def test_a_difference_is_shown_by_a_shortest_sequence(context: Context) -> None:
    explore(context, "sums", OPERATIONS, _adds_up, "never-raises")
    verdict, evidence = context.verdicts["adds"]
    assert verdict == "refuted"
    assert evidence.endswith("→ sum: 7, expected 8")
    assert "rest" not in evidence
    assert context.verdicts["is-number"][0] == "confirmed"
    assert context.verdicts["never-raises"][0] == "confirmed"


def test_the_same_seed_finds_the_same(context: Context, tmp_path: Path) -> None:
    explore(context, "sums", OPERATIONS, _adds_up, "never-raises")
    again = Context(
        tier="source", device="cpu", seed=0, folder=str(tmp_path), options={"examples": 30}
    )
    explore(again, "sums", OPERATIONS, _adds_up, "never-raises")
    assert again.verdicts == context.verdicts


def test_an_error_of_upstream_is_a_finding(context: Context) -> None:
    def runner(sequence: list[Operation], run: Run) -> None:
        raise KeyError("gone")

    explore(context, "sums", OPERATIONS, runner, "never-raises")
    assert context.verdicts["never-raises"][0] == "refuted"
    assert "KeyError in runner" in context.verdicts["never-raises"][1]


def test_what_does_not_fit_is_no_finding(context: Context) -> None:
    def runner(sequence: list[Operation], run: Run) -> None:
        raise CannotAdapt("renamed")

    with pytest.raises(CannotAdapt):
        explore(context, "sums", OPERATIONS, runner, "never-raises")


def test_a_case_that_raises_is_a_finding(context: Context) -> None:
    findings = Findings(context, "never-raises")

    def look() -> int:
        raise KeyError("gone")

    assert findings.case(look, otherwise=3) == 3
    findings.tell()
    assert context.verdicts["never-raises"][0] == "refuted"


def test_a_check_never_tested_is_an_error(context: Context) -> None:
    checks = [Check("adds", zh="加", en="adds"), Check("never", zh="无", en="never")]
    context.verdict("adds", True, "yes")
    with pytest.raises(RuntimeError, match="never"):
        require_verdicts(context, checks)
    context.verdict("adds", False, "no")
    require_verdicts(context, checks)


def test_shortening_leaves_out_and_lowers() -> None:
    sequence: list[Operation] = [("a", 5), ("b",), ("a", 4), ("b",)]

    def refutes(each: list[Operation]) -> bool:
        return sum(int(operation[1]) for operation in each if operation[0] == "a") >= 6

    assert written(shortened(sequence, refutes)) == "a 2, a 4"
