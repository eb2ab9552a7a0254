"""Damaged files of a study: read, or refused with file, line and a sentence; never a crash, never a write."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.model.failures import UserMistake
from annotator.store.debt_file import read_debt
from annotator.store.lock_file import read_lock
from annotator.store.review_files import read_reviews
from annotator.store.review_progress import read_put_off
from annotator.store.study_entries import read_experiments, read_records, read_sessions
from annotator.store.study_loader import load_study
from annotator.store.ticks_file import read_ticks
from annotator.store.whole_change import finish
from tests.fuzz.damage import at_most, damaged_bytes, listing
from tests.store.conftest import FILES

ANCHORS = Path(__file__).parents[2] / "anchors"
_REVIEW = """\
schema: 1
upstream: engine
anchor: q01-free
accepted:
  - {ref: v1.1.0, date: "2026-10-30", by: Ada, reason: "Still true.", decision: still-true, changes: [body]}
"""
_LOCK = {
    "schema": 1,
    "upstream": "engine",
    "pin": "v1.0.0",
    "recorded_from": "v1.0.0",
    "entries": {"q01-free": {"target": "engine/pool.py::Pool.free", "blob": "a" * 40, "start": 1}},
}
_SESSION = 'schema: 1\nid: s1\ndate: "2026-12-05"\nminutes: 60\nquestions: [1]\n'
_JOURNAL = {"schema": 1, "steps": [{"file": "route/01-cache.yaml", "draft": "0123abcd"}]}
_DEBT = "schema: 1\nknown:\n  - {subject: q01-free, outcome: changed, state: abc}\n"

DAMAGED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "upstreams.yaml": (FILES["upstreams.yaml"], load_study),
    "handbook.yaml": (FILES["handbook.yaml"], load_study),
    "route/01-cache.yaml": (FILES["route/01-cache.yaml"], load_study),
    "resources/engine.yaml": (FILES["resources/engine.yaml"], load_study),
    "reviews/engine/q01-free.yaml": (_REVIEW, lambda folder: read_reviews(folder, "engine")),
    "locks/engine.json": (json.dumps(_LOCK, indent=1), lambda folder: read_lock(folder, "engine")),
    "sessions/s1.yaml": (_SESSION, read_sessions),
    "records/r.yaml": ("schema: 1\nname: r\n", read_records),
    "experiments.yaml": ((ANCHORS / "experiments.yaml").read_text("utf-8"), read_experiments),
    ".unfinished.json": (json.dumps(_JOURNAL), finish),
    "debt.yaml": (_DEBT, lambda folder: read_debt(folder / "debt.yaml")),
    "ticks.json": ('{"read": {"q01": "2026-12-05"}}', lambda folder: read_ticks(folder / "ticks.json")),
    "put-off.json": ('{"put_off": {"a": "b"}}', lambda folder: read_put_off(folder / "put-off.json")),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_damaged(name: str, data: st.DataObject, study) -> None:
    text, read = DAMAGED[name]
    content = data.draw(damaged_bytes([text]))
    path = study.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    before = listing(study.folder.parent)
    try:
        with at_most(10):
            read(study.folder)
    except UserMistake as told:
        said = str(told) + told.hint
        if read is load_study:  # others may point to what is not there any more
            assert all(re.match(r"[\w/.-]+\.yaml:\d+:\d+: .", line) for line in said.splitlines())
        else:
            assert Path(name).name in said
        said.encode("utf-8")
    after = listing(study.folder.parent)
    if name == ".unfinished.json":  # to change files is what it is for: none but those of the study
        after |= {file: text for file, text in before.items() if file.startswith("anchors/")}
    assert after == before
