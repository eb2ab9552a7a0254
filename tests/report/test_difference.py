"""Differences line by line: nothing is lost, and every number is right."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from annotator.report.difference import SIDE_BY_SIDE, difference_table, rows

LINES = st.lists(st.sampled_from(["a", "b", "c", "  d", ""]), max_size=12)


@given(LINES, LINES, st.integers(1, 50), st.integers(1, 50))
def test_both_sides_can_be_read_out_of_it(old, new, old_start, new_start):
    found = list(rows(old, new, old_start, new_start, context=None))
    assert [(row.old, row.text) for row in found if row.old] == list(enumerate(old, old_start))
    assert [(row.new, row.text) for row in found if row.mark == "+"] == [
        (row.new, new[row.new - new_start]) for row in found if row.mark == "+"
    ]
    assert [row.new for row in found if row.new] == list(range(new_start, new_start + len(new)))


def test_far_lines_are_left_out():
    old = [str(number) for number in range(20)]
    new = [*old[:10], "x", *old[10:]]
    found = list(rows(old, new, 1, 1))
    assert [row.mark for row in found] == ["…", *"   +   "]


@pytest.mark.parametrize(("width", "expected"), [(80, "1   - a"), (SIDE_BY_SIDE, "1 - a")])
def test_it_fits_its_width(width, expected):
    output = io.StringIO()
    console = Console(file=output, width=width)
    console.print(difference_table(list(rows(["a"], ["b\x1b[31m"], 1, 1)), width))
    lines = output.getvalue().splitlines()
    assert lines[0].startswith(expected)
    assert "\x1b" not in output.getvalue()
    assert (width == SIDE_BY_SIDE) == ("+ b" in lines[0])
