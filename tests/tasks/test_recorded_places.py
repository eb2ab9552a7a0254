"""What a lock recorded makes a check quicker and never another: with it and without it, every answer is the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.app import run
from annotator.model.resolution import Resolution
from annotator.probes.known import probe_names
from annotator.store.lock_file import read_lock
from annotator.store.study_loader import load_study
from annotator.tasks.check import check
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from tests.conftest import MakeRepository, Tree

FIRST = "def first(items):\n    total = sum(items)\n    total += len(items)\n    return total\n\n\n"
SECOND = 'def second(items):\n    """Doc."""\n    return [item for item in items if item]\n\n\n'
CLASS = "class Pool:\n    size = 4\n\n    def take(self):\n        return self.size\n"
OLD = {"a.py": FIRST + SECOND + CLASS, "b.md": "# Title\n\n## Use\n\nWords.\n\n## Next\n\nMore.\n"}

CASES: dict[str, Tree] = {
    "lines shifted": {**OLD, "a.py": "import os\n\n\n" + OLD["a.py"]},
    "a neighbour edited": {**OLD, "a.py": OLD["a.py"].replace("if item]", "if item > 0]")},
    "edited itself": {**OLD, "a.py": OLD["a.py"].replace("len(items)", "min(items)")},
    "a twin behind it": {**OLD, "a.py": OLD["a.py"] + "\n\n" + FIRST},
    "a twin before it": {**OLD, "a.py": FIRST.replace("sum", "max") + OLD["a.py"]},
    "the quote stands twice now": {
        **OLD,
        "a.py": OLD["a.py"].replace(
            "    return total", "    total += len(items)\n    return total"
        ),
    },
    "indented deeper": {
        **OLD,
        "a.py": "if True:\n" + "".join(f"    {line}\n" for line in FIRST.splitlines()) + SECOND,
    },
    "line ends of another system": {**OLD, "a.py": OLD["a.py"].replace("\n", "\r\n")},
    "another encoding": {
        **OLD,
        "a.py": b"# caf\xe9\n" + FIRST.replace("total", "tot\xe4l").encode("latin-1"),
    },
    "moved to another file": {**OLD, "a.py": SECOND + CLASS, "c.py": FIRST},
    "imported now": {**OLD, "a.py": "from c import first\n" + SECOND, "c.py": FIRST},
    "file gone": {"b.md": OLD["b.md"]},
    "section moved down": {**OLD, "b.md": "# Title\n\n## New\n\nText.\n" + OLD["b.md"][8:]},
    "nothing changed": OLD,
}
ANCHORS = """\
  - {id: q01-first, target: "a.py::first", note: {zh: 注, en: Note}}
  - {id: q01-quote, target: "a.py::first", quote: {exact: "total += len(items)"}, note: {zh: 注, en: N}}
  - {id: q01-signature, target: "a.py::second", watch: signature, note: {zh: 注, en: Note}}
  - {id: q01-class, target: "a.py::Pool", note: {zh: 注, en: Note}}
  - {id: q01-method, target: "a.py::Pool.take", note: {zh: 注, en: Note}}
  - {id: q01-page, target: "b.md#use", note: {zh: 注, en: Note}}
"""


def _answers(study: Path, repository: Path, *, lock: bool) -> dict[str, Resolution]:
    loaded = load_study(study / "anchors", probe_names())
    recorded = read_lock(study / "anchors", "demo") if lock else None
    for file in cache_folder().glob("answers.sqlite*"):
        file.unlink()
    with Workspace(cache_folder(), repository) as workspace:
        locks = {"demo": recorded} if recorded else {}
        report = check(workspace, loaded, dict(loaded.upstreams), locks, ref="v2")
    return {result.id: result.resolution for result in report.anchors}


@pytest.mark.parametrize("new", CASES.values(), ids=CASES)
def test_the_short_way_gives_the_long_ways_answer(
    make_repository: MakeRepository, make_study: Callable[[str], Path], new: Tree
) -> None:
    study, repository = make_study(ANCHORS), make_repository(OLD, new)
    assert run(["lock", "--study", str(study), "--repo", str(repository)]) == 0
    assert _answers(study, repository, lock=True) == _answers(study, repository, lock=False)


def test_a_quote_written_anew_since_the_lock_is_looked_for(
    make_repository: MakeRepository, make_study: Callable[[str], Path]
) -> None:
    repository = make_repository(OLD, CASES["lines shifted"])
    study = make_study(ANCHORS)
    assert run(["lock", "--study", str(study), "--repo", str(repository)]) == 0
    make_study(ANCHORS.replace("total += len(items)", "total = sum(items)"))
    answers = _answers(study, repository, lock=True)
    place = answers["q01-quote"].new
    assert place is not None
    assert (place.start, place.end) == (5, 5)


def test_an_unchanged_place_is_found_without_parsing_the_baseline(
    make_repository: MakeRepository, make_study: Callable[[str], Path]
) -> None:
    study, repository = make_study(ANCHORS), make_repository(OLD, CASES["lines shifted"])
    assert run(["lock", "--study", str(study), "--repo", str(repository)]) == 0
    kept = cache_folder() / "outlines.sqlite3"
    for file in cache_folder().glob("outlines.sqlite3*"):
        file.unlink()
    _answers(study, repository, lock=True)
    assert len(_blobs(kept)) == 1, "of a.py the new content; b.md is the same"


def _blobs(file: Path) -> list[str]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(file)) as database:
        return [blob for (blob,) in database.execute("SELECT blob FROM outlines")]
