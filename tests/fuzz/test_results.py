"""What machines wrote and somebody or something damaged: results of probes, caches, answers line by line."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator import api
from annotator.model.failures import AnnotError
from annotator.outline.codec import decode
from annotator.probes.contract import Check, Probe
from annotator.probes.sandbox import Ended, Limits
from annotator.probes.seen import lacking_library, lacking_module, read_seen, status_of, verdicts_of
from annotator.reading.handout import read_handout
from annotator.report.json_report import check_json
from annotator.tasks.authoring.tours import tour_section
from annotator.tasks.where import read_place
from annotator.upstream.folders import cache_folder
from tests.fuzz.damage import at_most, damaged, damaged_bytes

FUZZ = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
PROBE = Probe(
    name="demo",
    zh="",
    en="",
    upstream="demo",
    tiers=("source",),
    paths=("demo",),
    checks=(Check("good", "", ""),),
    version=1,
    observe=lambda context: None,
)
RESULT = json.dumps(
    {
        "reason": "",
        "observations": {"a": [1, None]},
        "verdicts": {"good": ["confirmed", "seen"]},
        "adaptations": [],
        "versions": {"python": "3.11"},
        "isolation": ["files"],
    }
)


@FUZZ
@given(result=damaged([RESULT]), code=st.sampled_from([0, 1, -9]))
def test_what_a_probe_left(result: str, code: int) -> None:
    seen = read_seen(Ended(how="exited", code=code, result=result), Limits(), PROBE)
    if not seen.reason:
        status_of(verdicts_of(seen, PROBE))
    assert seen.verdicts.keys() <= {"good"} or seen.reason
    lacking_module(seen.reason, "demo")
    lacking_library(seen.reason)


@FUZZ
@given(content=damaged_bytes(['["python",3,[["f","function",1,3,0,9,""]],[]]']))
def test_an_outline_of_the_cache(content: bytes) -> None:
    try:
        decode(content)
    except ValueError:
        return


LINE = json.dumps({"id": "a", "from_ref": "v1", "from_path": "a.py", "from_symbol": "f", "to_ref": "v2"})  # fmt: skip


@FUZZ
@given(line=damaged([LINE]))
def test_a_line_of_a_batch(line: str) -> None:
    with at_most(5):
        read_place(line)


TOUR = json.dumps(
    {
        "title": "T",
        "ref": "v1",
        "steps": [
            {"file": "a.py", "line": 3, "description": "D", "selection": {"start": {"line": 1}}}
        ],
    }
)


@FUZZ
@given(data=damaged_bytes([TOUR]))
def test_a_tour(data: bytes) -> None:
    try:
        tour_section("t.tour", data)
    except AnnotError as told:
        assert "t.tour" in str(told)  # noqa: PT017 - most are read


HANDOUT = """\
# Session 2026-12-05

- [x] q01-free
- [ ] q01-other

## Minutes

Who: Ada
| claim | dispute |
| --- | --- |
| q01-order | no |
"""


@FUZZ
@given(text=damaged([HANDOUT]))
def test_a_handout(text: str) -> None:
    with at_most(5):
        read_handout(text)


# --- caches

V1 = {"a.py": "def f(x):\n    return x\n", "b.py": "B = 1\n"}
V2 = {"a.py": "def f(x):\n    return x + 1\n", "c.py": "B = 1\n"}
ANCHORS = "".join(
    f'  - {{id: q01-{name}, target: "{target}", note: {{zh: "注", en: "N"}}}}\n'
    for name, target in (("f", "a.py::f"), ("b", "b.py::B"))
)
VALUES = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=20)
)


def rows(file: Path) -> list[tuple[str, str, Any]]:
    """Table, column and value of everything in a database."""
    with closing(sqlite3.connect(file)) as database:
        tables = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return [
            (table, column, value)
            for table in tables
            for column in [one[1] for one in database.execute(f"PRAGMA table_info({table})")]
            for (value,) in database.execute(f"SELECT {column} FROM {table}")  # noqa: S608
        ]


def test_damaged_caches_cost_time_only(
    make_repository: Callable[..., Path], make_study: Callable[[str], Path], is_long: bool
) -> None:
    """Any value of any table of the cache is another one: the answer is the same."""
    repo, study = make_repository(V1, V2), make_study(ANCHORS)

    def answer() -> str:
        return check_json(api.check(api.load(study), repo=repo, commit="v2", blame=True))

    expected = answer()
    api.check(study, repo=repo, commit="v2")
    files = sorted(cache_folder().glob("*.sqlite*"))
    files = [file for file in files if not file.name.endswith(("-wal", "-shm", "-journal"))]
    places = [(file, *place) for file in files for place in rows(file)]
    assert len(places) > 6

    @settings(deadline=None, max_examples=1000 if is_long else 30)
    @given(place=st.sampled_from(range(len(places))), new=VALUES, data=st.data())
    def damage(place: int, new: Any, data: st.DataObject) -> None:
        file, table, column, old = places[place]
        if isinstance(old, str) and data.draw(st.booleans()):
            new = data.draw(damaged([old]))
        if isinstance(old, bytes) and data.draw(st.booleans()):
            new = data.draw(damaged([old.decode("utf-8", "replace")])).encode()
        with closing(sqlite3.connect(file)) as database, database:
            try:
                database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = 1", (new,))  # noqa: S608
            except (sqlite3.IntegrityError, UnicodeEncodeError):
                return
        shape = json.loads(answer())
        assert shape.keys() == json.loads(expected).keys()
        assert check_json(api.check(study, repo=repo, commit="v2"))

    damage()


@pytest.mark.parametrize("content", [b"", b"junk", b"SQLite format 3\0" + b"\xff" * 4096])
def test_files_of_the_cache_that_are_no_databases(
    content: bytes, make_repository: Callable[..., Path], make_study: Callable[[str], Path]
) -> None:
    repo, study = make_repository(V1, V2), make_study(ANCHORS)
    expected = check_json(api.check(study, repo=repo, commit="v2"))
    for file in cache_folder().glob("*.sqlite*"):
        file.write_bytes(content)
    assert check_json(api.check(study, repo=repo, commit="v2")) == expected
    assert check_json(api.check(study, repo=repo, commit="v2")) == expected
