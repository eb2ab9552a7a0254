"""CodeTour files (github.com/microsoft/codetour) as sections: one tour a heading, one step a block."""

import json
import re
from typing import Any, TypeGuard

from annotator.model.failures import UserMistake
from annotator.model.target import Target, TargetError, check_path
from annotator.tasks.authoring.sections import Block, Pointer, Section

_NUMBER = re.compile(r"^\s*\d+\s*[-.:)]\s*")
"""CodeTour sorts tours by a number in front of their titles."""

_OWN_LINK = re.compile(r"\n*^\[[^\]\n]*\]\([^)\n]*\)\s*\Z", re.MULTILINE)
"""The link to the step's own place that `annot export codetour` ends a step with."""


def tour_section(file: str, data: bytes) -> Section:
    """The section of a tour.

    Args:
        file: the tour, as it is shown.
        data: its content.

    Raises:
        UserMistake: if it is no CodeTour file.
    """
    try:
        tour = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UserMistake(f"{file}: this is no CodeTour file: {error}") from error
    steps = tour.get("steps") if isinstance(tour, dict) else None
    if not isinstance(steps, list):
        raise UserMistake(f"{file}: this is no CodeTour file: it has no steps")
    text = data.decode("utf-8", "replace")
    blocks = [Block(_text(tour, "description"))] if _text(tour, "description") else []
    ref = _text(tour, "ref")
    at = 0
    for step in steps:
        if not isinstance(step, dict):
            continue
        said = json.dumps(_text(step, "file"), ensure_ascii=False)
        at = max(at, text.find(said, at))
        blocks.append(_block(step, ref, text.count("\n", 0, at) + 1))
    title = _NUMBER.sub("", _text(tour, "title")) or file
    return Section(title, file, 1, tuple(block for block in blocks if block.text or block.pointers))


def _block(step: dict[str, Any], ref: str, line: int) -> Block:
    description = _OWN_LINK.sub("", _text(step, "description"))
    path = _text(step, "file").replace("\\", "/").removeprefix("./")
    if not path:
        title = _text(step, "title")
        return Block(
            "\n\n".join(part for part in (f"**{title}**" if title else "", description) if part)
        )
    try:
        target = Target(check_path(path))
    except TargetError:
        return Block(f"{description}\n\n`{path}`".strip())
    start, end = _lines(step)
    if start:
        target = target._replace(start=start, end=end)
    return Block(
        description or _text(step, "title") or path,
        (Pointer("", line, target=target, ref=ref, pattern=_text(step, "pattern")),),
    )


def _lines(step: dict[str, Any]) -> tuple[int, int]:
    """First and last line of a step: its selection, else its line; 0 where it has neither."""
    selection = step.get("selection")
    if isinstance(selection, dict):
        ends = [selection.get(side) for side in ("start", "end")]
        numbers = [end.get("line") for end in ends if isinstance(end, dict)]
        lines = [number for number in numbers if _is_line(number)]
        if len(lines) == len(ends):
            return min(lines), max(lines)
    line = step.get("line")
    return (line, line) if _is_line(line) else (0, 0)


def _is_line(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and number > 0


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    return value.strip() if isinstance(value, str) else ""
