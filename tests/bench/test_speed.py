"""The parts of the speed bench that figures depend on."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.speed.__main__ import main, ratio
from bench.speed.floors import parse, read_blobs
from bench.speed.measuring import Cost, cost_of, median, together
from bench.speed.picture import Series, growth_svg
from bench.speed.rows import Measured
from tests.conftest import MakeRepository


def test_a_cost_has_the_children_of_the_command() -> None:
    busy = "sum(range(6_000_000))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{busy}'])"
    assert cost_of([sys.executable, "-c", child]).cpu > cost_of([sys.executable, "-c", "0"]).cpu
    big = cost_of([sys.executable, "-c", "b'x' * 200_000_000"])
    assert big.megabytes > 190


def test_a_command_that_fails_ends_the_bench() -> None:
    with pytest.raises(SystemExit, match="failed"):
        cost_of([sys.executable, "-c", "raise ValueError"])
    assert cost_of([sys.executable, "-c", "raise SystemExit(1)"]).wall > 0, "1 means drift"


def test_costs_are_added_and_the_middle_is_taken() -> None:
    costs = [Cost(1, 5, 10), Cost(3, 4, 30), Cost(2, 9, 20)]
    assert together(costs) == Cost(6, 18, 30)
    assert median(costs) == Cost(2, 5, 20)


def test_ratios_are_of_processor_time_to_the_row_that_is_named() -> None:
    rows = [
        Measured("floor", Cost(2, 1, 1)),
        Measured("annot", Cost(3, 9, 1), 1, "≤ 1.5"),
        Measured("peer", Cost(60, 9, 1), 2),
    ]
    assert [ratio(rows, at) for at in range(3)] == [None, 1.5, 30.0]


def test_floors_read_and_parse_blobs(make_repository: MakeRepository) -> None:
    texts = {"a.py": "def f():\n    return 1\n", "b.md": "# B\n", "c.txt": "c\n"}
    repository = make_repository(texts)
    listed = subprocess.run(
        ["git", "-C", repository, "ls-tree", "-r", "v1"], capture_output=True, text=True, check=True
    )
    blobs = [line.split()[2] for line in listed.stdout.splitlines()]
    contents = list(read_blobs(str(repository), blobs))
    assert contents == [text.encode() for text in texts.values()]
    assert parse(list(zip(["py", "md", "txt"], contents, strict=True))) == 3


def test_parts_that_need_a_clone_are_not_left_out_silently(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.speed", "--only", "check", "--only", "sweep"])
    with pytest.raises(SystemExit):
        main()
    assert "--only sweep needs --clone" in capsys.readouterr().err


def test_a_plot_has_a_point_for_each_measurement(tmp_path: Path) -> None:
    series = [
        Series("anchors", [(200, 1.0), (2000, 3.5), (20000, 30.25)]),
        Series("commits & more", [(50, 4.0)]),
    ]
    root = ElementTree.fromstring(growth_svg(series))  # noqa: S314 - our own
    tags = [node.tag.rpartition("}")[2] for node in root.iter()]
    assert tags.count("circle") == 4
    assert tags.count("polyline") == 2
