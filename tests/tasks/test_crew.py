"""Parts of a work among workers: whatever dies, nothing is lost."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from annotator.model.failures import Incomplete, UserMistake
from annotator.tasks.crew import Crew, run_parts


def double(number: int) -> int:
    return 2 * number


def refuse(number: int) -> int:
    if number == 3:
        raise UserMistake("three is wrong", hint="take four")
    return number


def die_once(part: tuple[str, int]) -> int:
    folder, number = part
    if number % 4 == 2 and not Path(folder, "died").exists():
        Path(folder, "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_part_is_done_once(jobs: int) -> None:
    done = list(run_parts(double, range(40), Crew(jobs)))
    assert Counter(done) == Counter((number, 2 * number) for number in range(40))


@pytest.mark.parametrize("jobs", [1, 2])
def test_failures_of_the_work_are_told_as_they_are(jobs: int) -> None:
    with pytest.raises(UserMistake, match="three is wrong") as caught:
        list(run_parts(refuse, range(9), Crew(jobs)))
    assert caught.value.hint == "take four"


def test_in_this_process_a_part_is_done_only_when_the_one_before_was_taken() -> None:
    begun: list[int] = []

    def note(number: int) -> int:
        begun.append(number)
        return number

    results = run_parts(note, range(9), Crew(1))
    next(results)
    assert len(begun) <= 2
    results.close()


@pytest.mark.skipif(os.name != "posix", reason="processes are killed by signal")
def test_parts_of_a_killed_process_are_given_out_again(tmp_path: Path) -> None:
    parts = [(str(tmp_path), number) for number in range(12)]
    done = [number for _, number in run_parts(die_once, parts, Crew(2))]
    assert (tmp_path / "died").exists()
    assert sorted(done) == list(range(12))


@pytest.mark.skipif(os.name != "posix", reason="processes are killed by signal")
def test_work_that_kills_every_worker_comes_to_an_end() -> None:
    with pytest.raises(Incomplete, match="3 times"):
        list(run_parts(die, range(3), Crew(2)))


def test_a_cluster_that_is_not_there_is_said() -> None:
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    with pytest.raises(Incomplete, match=r"no cluster answers at tcp://127\.0\.0\.1:1"):
        list(run_parts(double, range(3), Crew(cluster="tcp://127.0.0.1:1")))


def test_a_cluster_without_dask_is_a_mistake_with_a_hint() -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from annotator.cli.app import run\n"
        "from annotator.tasks.crew import Crew, run_parts\n"
        "from annotator.model.failures import UserMistake\n"
        "try: list(run_parts(len, ['a'], Crew(cluster='tcp://127.0.0.1:1')))\n"
        "except UserMistake as error: print(error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "annot[cluster]" in done.stdout
