"""A tape of hook calls as the steps of an engine: who was called, one after the other, on both sides."""

from collections.abc import Iterable
from typing import Any

from annotator.probes.rigs.recording_connector import Call, Tape

_OF_THE_MODEL = frozenset({"forward", "attention"})


def calls_in_order(tape: Tape, step: int) -> list[str]:
    """What happened in one step, as `SIDE HOOK` or `SIDE HOOK LAYER`.

    SIDE is `scheduler`, `worker` or `class` for hooks of the connector; `model` for the forward pass and its attention
    layers; `event` for what happened to a request meanwhile (`preempted`, `arrived`). LAYER counts from 0. Calls that
    the base class made from within another hook are left out.

    Args:
        tape: what was recorded.
        step: which step; 0 is what came before the first.
    """
    layers = _numbered(tape.calls)
    return [_sentence(c, layers) for c in tape.calls if c.step == step and not c.nested]


def recorded_steps(tape: Tape) -> list[dict[str, Any]]:
    """All steps in order: `{"times": how many alike came one after the other, "calls": what happened in each}`.

    What came before the first step, the arrival of a request say, is shown with it.
    """
    shown: list[dict[str, Any]] = []
    for step in range(1, tape.step + 1):
        before = calls_in_order(tape, 0) if step == 1 else []
        calls = before + calls_in_order(tape, step)
        if shown and shown[-1]["calls"] == calls:
            shown[-1]["times"] += 1
        else:
            shown.append({"times": 1, "calls": calls})
    return shown


def _sentence(call: Call, layers: dict[str, int]) -> str:
    side = call.side
    if side == "driver":
        side = "model" if call.hook in _OF_THE_MODEL else "event"
    layer = dict(call.detail).get("layer")
    return f"{side} {call.hook}" if layer is None else f"{side} {call.hook} {layers[layer]}"


def _numbered(calls: Iterable[Call]) -> dict[str, int]:
    """Name of a layer → its number, in the order in which the model came to them."""
    details = (dict(call.detail) for call in calls)
    names = dict.fromkeys(detail["layer"] for detail in details if "layer" in detail)
    return {name: number for number, name in enumerate(names)}
