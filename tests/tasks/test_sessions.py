"""The timetable of a session and what to run in it."""

import pytest

from annotator.model.anchor import Anchor
from annotator.model.session import Session
from annotator.model.study import PlacedAnchor
from annotator.tasks.sessions import probe_commands, timetable


def session(minutes: int, *plan: tuple[str, int], **at: str) -> Session:
    return Session.model_validate(
        {
            "schema": 1,
            "id": "s",
            "date": "2026-12-05",
            "minutes": minutes,
            "questions": [1],
            "at": at,
            "plan": [{"anchor": anchor, "minutes": length} for anchor, length in plan],
        }
    )


def placed(anchor: str, *probes: str) -> PlacedAnchor:
    written = Anchor.model_validate(
        {
            "id": anchor,
            "target": "a.py::f",
            "note": {"zh": "注", "en": "note"},
            "claims": [
                {"id": f"{anchor}-{n}", "text": {"zh": "是。", "en": "So."}, "probe": probe}
                for n, probe in enumerate(probes)
            ],
        }
    )
    return PlacedAnchor(anchor=written, upstream="demo", owner="q01", file="a.yaml", line=1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (session(60, ("a", 20), ("b", 22)), ["0:00–0:06", "0:06–0:26 a", "0:26–0:48 b", "0:48–1:00"]),
        (session(120, ("a", 84)), ["0:00–0:12", "0:12–1:36 a", "1:36–2:00"]),
        (session(2, ("a", 1)), ["0:00–0:01", "0:01–0:02 a", "0:02–0:03"]),
        (session(30), ["0:00–0:03", "0:03–0:09"]),
    ],
    ids=["an-hour", "two-hours", "too-short-still-opens-and-argues", "nothing-to-read"],
)  # fmt: skip
def test_a_session_opens_reads_and_argues(given: Session, expected: list[str]) -> None:
    assert [f"{slot.times} {slot.anchor}".strip() for slot in timetable(given)] == expected


def test_each_probe_is_run_once_on_the_commit_of_the_session() -> None:
    anchors = [placed("a", "apc-hash", "scheduler"), placed("b", "apc-hash")]
    assert probe_commands(session(60, demo="v1"), anchors) == (
        "annot probe apc-hash --commit v1",
        "annot probe scheduler --commit v1",
    )


def test_without_a_known_commit_the_newest_is_probed() -> None:
    assert probe_commands(session(60), [placed("a", "apc-hash")]) == ("annot probe apc-hash",)
