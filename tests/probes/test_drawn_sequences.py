"""Drawn sequences, and how a failing one is shortened."""

import random

import pytest

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare, first_difference, shortest_failing


@pytest.mark.parametrize("needed", [{3}, {0, 9}, {2, 3, 7}], ids=str)
def test_only_what_is_needed_to_fail_is_kept(needed):
    def differs(sequence):
        return "differs" if needed <= set(sequence) else None

    assert shortest_failing(range(10), differs) == (sorted(needed), "differs")


def test_runs_are_bounded():
    runs = []

    def differs(sequence):
        runs.append(sequence)
        return "differs" if len(sequence) == 100 else None

    shortest_failing(range(100), differs, attempts=20)
    assert len(runs) <= 21


def draw(generator: random.Random) -> list[int]:
    return [generator.randrange(10) for _ in range(20)]


def test_the_same_seed_draws_the_same_sequences():
    drawn: list[list[int]] = []

    def collect(sequence):
        drawn.append(list(sequence))

    for _ in range(2):
        assert first_difference(draw, collect, seed=7, examples=3) is None
    assert drawn[:3] == drawn[3:]


@pytest.mark.parametrize("accidents", [{2}, {2, 3}, {1, 2, 5}, {4, 7}], ids=str)
def test_a_difference_that_does_not_come_every_time_does_not_count(accidents):
    runs = []

    def differs(sequence):
        runs.append(sequence)
        return "differs" if len(runs) in accidents else None

    assert first_difference(draw, differs, seed=7, examples=3) is None
    assert runs


def test_a_shortened_sequence_that_does_not_last_is_not_reported():
    """Every whole sequence differs, a shorter one only now and then."""
    shorter = []

    def differs(sequence):
        if len(sequence) == 20:
            return "differs"
        shorter.append(sequence)
        return "differs, by chance" if len(shorter) == 1 else None

    found = first_difference(draw, differs, seed=7, examples=3)
    assert found is not None
    assert found.endswith("]: differs")
    assert found.count(",") == 19


@pytest.mark.parametrize(("forbidden", "verdict"), [(99, "confirmed"), (5, "refuted")])
def test_a_difference_refutes_with_the_shortest_sequence(forbidden, verdict):
    context = Context("source", "cpu", 0, "unused")
    compare(
        context,
        "check",
        draw,
        lambda s: "found it" if forbidden in s else None,
        6,
        "sequences looked at",
    )
    evidence = "6 sequences looked at" if verdict == "confirmed" else "after [5]: found it"
    assert context.verdicts["check"] == (verdict, evidence)
