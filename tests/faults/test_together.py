"""Two and ten processes at once, on one cache and on one study."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.faults.conftest import MakeWorkplace
from tests.faults.nursery import Ended, Nursery
from tests.faults.workplace import Workplace
from tests.faults.works import ACCEPT, ACCEPT_CHANGED, CHECK, SYNC, Command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="commands are forked")

FROM_INDEX = ("sync", "demo", "--from", "pypi", "--releases", "1.0..1.2")


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


def run_together(
    nursery: Nursery, place: Workplace, index: str, commands: Sequence[Command]
) -> list[Ended]:
    """Starts all of them before waiting for the first."""
    environment = place.environment(ANNOT_INDEX_URL=index)
    running = [
        nursery.start(command, place.study, environment, place.folder / f"log-{number}")
        for number, command in enumerate(commands)
    ]
    return [each.wait() for each in running]


@pytest.mark.parametrize("count", [2, 10])
def test_syncs_at_once_on_an_empty_cache(
    count: int, nursery: Nursery, make_workplace: MakeWorkplace
) -> None:
    place, index = make_workplace()
    commands = [SYNC if number % 2 else FROM_INDEX for number in range(count)]
    for ended in run_together(nursery, place, index, commands):
        assert ended.code == 0, ended.output
    assert place.damage() == []
    assert len(place.repositories()) == 2
    [check] = run_together(nursery, place, index, [CHECK])
    assert check.code == 1


@pytest.mark.parametrize("count", [2, 10])
def test_checks_at_once_on_a_cache_without_answers(
    count: int, nursery: Nursery, make_workplace: MakeWorkplace
) -> None:
    place, index = make_workplace()
    run_together(nursery, place, index, [SYNC])
    checks = run_together(nursery, place, index, [CHECK] * count)
    assert {ended.code for ended in checks} == {1}
    assert len({ended.output for ended in checks}) == 1
    assert place.damage() == []


def test_everything_at_once(nursery: Nursery, make_workplace: MakeWorkplace) -> None:
    """While the source is updated, who reads sees the old or the new, never half of it."""
    place, index = make_workplace()
    older = ("sync", "demo", "--from", "git", "--releases", "1.0,1.2")
    run_together(nursery, place, index, [older, ("lock",)])
    map_ = ("map", "--jobs", "1", "-o", "map.json")
    commands = [SYNC, CHECK, FROM_INDEX, CHECK, map_, SYNC, CHECK, ("lock",), FROM_INDEX, CHECK]
    ended = run_together(nursery, place, index, commands)
    codes = [1 if command == CHECK else 0 for command in commands]
    for each, code in zip(ended, codes, strict=True):
        assert each.code == code, each.output
    outputs = {
        each.output for each, command in zip(ended, commands, strict=True) if command == CHECK
    }
    outcomes = {json.dumps(json.loads(output)["summary"]) for output in outputs}
    assert len(outcomes) == 1
    assert place.damage() == []


@pytest.mark.long
@pytest.mark.parametrize("attempt", range(10))
def test_everything_at_once_again(
    attempt: int, nursery: Nursery, make_workplace: MakeWorkplace
) -> None:
    test_everything_at_once(nursery, make_workplace)


def test_no_decision_of_two_reviewers_is_lost(
    nursery: Nursery, make_workplace: MakeWorkplace, is_long: bool, tmp_path: Path
) -> None:
    place, index = make_workplace()
    run_together(nursery, place, index, [SYNC])
    place.copy_to(tmp_path / "aside")
    for _ in range(20 if is_long else 4):
        place.bring_back(tmp_path / "aside")
        both = run_together(nursery, place, index, [ACCEPT, ACCEPT_CHANGED])
        for command, ended in zip((ACCEPT, ACCEPT_CHANGED), both, strict=True):
            if ended.code == 2:
                assert "run the command again" in ended.output or "interrupted" in ended.output
                [again] = run_together(nursery, place, index, [command])
                assert again.code == 0, again.output
            else:
                assert ended.code == 0, ended.output
        reviews = {path.stem for path in (place.study / "anchors" / "reviews").rglob("*.yaml")}
        assert reviews == {"q01-a8", "q01-a9", "q01-a10"}
        assert not list(place.study.rglob(".*.new"))
