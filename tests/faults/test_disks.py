"""A full disk and folders that cannot be written: a plain sentence, exit code 3, and nothing half written."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import MakeWorkplace
from tests.faults.nursery import Ended, Nursery
from tests.faults.privileges import read_only, small_disk
from tests.faults.workplace import Workplace
from tests.faults.works import CHECK, SYNC, WORKS, Command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forked")


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


class Commands:
    """Runs commands in a workplace."""

    def __init__(self, nursery: Nursery, place: Workplace, index: str) -> None:
        self._nursery = nursery
        self._place = place
        self._environment = place.environment(ANNOT_INDEX_URL=index)

    def __call__(self, command: Command) -> Ended:
        log = self._place.folder / "log"
        return self._nursery.start(command, self._place.study, self._environment, log).wait()


WRITES_STUDY = ["lock", "accept what moved", "pin", "add", "import into a study", "notes fix"]


@pytest.mark.parametrize("name", WRITES_STUDY)
def test_a_study_that_cannot_be_written(
    name: str, nursery: Nursery, make_workplace: MakeWorkplace
) -> None:
    place, index = make_workplace()
    run = Commands(nursery, place, index)
    for command in WORKS[name].before:
        assert run(command).code == 0
    before = place.files()
    with read_only(place.study):
        ended = run(WORKS[name].command)
    assert ended.code in {2, 3}, ended.output
    assert "Traceback" not in ended.output
    assert re.search(r"Read-only file system|cannot be written", ended.output)
    assert re.search(r"/locks|/reviews|[\w.-]+\.(md|yaml|json)", ended.output)
    assert place.files() == before
    assert list(place.study.rglob(".*.new")) == list(place.study.rglob(".*.tmp")) == []
    assert run(WORKS[name].command).code == 0


def test_a_cache_that_cannot_be_written_is_read(
    nursery: Nursery, make_workplace: MakeWorkplace
) -> None:
    place, index = make_workplace()
    run = Commands(nursery, place, index)
    run(SYNC)
    expected = run(CHECK)
    for file in place.cache.glob("*.sqlite*"):
        file.unlink()
    with read_only(place.cache):
        assert run(CHECK).code == expected.code == 1
        assert run(("trace", "q01-a8", "--format", "json")).code in {0, 3}
        ended = run(("sync", "demo", "--from", "pypi", "--releases", "1.0"))
        assert ended.code == 3
        assert "Traceback" not in ended.output
    assert run(CHECK).output == expected.output


SIZES = [0, 40, 80, 120, 160, 240, 320, 480]
"""Kilobytes; a whole sync takes some 500."""


@pytest.mark.parametrize("origin", ["git", "pypi"])
def test_a_sync_onto_a_full_disk(
    origin: str, nursery: Nursery, make_workplace: MakeWorkplace, is_long: bool
) -> None:
    place, index = make_workplace()
    run = Commands(nursery, place, index)
    command = ("sync", "demo", "--from", origin, "--releases", "1.0,1.1,1.2")
    codes = set()
    for size in SIZES if is_long else SIZES[1::3]:
        with small_disk(place.cache, size + 4):
            ended = run(command)
            codes.add(ended.code)
            assert ended.code in {0, 3}, ended.output
            assert "Traceback" not in ended.output
            if ended.code == 3:
                check = run(CHECK)
                assert check.code in {1, 3}
                assert "Traceback" not in check.output
            subprocess.run(
                ["mount", "-o", "remount,size=64m", str(place.cache)], check=True
            )  # somebody has made room
            assert run(command).code == 0
            assert place.damage() == []
            assert run(CHECK).code == 1
    assert 3 in codes


@pytest.mark.parametrize("name", ["lock", "accept what moved", "pin", "import into a study"])
def test_a_study_on_a_full_disk(
    name: str, nursery: Nursery, make_workplace: MakeWorkplace, tmp_path: Path, is_long: bool
) -> None:
    """All or nothing; half of it only where the next command is told so, and finishes it."""
    place, index = make_workplace()
    run = Commands(nursery, place, index)
    for command in WORKS[name].before:
        assert run(command).code == 0
    aside = tmp_path / "aside"
    shutil.copytree(place.study, aside)
    before = place.files()
    assert run(WORKS[name].command).code == 0
    after = place.files()
    used = sum(-(-file.stat().st_size // 4096) * 4 for file in aside.rglob("*") if file.is_file())
    failed = 0
    for spare in range(0, 64, 4 if is_long else 20):
        shutil.rmtree(place.study)
        place.study.mkdir()
        with small_disk(place.study, used + spare):
            shutil.copytree(aside, place.study, dirs_exist_ok=True)
            ended = run(WORKS[name].command)
            assert ended.code in {0, 3}, ended.output
            assert "Traceback" not in ended.output
            failed += ended.code == 3
            if ended.code == 0:
                assert place.files() == after
            elif (place.study / "anchors" / ".unfinished.json").exists():
                subprocess.run(["mount", "-o", "remount,size=64m", str(place.study)], check=True)
                assert run(("pin", "--finish")).code == 0
                assert place.files() == after
            else:
                assert place.files() == before
    assert failed
    assert sys.platform == "linux"
