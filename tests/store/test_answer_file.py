"""Answers in the cache folder: whatever is in a row, or instead of the file, costs time only."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotator.model.probe import ProbeRun, ProbeStatus
from annotator.model.words import Outcome
from annotator.probes.results import Results
from annotator.tasks.drift_map import MapCell
from annotator.tasks.swept_cells import SweptCells

RUN = ProbeRun(
    probe="p",
    version=1,
    upstream="demo",
    commit="",
    label="v1",
    tier="source",
    device="cpu",
    status=ProbeStatus.CONFIRMED,
)
CELL = MapCell(outcome=Outcome.OK)


def results(folder: Path) -> tuple[Path, str, Callable[[], None], Callable[[], object]]:
    kept = Results(folder)
    file = folder / "probes" / "results.sqlite"
    return file, "runs SET run", lambda: kept.put("k", RUN), lambda: kept.get("k")


def all_results(folder: Path) -> tuple[Path, str, Callable[[], None], Callable[[], object]]:
    file, column, put, _ = results(folder)
    return file, column, put, lambda: dict(Results(folder).runs()).get("k")


def swept(folder: Path) -> tuple[Path, str, Callable[[], None], Callable[[], object]]:
    kept = SweptCells(folder, "base")
    file = folder / "sweeps.sqlite"
    return (
        file,
        "swept SET cells",
        lambda: kept.keep([("c", {"a": CELL})]),
        lambda: kept.find("c").get("a"),
    )


KEEPERS = [results, all_results, swept]


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("value", [None, 5, 0.5, "text", b"", b"[1]", b"\xff"], ids=repr)
def test_a_damaged_row_is_no_answer(
    keeper: Callable[[Path], tuple[Path, str, Callable[[], None], Callable[[], object]]],
    value: object,
    tmp_path: Path,
) -> None:
    file, column, put, get = keeper(tmp_path)
    put()
    expected = get()
    assert expected in (RUN, CELL)
    with closing(sqlite3.connect(file)) as database, database:
        assert database.execute(f"UPDATE {column} = ?", (value,)).rowcount == 1
    assert get() is None
    put()
    assert get() == expected


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_damaged_file_is_begun_anew(
    keeper: Callable[[Path], tuple[Path, str, Callable[[], None], Callable[[], object]]],
    content: bytes,
    tmp_path: Path,
) -> None:
    file, _, put, get = keeper(tmp_path)
    put()
    expected = get()
    file.write_bytes(content)
    assert get() is None
    put()
    put()
    assert get() == expected
