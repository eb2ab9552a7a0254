"""The route's anchors laid over the processes of an upstream, as a picture whose entries are links."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml
from markupsafe import Markup
from pydantic import TypeAdapter, ValidationError

from annotator.model.failures import UserMistake
from annotator.model.words import Outcome
from annotator.model.written import Bilingual, Written
from annotator.site_pages.svg import element, text_width, wrapped

_WIDTH = 1120
_PAD = 14
_LINE = 17
_SIZE = 11.5
_COLUMNS = 4
_MARKS = {
    Outcome.OK: "✓",
    Outcome.MOVED: "→",
    Outcome.CHANGED: "~",
    Outcome.GONE: "✗",
    Outcome.AMBIGUOUS: "?",
    Outcome.ERROR: "!",
    Outcome.SKIPPED: "–",
}


class Part(Written):
    """A component of a process.

    Attributes:
        title: its name.
        paths: beginnings of the paths that belong to it; the longest match wins.
    """

    title: Bilingual
    paths: list[str]


class Process(Written):
    """A process, or another place in which code runs.

    Attributes:
        id: its name in arrows.
        title: its name for people.
        duty: what it is responsible for.
        parts: its components.
        to_next: what passes between it and the one below, if anything does.
    """

    id: str
    title: Bilingual
    duty: Bilingual
    parts: list[Part]
    to_next: Bilingual | None = None


class Entry(NamedTuple):
    """An anchor in the picture.

    Attributes:
        id: the anchor.
        path: its file.
        label: short name, with the number of its question.
        link: address of its page.
        outcome: what became of it.
    """

    id: str
    path: str
    label: str
    link: str
    outcome: Outcome


def read_architecture(file: Path) -> list[Process]:
    """The processes as the study describes them in anchors/architecture.yaml; none without that file.

    Raises:
        UserMistake: if the file is wrong.
    """
    if not file.is_file():
        return []
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        return TypeAdapter(list[Process]).validate_python(data["processes"])
    except (yaml.YAMLError, ValidationError, KeyError, TypeError) as error:
        raise UserMistake(f"{file}: {error}") from error


def assign(
    processes: Iterable[Process], entries: Iterable[Entry]
) -> tuple[dict[tuple[str, int], list[Entry]], list[Entry]]:
    """Entries by process and number of its part; and those that belong nowhere."""
    prefixes = {
        prefix: (process.id, index)
        for process in processes
        for index, part in enumerate(process.parts)
        for prefix in part.paths
    }
    placed: dict[tuple[str, int], list[Entry]] = {}
    rest = []
    for entry in entries:
        fitting = [prefix for prefix in prefixes if entry.path.startswith(prefix)]
        if fitting:
            placed.setdefault(prefixes[max(fitting, key=len)], []).append(entry)
        else:
            rest.append(entry)
    return placed, rest


def architecture_svg(
    processes: list[Process],
    placed: Mapping[tuple[str, int], list[Entry]],
    say: Callable[[Bilingual], str],
    label: str,
) -> Markup:
    """The picture: processes from top to bottom, their parts side by side, the anchors in them."""
    out: list[Markup] = []
    top = 4.0
    for process in processes:
        lane, height = _lane(process, placed, say, top)
        out += lane
        top += height
        if process.to_next:
            out += _arrow(say(process.to_next), top)
            top += 46
        else:
            top += 16
    arrow = element("path", d="M0 0L8 4L0 8z")
    marker = element(
        "marker",
        arrow,
        id="an-head",
        viewBox="0 0 8 8",
        refX=7,
        refY=4,
        markerWidth=8,
        markerHeight=8,
        orient="auto-start-reverse",
    )
    return element(
        "svg",
        [element("defs", marker), *out],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {top:.0f}",
        class_="an-arch",
        role="group",
        aria_label=label,
    )


def _lane(
    process: Process,
    placed: Mapping[tuple[str, int], list[Entry]],
    say: Callable[[Bilingual], str],
    top: float,
) -> tuple[list[Markup], float]:
    inner: list[Markup] = [
        element("text", say(process.title), x=_PAD + 4, y=top + 27, class_="process"),
    ]
    offset = text_width(say(process.title), 17) + 34
    duty = wrapped(say(process.duty), 12.5, _WIDTH - offset - 2 * _PAD)
    for index, line in enumerate(duty):
        inner.append(element("text", line, x=_PAD + offset, y=top + 26 + index * 17, class_="duty"))
    y = top + 42 + max(0, len(duty) - 1) * 17
    width = (_WIDTH - _PAD * (_COLUMNS + 1)) / _COLUMNS
    shown = [
        (part, placed.get((process.id, index), [])) for index, part in enumerate(process.parts)
    ]
    # Parts go into the column that is lowest so far, so that the lane stays compact.
    bottoms = [y] * _COLUMNS
    for part, entries in shown:
        column = bottoms.index(min(bottoms))
        x = _PAD + column * (width + _PAD)
        box, height = _part(say(part.title), entries, x, bottoms[column], width)
        inner += box
        bottoms[column] += height + 10
    height = max(bottoms) - top + 6
    frame = element("rect", x=1, y=top, width=_WIDTH - 2, height=height, rx=10, class_="lane")
    return [frame, *inner], height


def _part(
    title: str, entries: list[Entry], x: float, y: float, width: float
) -> tuple[list[Markup], float]:
    height = 30 + _LINE * max(1, len(entries))
    out = [
        element("rect", x=x, y=y, width=width, height=height, rx=6, class_="part"),
        element("text", title, x=x + 10, y=y + 18, class_="title"),
    ]
    for index, entry in enumerate(entries):
        line = y + 35 + index * _LINE
        label = _fitting(entry.label, width - 26)
        name = f"{entry.id}: {entry.label} ({entry.outcome})"
        mark = element(
            "text", _MARKS[entry.outcome], x=x + 8, y=line, class_=f"mark o-{entry.outcome}"
        )
        text = element("text", label, x=x + 21, y=line, class_="entry")
        out.append(
            element("a", [element("title", name), mark, text], href=entry.link, aria_label=name)
        )
    if not entries:
        out.append(element("text", "–", x=x + 12, y=y + 35, class_="duty"))
    return out, height


def _fitting(label: str, width: float) -> str:
    while text_width(label, _SIZE) > width and len(label) > 8:
        label = label[:-2].rstrip("…") + "…"
    return label


def _arrow(label: str, top: float) -> list[Markup]:
    middle = _WIDTH / 2
    line = element(
        "path",
        d=f"M{middle:.0f} {top + 5:.0f}V{top + 41:.0f}",
        class_="arrow",
        marker_start="url(#an-head)",
        marker_end="url(#an-head)",
    )
    return [line, element("text", label, x=middle + 14, y=top + 27, class_="duty")]
