"""Sequences of operations where every run is dear: with a server, with real time that passes.

A fixed and small number of sequences is drawn from a seed, and the first that shows a difference is shortened with a
bounded number of runs. `sequences` is for runs that cost next to nothing.
"""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from annotator.probes.contract import Context

Operation = TypeVar("Operation")
AGAIN = 2
"""How often a sequence that differs is played again before it counts."""


def shortest_failing(
    sequence: Sequence[Operation],
    differs: Callable[[Sequence[Operation]], str | None],
    attempts: int = 200,
) -> tuple[list[Operation], str]:
    """Removes operations from a failing sequence for as long as it keeps failing.

    First halves, then quarters and so on down to single operations (the delta debugging of Zeller and Hildebrandt,
    2002, in its simplest form).

    Args:
        sequence: a sequence for which `differs` gives a difference.
        differs: plays a sequence from a fresh start; the first difference in one sentence, or None.
        attempts: how often `differs` may be called.

    Returns:
        The shortened sequence and its difference; the difference is empty if it did not come again.
    """
    kept = list(sequence)
    difference = differs(kept) or ""
    if not difference:
        return kept, ""
    size = max(len(kept) // 2, 1)
    while attempts > 0:
        start, shortened = 0, False
        while start < len(kept) and attempts > 0:
            candidate = kept[:start] + kept[start + size :]
            attempts -= 1
            found = differs(candidate) if candidate else None
            if found:
                kept, difference, shortened = candidate, found, True
            else:
                start += size
        if size > 1:
            size //= 2
        elif not shortened:
            break
    return kept, difference


def first_difference(
    draw: Callable[[random.Random], Sequence[Operation]],
    differs: Callable[[Sequence[Operation]], str | None],
    seed: int,
    examples: int,
) -> str | None:
    """Plays drawn sequences until one differs.

    Args:
        draw: draws one sequence.
        differs: plays a sequence from a fresh start; the first difference in one sentence, or None.
        seed: of the draws; the same seed gives the same sequences.
        examples: how many sequences to play.

    Returns:
        The shortest sequence found that differs, with the difference, in one sentence; None if all agree. A difference
        that does not come every time when the same sequence is played again is an accident of timing and does not count.
    """
    generator = random.Random(seed)  # noqa: S311 - for tests, not secrets
    for _ in range(examples):
        sequence = draw(generator)
        if not differs(sequence) or not (difference := _lasting(sequence, differs)):
            continue
        kept, _ = shortest_failing(sequence, differs)
        if shorter := _lasting(kept, differs):
            return f"after {kept}: {shorter}"
        return f"after {list(sequence)}: {difference}"
    return None


def _lasting(
    sequence: Sequence[Operation], differs: Callable[[Sequence[Operation]], str | None]
) -> str:
    """Plays a sequence again, and gives its difference if it comes every time; else the empty string."""
    difference = ""
    for _ in range(AGAIN):
        difference = differs(sequence) or ""
        if not difference:
            break
    return difference


def compare(
    context: Context,
    check: str,
    draw: Callable[[random.Random], Sequence[Operation]],
    differs: Callable[[Sequence[Operation]], str | None],
    examples: int,
    what: str,
) -> None:
    """Confirms or refutes a check by sequences drawn with the context's seed.

    Args:
        context: of the probe. Its option `examples` (120 unless set) changes the number of sequences in proportion.
        check: the check.
        draw: draws one sequence.
        differs: plays a sequence from a fresh start; the first difference in one sentence, or None.
        examples: how many sequences to play.
        what: what was compared, for the evidence: "prompts named as by the model".
    """
    number = max(examples * int(context.options.get("examples", 120)) // 120, 1)
    difference = first_difference(draw, differs, context.seed, number)
    context.verdict(check, difference is None, difference or f"{number} {what}")
