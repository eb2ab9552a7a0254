"""The order of a connector's hooks as a sequence diagram, drawn from what a probe recorded."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from annotator.model.probe import ProbeRun
from annotator.site_pages.pictures import svg_picture
from annotator.site_pages.svg import element, text_width

_KEY = re.compile(r"(?:order|engine)\.(?P<runner>\w+)\.(?P<scenario>[\w-]+)(?:\.steps)?")
_PROBE = "connector-hooks"
_SCENARIOS = ("sync-load", "no-load", "async-load", "preemption", "delayed-free", "abort")
"""In the order in which they are best read; others come behind."""

_SIDES = ("scheduler", "worker", "model")
_LANE = 270
_ROW = 22
_LEFT = 20
_LONGEST = 60
_MOST_CALLS = 400


class Call(NamedTuple):
    """One call of a hook.

    Attributes:
        side: who was called.
        hook: what was called, with the layer where there is one.
    """

    side: str
    hook: str


class Step(NamedTuple):
    """One step of the engine.

    Attributes:
        times: how many equal steps came one after the other.
        calls: what was called, in order, on all sides.
    """

    times: int
    calls: tuple[Call, ...]


class HookRecording(NamedTuple):
    """What one scenario of a run recorded.

    Attributes:
        scenario: its name.
        runner: version of the model runner.
        label: the commit, for people.
        tier: how the probe ran.
        steps: the steps.
    """

    scenario: str
    runner: str
    label: str
    tier: str
    steps: tuple[Step, ...]


def hook_recordings(runs: Iterable[ProbeRun]) -> list[HookRecording]:
    """What runs recorded of the order of hooks: of each scenario the last run's, of its runners the first.

    The source tier goes first: it also sees the attention layers.

    Args:
        runs: runs of any probes, the oldest commit first.
    """
    found: dict[str, HookRecording] = {}
    for run in sorted(runs, key=lambda run: run.tier == "source"):
        if run.probe != _PROBE:
            continue
        for recording in reversed(list(_of_run(run))):
            found[recording.scenario] = recording
    order = {name: place for place, name in enumerate(_SCENARIOS)}
    return sorted(found.values(), key=lambda each: order.get(each.scenario, len(order)))


def hook_sequence_svg(recording: HookRecording, step_word: str, label: str) -> Markup:
    """The calls of a recording from top to bottom, each below the name of its side.

    Args:
        recording: what was recorded.
        step_word: what to call a step, with `{number}` in it.
        label: what the picture is.
    """
    seen = {call.side for step in recording.steps for call in step.calls}
    sides = [side for side in _SIDES if side in seen]
    place = {side: _LEFT + column * _LANE for column, side in enumerate(sides)}
    width = _LEFT + _LANE * max(1, len(sides))
    bands: list[Markup] = []
    calls: list[Markup] = []
    y, number = 34, 1
    for step in recording.steps:
        last = number + step.times - 1
        title = step_word.format(number=str(number) if last == number else f"{number}–{last}")
        height = _ROW * len(step.calls) + 30
        bands.append(element("rect", x=2, y=y, width=width - 4, height=height, rx=6, class_="band"))
        calls.append(
            element("text", title, x=width - 12, y=y + 18, text_anchor="end", class_="dim")
        )
        for row, call in enumerate(step.calls):
            calls += _call(call, place.get(call.side), width, y + 22 + row * _ROW)
        y, number = y + height + 8, last + 1
    heads = [
        part
        for side, x in place.items()
        for part in (
            element("text", side, x=x, y=20, class_="said"),
            element("path", d=f"M{x + 6} 34V{y - 8}", class_="line"),
        )
    ]
    return svg_picture([*bands, *heads, *calls], width, y, label)


def _call(call: Call, x: int | None, width: int, y: int) -> Iterator[Markup]:
    text = call.hook if len(call.hook) <= _LONGEST else f"{call.hook[: _LONGEST - 1]}…"
    if x is None:  # nobody was called: something happened
        wide = text_width(text, 12)
        yield element("path", d=f"M12 {y}H{width - 12}", class_="event")
        yield element(
            "rect", x=(width - wide) / 2 - 8, y=y - 9, width=wide + 16, height=18, class_="band"
        )
        yield element("text", text, x=width / 2, y=y + 4, text_anchor="middle", class_="name")
        return
    kind = next((k for k in ("load", "save") if f"_{k}" in f"_{text}"), None)
    kind = "model" if call.side == "model" else kind or "hook"
    yield element("circle", cx=x + 6, cy=y, r=5, class_=kind)
    yield element("text", text, x=x + 18, y=y + 4, class_="code")


def _of_run(run: ProbeRun) -> Iterator[HookRecording]:
    for key, value in sorted(run.observations.items()):
        named = _KEY.fullmatch(key)
        if named and (steps := _steps(value)):
            yield HookRecording(named["scenario"], named["runner"], run.label, run.tier, steps)


def _steps(value: object) -> tuple[Step, ...]:
    """Steps as a probe writes them; nothing of anything else."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    steps, left = [], _MOST_CALLS
    for each in value:
        if not isinstance(each, Mapping) or left <= 0:
            break
        calls = tuple(_calls(each))[:left]
        times = each.get("times", 1)
        left -= len(calls)
        steps.append(Step(times if isinstance(times, int) and times > 0 else 1, calls))
    return tuple(steps)


def _calls(step: Mapping[str, Any]) -> Iterator[Call]:
    calls = step.get("calls")
    for call in calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ():
        side, _, hook = str(call).partition(" ")
        yield Call(side, hook)
