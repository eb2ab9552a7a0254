"""The drift map as a picture: a row a release, a column an anchor, a group a question.

Colours are from Okabe and Ito's palette and never stand alone: every outcome but `ok` has its own mark too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup
from msgspec.structs import replace

from annotator.model.words import Outcome
from annotator.site_pages.svg import element, text_width
from annotator.tasks.drift_map import DriftMap, MapRow, UpstreamMap

_CELL = 13
_GAP = 1
_GROUP_GAP = 9
_WIDTH = 1080
_LABELS = 74
_HEAD = 20
_BAND_GAP = 22
_NEWEST = 12
"""Most releases on a page; a file of its own has all."""
_REASON = 70
"""Longest reason in a cell, in characters."""

_MARKS: Mapping[Outcome, str] = {
    Outcome.MOVED: "M3 6.5h6M6.5 3.5l3 3-3 3",
    Outcome.CHANGED: "M2.5 8q2-5 4-1.5t4-1.5",
    Outcome.GONE: "M3.5 3.5l6 6M9.5 3.5l-6 6",
    Outcome.AMBIGUOUS: "M4.4 4.6a2.1 2.1 0 1 1 2.1 2.4v1M6.5 9.6v.6",
    Outcome.ERROR: "M6.5 3v4.5M6.5 9.3v.7",
    Outcome.SKIPPED: "M3.5 6.5h6",
}
STYLE = """\
.dm{--dm-ok:#cfe3ee;--dm-moved:#56b4e9;--dm-changed:#e69f00;--dm-gone:#a33c00;--dm-ambiguous:#cc79a7;
--dm-other:#bbb;--dm-text:#3c4653;--dm-ink:#1d1d1d;--dm-pin:#0b5e8a;font:11px system-ui,sans-serif}
.dm text{fill:var(--dm-text)}.dm .g{font-weight:600}.dm .p{fill:var(--dm-pin);font-weight:700}
.dm .ok{fill:var(--dm-ok)}.dm .moved{fill:var(--dm-moved)}.dm .changed{fill:var(--dm-changed)}
.dm .gone{fill:var(--dm-gone)}.dm .ambiguous{fill:var(--dm-ambiguous)}.dm .error,.dm .skipped{fill:var(--dm-other)}
.dm use{fill:none;stroke:var(--dm-ink);stroke-width:1.3}.dm use.w{stroke:#fff}
.dm a:hover .h,.dm a:focus .h{stroke:var(--dm-pin);stroke-width:1.6}.dm .h{fill:transparent}.dm a:focus{outline:none}"""
DARK = """\
.dm{--dm-ok:#2c4452;--dm-moved:#3f93c4;--dm-changed:#d18f00;--dm-gone:#e5662b;--dm-ambiguous:#c76f9f;
--dm-other:#666;--dm-text:#c9d1d9;--dm-ink:#101418;--dm-pin:#7cc4f0}"""


class Group(NamedTuple):
    """Anchors of one question or resource, side by side.

    Attributes:
        label: what stands above them.
        rows: the anchors.
    """

    label: str
    rows: tuple[MapRow, ...]

    @property
    def width(self) -> float:
        """Room for its cells, or for its label if that is longer."""
        cells = len(self.rows) * (_CELL + _GAP)
        return max(cells, text_width(self.label, 11) + 2)


def standalone_svg(drifts: DriftMap) -> str:
    """All upstreams in one picture for a file of its own; colours follow the viewer's scheme."""
    pictures = []
    top = 0.0
    for one in drifts.upstreams:
        if not one.rows:
            continue
        body, height = _picture(one, lambda row: None)
        title = element("text", one.upstream, x=0, y=14, font_size=15, class_="g")
        moved = element("g", [title, element("g", body, transform="translate(0 22)")])
        pictures.append(element("g", moved, transform=f"translate(12 {top + 12:.0f})"))
        top += height + 50
    style = Markup(f"<style>{STYLE}\n@media (prefers-color-scheme: dark){{{DARK}}}</style>")  # noqa: S704
    return str(
        element(
            "svg",
            [style, _marks(), *pictures],
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {_WIDTH + 24} {top + 12:.0f}",
            class_="dm",
            role="img",
            aria_label="drift map: anchors by releases",
        )
    )


def page_svg(drifts: UpstreamMap, link: Callable[[MapRow], str], label: str) -> Markup:
    """One upstream's map for a page; each column is a link.

    Args:
        drifts: the map.
        link: address of an anchor.
        label: what the picture is, for those who cannot see it.
    """
    body, height = _picture(newest(drifts), link)
    return element(
        "svg",
        [_marks(), *body],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_WIDTH} {height:.0f}",
        class_="dm",
        role="group",
        aria_label=label,
    )


def newest(drifts: UpstreamMap) -> UpstreamMap:
    """The newest releases of a map, so many as a page has room for."""
    rows = tuple(replace(row, cells=row.cells[-_NEWEST:]) for row in drifts.rows)
    return replace(drifts, releases=drifts.releases[-_NEWEST:], rows=rows)


def legend(names: Mapping[Outcome, str]) -> Markup:
    """The marks with their names, as HTML."""
    items = []
    for outcome, name in names.items():
        mark = _mark(outcome, 0, 0)
        square = element("rect", width=_CELL, height=_CELL, rx=2, class_=outcome.value)
        picture = element(
            "svg",
            [square, *mark],
            class_="dm",
            width=16,
            height=16,
            viewBox="0 0 13 13",
            aria_hidden="true",
        )
        items.append(element("span", [picture, element("span", name)], class_="an-key"))
    return Markup("").join(items)


def _marks() -> Markup:
    symbols = [element("path", d=path, id=f"dm-{outcome}") for outcome, path in _MARKS.items()]
    return element("defs", symbols)


def _mark(outcome: Outcome, x: float, y: float) -> Iterator[Markup]:
    if outcome in _MARKS:
        white = "w" if outcome is Outcome.GONE else None
        yield element("use", href=f"#dm-{outcome}", x=x or None, y=y or None, class_=white)


def _picture(
    drifts: UpstreamMap, link: Callable[[MapRow], str | None]
) -> tuple[list[Markup], float]:
    """The bands of groups that fit side by side, and how high they are together."""
    out: list[Markup] = []
    top = 0.0
    releases = list(enumerate(drifts.releases))
    for band in _bands(_groups(drifts.rows)):
        for index, release in releases:
            y = top + _HEAD + index * (_CELL + _GAP) + 10
            pinned = release == drifts.baseline
            out.append(
                element(
                    "text",
                    release,
                    x=_LABELS - 8,
                    y=y,
                    text_anchor="end",
                    class_="p" if pinned else None,
                )
            )
        left = float(_LABELS)
        for group in band:
            out.append(element("text", group.label, x=left, y=top + 13, class_="g"))
            for column, row in enumerate(group.rows):
                x = left + column * (_CELL + _GAP)
                out.append(_column(row, drifts.releases, x, top + _HEAD, link(row)))
            left += group.width + _GROUP_GAP
        top += _HEAD + len(releases) * (_CELL + _GAP) + _BAND_GAP
    return out, top


def _groups(rows: Iterable[MapRow]) -> Iterator[Group]:
    for owner, members in groupby(rows, key=lambda row: row.owner):
        anchors = tuple(members)
        number = anchors[0].number
        yield Group(str(number) if number is not None else owner, anchors)


def _bands(groups: Iterable[Group]) -> Iterator[list[Group]]:
    band: list[Group] = []
    used = float(_LABELS)
    for group in groups:
        if band and used + group.width > _WIDTH:
            yield band
            band, used = [], float(_LABELS)
        band.append(group)
        used += group.width + _GROUP_GAP
    if band:
        yield band


def _column(
    row: MapRow, releases: tuple[str, ...], x: float, y: float, address: str | None
) -> Markup:
    """One anchor: one light bar for the releases at which it is ok, a marked cell for every other."""
    height = len(releases) * (_CELL + _GAP) - _GAP
    name = f"{row.id} · {row.target.rpartition('/')[2]}"
    parts = [
        element("title", name),
        element("rect", x=x, y=y, width=_CELL, height=height, rx=2, class_="ok"),
    ]
    for index, (release, cell) in enumerate(zip(releases, row.cells, strict=True)):
        if cell.outcome is Outcome.OK:
            continue
        at = y + index * (_CELL + _GAP)
        reason = cell.detail if len(cell.detail) <= _REASON else cell.detail[:_REASON] + "…"
        words = f"{row.id} · {release} · {cell.outcome}" + (f": {reason}" if reason else "")
        square = element(
            "rect", x=x, y=at, width=_CELL, height=_CELL, rx=2, class_=cell.outcome.value
        )
        parts.append(element("g", [element("title", words), square, *_mark(cell.outcome, x, at)]))
    if address is None:
        return element("g", parts)
    parts.append(
        element(
            "rect",
            x=x - 1,
            y=y - 1,
            width=_CELL + 2,
            height=height + 2,
            rx=3,
            class_="h",
            pointer_events="none",
        )
    )
    return element("a", parts, href=address, aria_label=name)
