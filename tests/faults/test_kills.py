"""Killed at any moment: nothing is corrupt, and the next run does the rest."""

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import MakeWorkplace
from tests.faults.nursery import Ended, Nursery, Running
from tests.faults.workplace import Workplace
from tests.faults.works import CHECK, WORKS, Command, Work

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forked and killed")

SHORT, LONG = 1, 20
"""Kills of each work."""


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


class Disturbance:
    """One work, done once in peace and then again and again until it is killed."""

    def __init__(
        self, nursery: Nursery, workplace: Workplace, work: Work, index: str, aside: Path
    ) -> None:
        self._nursery = nursery
        self._place = workplace
        self._work = work
        self._aside = aside
        self._environment = workplace.environment(ANNOT_INDEX_URL=index)
        for command in work.before:
            self._run(command, 0)
        workplace.copy_to(aside)
        self._files_before = workplace.files()
        started = time.monotonic()
        self._run(work.command, work.code)
        self._seconds = time.monotonic() - started
        self._after = self._seen()

    def kill_once(self, dice: random.Random) -> bool:
        """Kills the work at a random moment and looks at what is left; whether the work was still under way."""
        place, work = self._place, self._work
        place.bring_back(self._aside)
        running = self._start(work.command)
        time.sleep(dice.uniform(0, 1) * self._seconds)
        running.kill(with_children=dice.random() < 0.5)
        ended = running.wait()
        assert ended.code in {-9, work.code}, ended.output
        assert place.damage() == []
        if self._is_unfinished():
            self._run(("pin", "--finish"), 0)
            assert place.files() == self._after["files"]
        elif work.in_one:
            assert place.files() in (self._files_before, self._after["files"])
        if not work.in_one or place.files() != self._after["files"]:
            self._run(work.command, work.code)
            assert place.damage() == []
        assert self._seen() == self._after
        was_killed = ended.code == -9
        self._seconds *= (
            1.05 if was_killed else 0.8
        )  # the machine may be busier or idler than it was
        return was_killed

    def _is_unfinished(self) -> bool:
        return (self._place.study / "anchors" / ".unfinished.json").exists()

    def _seen(self) -> dict[str, object]:
        report = self._run(CHECK, None) if self._place.repositories() else Ended(0, "")
        assert report.code in {0, 1}, report.output
        return {
            "files": self._place.files(),
            "refs": self._place.refs(),
            "check": report,
        }

    def _start(self, command: Command) -> Running:
        log = self._place.folder / "log"
        return self._nursery.start(command, self._place.study, self._environment, log)

    def _run(self, command: Command, code: int | None) -> Ended:
        ended = self._start(command).wait()
        assert code is None or ended.code == code, f"annot {' '.join(command)}: {ended}"
        return ended


@pytest.mark.parametrize("name", WORKS)
def test_killed_at_any_moment(
    name: str,
    nursery: Nursery,
    make_workplace: MakeWorkplace,
    tmp_path: Path,
    is_long: bool,
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    place, index = make_workplace()
    disturbance = Disturbance(nursery, place, WORKS[name], index, tmp_path / "aside")
    dice = random.Random(name)  # noqa: S311
    wanted = LONG if is_long else SHORT
    killed = tries = 0
    while killed < wanted and tries < 3 * wanted + 7:
        killed += disturbance.kill_once(dice)
        tries += 1
    assert killed
    record_testsuite_property(f"kills survived: {name}", killed)
