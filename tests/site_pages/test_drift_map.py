import json
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from annotator.cli.app import run
from annotator.model.words import Outcome
from annotator.site_pages.drift_map_svg import page_svg, standalone_svg
from annotator.tasks.drift_map import DriftMap, MapCell, MapRow, UpstreamMap


def make_map(rows: int = 3) -> UpstreamMap:
    cells = (MapCell(outcome=Outcome.GONE, detail="<b>&"), MapCell(outcome=Outcome.OK))
    return UpstreamMap(
        upstream="demo",
        baseline="v2",
        releases=("v1", "v2"),
        rows=tuple(
            MapRow(id=f"a-{n}", owner=f"q{n // 2}", number=n // 2, target='x.py::f"<', cells=cells)
            for n in range(rows)
        ),
    )


def test_map_command_compares_every_anchor_with_every_final_release(
    hostile_study: tuple[Path, Path], tmp_path: Path
) -> None:
    study, repository = hostile_study
    output = tmp_path / "map.json"
    arguments = ["map", "--study", str(study), "--repo", str(repository), "-o", str(output)]
    assert run(arguments) == 0
    (demo,) = json.loads(output.read_text(encoding="utf-8"))["upstreams"]
    assert demo["releases"] == ["v0.9", "v1.0", "v1.1"], "candidates are left out"
    found = {row["id"]: [cell["outcome"] for cell in row["cells"]] for row in demo["rows"]}
    assert found["q01-take"] == ["ok", "ok", "changed"]
    assert found["q01-gone"] == ["ok", "ok", "gone"]
    assert found["q02-long"] == ["gone", "ok", "ok"]
    assert run([*arguments, "--since", "1.0"]) == 0
    (demo,) = json.loads(output.read_text(encoding="utf-8"))["upstreams"]
    assert demo["releases"] == ["v1.0", "v1.1"]


def test_svg_by_the_name_of_the_output(hostile_study: tuple[Path, Path], tmp_path: Path) -> None:
    study, repository = hostile_study
    output = tmp_path / "map.svg"
    assert run(["map", "--study", str(study), "--repo", str(repository), "-o", str(output)]) == 0
    assert ElementTree.parse(output).getroot().tag.endswith("svg")  # noqa: S314 - our own


def test_missing_source_is_said_not_hidden(
    hostile_study: tuple[Path, Path], tmp_path: Path
) -> None:
    study, _ = hostile_study
    output = tmp_path / "map.json"
    assert run(["map", "--study", str(study), "-o", str(output)]) == 0
    (demo,) = json.loads(output.read_text(encoding="utf-8"))["upstreams"]
    assert not demo["rows"]
    assert "annot sync demo" in demo["reason"]


@pytest.mark.parametrize("rows", [1, 3, 200])
def test_page_picture_is_well_formed_with_a_link_for_each_anchor(rows: int) -> None:
    picture = page_svg(make_map(rows), lambda row: f"route/{row.owner}.html#{row.id}", "map")
    root = ElementTree.fromstring(picture)  # noqa: S314 - our own
    tags = Counter(element.tag.rpartition("}")[2] for element in root.iter())
    assert tags["a"] == rows
    assert tags["use"] == rows, "each cell that is not ok has its mark, not only a colour"


def test_file_of_its_own_has_no_links_and_both_schemes() -> None:
    text = standalone_svg(DriftMap(version="0", upstreams=(make_map(),)))
    ElementTree.fromstring(text)  # noqa: S314 - our own
    assert "<a " not in text
    assert "prefers-color-scheme: dark" in text
