"""Clocks that jump: what a file's time says decides nothing."""

import os
import time
from collections.abc import Iterator

import pytest

from tests.faults.conftest import MakeWorkplace
from tests.faults.nursery import Ended, Nursery
from tests.faults.workplace import Workplace
from tests.faults.works import CHECK, SYNC, Command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forked")

DAY = 86_400
JUMPS = {"the past": 1, "yesterday": -DAY, "tomorrow": DAY, "the far future": 2**32 + 10 * DAY}


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS.keys())
def test_files_of_another_time(jump: int, nursery: Nursery, make_workplace: MakeWorkplace) -> None:
    place, index = make_workplace()

    def run(command: Command) -> Ended:
        environment = place.environment(ANNOT_INDEX_URL=index)
        return nursery.start(command, place.study, environment, place.folder / "log").wait()

    assert run(SYNC).code == 0
    before = run(CHECK)
    set_times(place, time.time() + jump if abs(jump) == DAY else jump)
    assert run(CHECK).output == before.output
    route = place.study / "anchors" / "route" / "01-q.yaml"
    status = route.stat()
    text = route.read_text(encoding="utf-8")
    route.write_text(text.replace("Pool.step_0\n", "Pool.gone_0\n"), encoding="utf-8")
    os.utime(route, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert '"id": "q01-a0"' in before.output
    after = run(CHECK)
    assert after.output != before.output
    assert "gone_0" in after.output
    set_times(place, time.time() - 10 * DAY)
    assert run(SYNC).code == 0
    assert run(("lock",)).code in {0, 2}
    assert place.damage() == []


def set_times(place: Workplace, at: float) -> None:
    """Gives every file of the workplace, cache and repositories included, that time."""
    for path in place.folder.rglob("*"):
        os.utime(path, (at, at), follow_symlinks=False)
