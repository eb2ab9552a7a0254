"""Growth as a picture: one panel a series, sizes to the right, processor seconds upward."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from annotator.site_pages.svg import element

_WIDTH, _HEIGHT = 300, 190
_LEFT, _BELOW, _ABOVE = 46, 30, 28
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#3c4653}.t{font-weight:600;font-size:12px}"
    ".a{stroke:#9aa4ae}.l{fill:none;stroke:#0b5e8a;stroke-width:2}.d{fill:#0b5e8a}"
    ".p{stroke:#9aa4ae;stroke-dasharray:3 3}"
    "@media (prefers-color-scheme:dark){text{fill:#c9d1d9}.l{stroke:#7cc4f0}.d{fill:#7cc4f0}}"
)


class Series(NamedTuple):
    """One line.

    Attributes:
        name: what grows.
        points: size and processor seconds, the smallest first.
    """

    name: str
    points: Sequence[tuple[int, float]]


def growth_svg(series: Sequence[Series]) -> str:
    """Panels side by side, two in a row; a dashed line shows cost proportional to the largest size."""
    panels = [
        element(
            "g",
            _panel(one),
            transform=f"translate({(at % 2) * _WIDTH} {(at // 2) * _HEIGHT})",
        )
        for at, one in enumerate(series)
    ]
    height = -(-len(series) // 2) * _HEIGHT
    return str(
        element(
            "svg",
            [element("style", Markup(_STYLE)), *panels],  # noqa: S704 - our own
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {2 * _WIDTH} {height}",
            role="img",
            aria_label="cost by number of anchors, files and commits",
        )
    )


def _panel(series: Series) -> list[Markup]:
    largest = max(size for size, _ in series.points)
    dearest = max(cost for _, cost in series.points)
    wide, high = _WIDTH - _LEFT - 24, _HEIGHT - _ABOVE - _BELOW
    bottom = _HEIGHT - _BELOW

    def place(size: float, cost: float) -> tuple[float, float]:
        return _LEFT + wide * size / largest, bottom - high * cost / dearest

    line = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in series.points)
    end = place(largest, series.points[-1][1])
    parts = [
        element("text", series.name, x=_LEFT, y=16, class_="t"),
        element("line", x1=_LEFT, y1=bottom, x2=_LEFT + wide, y2=bottom, class_="a"),
        element("line", x1=_LEFT, y1=_ABOVE, x2=_LEFT, y2=bottom, class_="a"),
        element("line", x1=_LEFT, y1=bottom, x2=end[0], y2=end[1], class_="p"),
        element("polyline", points=line, class_="l"),
        element("text", f"{dearest:.1f} s", x=_LEFT - 6, y=_ABOVE + 8, text_anchor="end"),
        element("text", f"{largest:,}", x=_LEFT + wide, y=bottom + 15, text_anchor="end"),
        element("text", "0", x=_LEFT - 6, y=bottom, text_anchor="end"),
    ]
    for size, cost in series.points:
        x, y = place(size, cost)
        title = element("title", f"{size:,}: {cost:.2f} s")
        parts.append(element("circle", title, cx=x, cy=y, r=3, class_="d"))
    return parts
