"""A sweep on a Dask cluster of several worker processes, one of which is killed in the middle."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.model.commit_map import CommitMap
from annotator.probes.known import probe_names
from annotator.store.study_loader import load_study
from annotator.tasks.crew import Crew, run_parts
from annotator.tasks.sweep import CommitRange, sweep
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from tests.conftest import MakeRepository

distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="processes are killed by signal"),
    # what Dask says of itself while workers come and go is not ours
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=3,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        host="127.0.0.1",
    ) as local:
        yield local


def worker_of(part: int) -> tuple[int, int]:
    return part, os.getpid()


def test_parts_run_in_the_workers_of_the_cluster(cluster: Any) -> None:
    crew = Crew(cluster=cluster.scheduler_address)
    done = list(run_parts(worker_of, range(24), crew))
    assert sorted(part for part, _ in done) == list(range(24))
    assert os.getpid() not in {process for _, (_, process) in done}


def test_work_for_a_gpu_goes_to_workers_that_declare_one() -> None:
    spec = {
        "plain": {"cls": distributed.Nanny, "options": {"nthreads": 1}},
        "gpu": {"cls": distributed.Nanny, "options": {"nthreads": 1, "resources": {"GPU": 1}}},
    }
    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"dashboard": False, "host": "127.0.0.1", "port": 0},
    }
    with (
        distributed.SpecCluster(workers=spec, scheduler=scheduler) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        declared = {
            worker["id"]: worker["resources"]
            for worker in client.scheduler_info(n_workers=-1)["workers"].values()
        }
        processes = client.run(os.getpid)
        with_gpu = {
            processes[address]
            for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()
            if worker["resources"]
        }
        assert len(declared) == 2
        crew = Crew(cluster=local.scheduler_address, gpu=True)
        done = list(run_parts(worker_of, range(8), crew))
    assert {process for _, (_, process) in done} == with_gpu


def test_a_sweep_loses_nothing_when_a_worker_is_killed(
    make_repository: MakeRepository, make_study: Callable[[str], Path], cluster: Any
) -> None:
    body = "".join(f"    step_{n} = items[{n}].run(limit)\n" for n in range(6))
    trees = [
        {
            f"m{m}.py": f"def work_{m}(items, limit):\n{body}    return {n if m == n % 5 else 0}\n"
            for m in range(5)
        }
        for n in range(160)
    ]
    repository = make_repository(*trees)
    anchors = "".join(
        f'  - {{id: a-{m}, target: "m{m}.py::work_{m}", note: {{zh: 注, en: Note}}}}\n'
        for m in range(5)
    )
    folder = make_study(anchors)
    study = load_study(folder / "anchors", probe_names())
    killed: list[int] = []

    def swept(crew: Crew, told: Callable[[str, int, int], None]) -> CommitMap:
        with Workspace(cache_folder(), repository) as workspace:
            return sweep(
                workspace,
                study,
                dict(study.upstreams),
                {},
                CommitRange("v1", "HEAD"),
                repo=repository,
                crew=crew,
                progress=told,
            )

    def kill_one(name: str, done: int, total: int) -> None:
        if 0 < done < total and not killed:
            with distributed.Client(cluster, set_as_default=False) as client:
                killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    on_cluster = swept(Crew(cluster=cluster.scheduler_address), kill_one)
    assert killed, "the sweep has several parts"
    (cache_folder() / "sweeps.sqlite").unlink()
    alone = swept(Crew(), lambda name, done, total: None)
    assert on_cluster == alone
    assert all(len(row.turns) > 30 for row in alone.upstreams[0].rows)
