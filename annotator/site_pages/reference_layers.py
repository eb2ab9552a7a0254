"""Which part of the program may import which: a picture of the contract that import-linter enforces."""

import ast
import tomllib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from annotator.site_pages.pictures import svg_picture
from annotator.site_pages.svg import element, wrapped

_WIDTH = 900
_GAP = 14
_ROW = 58
_PAD = 12


class Layer(NamedTuple):
    """One part of the program.

    Attributes:
        name: name of its package, without that of the program.
        duty: what it is for.
    """

    name: str
    duty: str


def read_layers(pyproject: Path, duties: Mapping[str, str]) -> list[tuple[Layer, ...]]:
    """The layers from the top down; those in one tuple do not import each other. None without that file.

    Args:
        pyproject: the project's pyproject.toml, with import-linter's contracts.
        duties: what each is for, instead of the first sentence of its docstring.
    """
    if not pyproject.is_file():
        return []
    settings = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"].get("importlinter", {})
    rows = [
        row
        for contract in settings.get("contracts", ())
        if contract["type"] == "layers"
        for row in contract["layers"]
    ]
    return [tuple(_layer(name.strip(), duties) for name in row.split("|")) for row in rows]


def _layer(package: str, duties: Mapping[str, str]) -> Layer:
    name = package.rpartition(".")[2]
    return Layer(name, duties.get(name) or _summary(package))


def _summary(package: str) -> str:
    """The first line of a package's docstring. It is read, not imported: nothing here may import a higher layer."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return ""
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def layers_svg(layers: Sequence[tuple[Layer, ...]], label: str) -> Markup:
    """The picture: layers from top to bottom, an arrow from each to the one below that it may import."""
    out: list[Markup] = []
    for index, row in enumerate(layers):
        y = 2.0 + index * (_ROW + _GAP)
        width = (_WIDTH - _GAP * (len(row) - 1)) / len(row)
        for column, layer in enumerate(row):
            out += _box(layer, column * (width + _GAP), y, width)
        if index + 1 < len(layers):
            x, end = _WIDTH / 2, y + _ROW + _GAP
            head = f"M{x:.0f} {y + _ROW:.0f}V{end:.0f}m-4 -6l4 6l4 -6"
            out.append(element("path", d=head, class_="line"))
    return svg_picture(out, _WIDTH, len(layers) * (_ROW + _GAP), label)


def _box(layer: Layer, x: float, y: float, width: float) -> list[Markup]:
    duty = wrapped(layer.duty, 11, width - 2 * _PAD)[:2]
    return [
        element("rect", x=x, y=y, width=width, height=_ROW, rx=5, class_="seed"),
        element("text", layer.name, x=x + _PAD, y=y + 20, class_="code"),
        *(
            element("text", line, x=x + _PAD, y=y + 36 + row * 14, class_="dim")
            for row, line in enumerate(duty)
        ),
    ]
