"""Many studies of several upstreams in one process: nothing of one gets into another, and nothing piles up."""

import gc
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

import annotator
from tests.scale.measuring import measured_check
from tests.scale.monorepo import make_repository, make_study

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


class Case(NamedTuple):
    """A study, the repository of its upstream, and what a check has to say of its anchors."""

    study: Path
    repository: Path
    outcomes: tuple[str, ...]


def _file(upstream: int, *, drifted: bool) -> bytes:
    """The same names in every upstream; what they do differs, and what drifts."""
    pieces = []
    for number in range(3):
        more = "    scale = 2\n" if drifted and number == upstream else ""
        lines = "".join(f"    step_{upstream}_{k} = items[{k}] * {number}\n" for k in range(6))
        pieces.append(f"def work_{number}(items):\n{more}{lines}    return items\n\n\n")
    return "".join(pieces).encode()


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    """Ten studies on three upstreams. All have anchors a-0, a-1, … and call their upstream `demo`."""
    repositories = []
    for upstream in range(3):
        folder = tmp_path / f"upstream-{upstream}"
        folder.mkdir()
        trees = [[("lib/core.py", _file(upstream, drifted=drifted))] for drifted in (False, True)]
        repositories.append(make_repository(folder, trees))
    found = []
    for number in range(10):
        upstream = number % 3
        order = [(number + k) % 3 for k in range(3)]  # the same ids, other places
        study = make_study(tmp_path / f"study-{number}", [f"lib/core.py::work_{k}" for k in order])
        outcomes = tuple("changed" if k == upstream else "ok" for k in order)
        found.append(Case(study, repositories[upstream], outcomes))
    return found


def _outcomes(case: Case) -> tuple[str, ...]:
    report = annotator.check(case.study, repo=case.repository, commit="v2")
    assert [result.id for result in report.anchors] == ["a-0", "a-1", "a-2"]
    return tuple(result.resolution.outcome.value for result in report.anchors)


def test_nothing_of_one_study_gets_into_another(cases: list[Case]) -> None:
    for round_ in range(3):
        for case in cases if round_ != 1 else reversed(cases):
            assert _outcomes(case) == case.outcomes
    alone = measured_check(cases[4].study, cases[4].repository, "v2").report["anchors"]
    report = annotator.check(cases[4].study, repo=cases[4].repository, commit="v2")
    beside = json.loads(msgspec.json.encode(report.anchors))
    assert [each["resolution"] for each in beside] == [each["resolution"] for each in alone]


def test_studies_can_be_open_at_the_same_time(cases: list[Case]) -> None:
    studies = [annotator.load(case.study) for case in cases]
    for loaded, case in zip(studies, cases, strict=True):
        report = annotator.check(loaded, repo=case.repository, commit="v2")
        assert tuple(each.resolution.outcome.value for each in report.anchors) == case.outcomes
        found = annotator.where("lib/core.py::work_1", study=loaded, repo=case.repository, end="v2")
        assert found.outcome.value in {"ok", "changed"}


def _open_files() -> Counter[str]:
    names: Counter[str] = Counter()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            names[os.readlink(entry).partition(":[")[0]] += 1
        except OSError:  # the folder that is listed
            continue
    return names


def _children() -> list[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]


def _resident() -> float:
    """Megabytes of memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_nothing_piles_up_over_repeated_checks(
    cases: list[Case], is_long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rounds(count: int) -> None:
        for number in range(count):
            case = cases[number % len(cases)]
            # another question each time: an answer that is kept would do no work
            monkeypatch.setenv("ANNOT_CACHE_DIR", str(case.study / f"cache-{number % 5}"))
            loaded = annotator.load(case.study)
            report = annotator.check(loaded, repo=case.repository, commit="v2")
            assert len(report.anchors) == 3
            annotator.trace("a-0", study=loaded, repo=case.repository, end="v2")
        gc.collect()

    rounds(20)
    files, children, memory = _open_files(), _children(), _resident()
    rounds(500 if is_long else 60)
    assert _open_files() == files
    assert _children() == children
    assert _resident() - memory < 16
