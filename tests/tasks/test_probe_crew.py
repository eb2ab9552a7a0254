"""Matrices of probes: in processes, and on a Dask cluster of several worker processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from annotator.model.failures import Incomplete
from annotator.model.probe import ProbeReport, ProbeRun, ProbeStatus
from annotator.model.upstream import Upstream
from annotator.probes.environments import inspect_interpreter
from annotator.probes.results import Results
from annotator.probes.runner import Runner
from annotator.tasks.crew import Crew, run_parts
from annotator.tasks.probe import one_by_one, probe
from annotator.tasks.probe_crew import ProbeCrew
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from tests.conftest import MakeRepository
from tests.probes.conftest import processes_with
from tests.tasks import demo_probe

COMMITS = 8
pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="processes are killed by signal"),
    # what Dask says of itself while workers come and go is not ours
    pytest.mark.filterwarnings("default"),
]


def _behave(number: int, more: str = "pass") -> dict[str, str]:
    body = (
        f"def run(context):\n    {more}\n    context.saw('number', {number})\n"
        f"    context.saw('device', context.device)\n"
        f"    context.verdict('good', {number % 5 != 0}, 'seen {number}')\n"
    )
    return {"demo/__init__.py": "", "demo/behave.py": body}


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in demo_probe.REPLACED.items():
        monkeypatch.setattr(name, value)
    monkeypatch.setenv("ANNOT_PROBE_PYTHON", sys.executable)


@pytest.fixture
def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Looks for children of probes that processes started by the test have started."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return lambda: processes_with(f"{tmp_path}/annot-probe-")


@pytest.fixture
def project(make_repository: MakeRepository) -> Path:
    return make_repository(*(_behave(number) for number in range(1, COMMITS + 1)))


Matrix = Callable[..., ProbeReport]


def _described(project: Path) -> Upstream:
    fields = {
        "title": "Demo",
        "git": project.as_uri(),
        "branch": "main",
        "licence": "Apache-2.0",
        "pin": {"release": "v1", "date": "2026-10-23"},
    }
    return Upstream.model_validate(fields)


@pytest.fixture
def matrix(demo: None, project: Path) -> Matrix:
    """Runs the probe on all commits; with `fetched`, workers have to fetch the source themselves."""

    def run(
        crew: Crew | None,
        *,
        fetched: bool = False,
        results: Results | None = None,
        progress: Callable[[str, int, int], None] = lambda what, done, total: None,
        **more: Any,
    ) -> ProbeReport:
        runner = Runner([inspect_interpreter(Path(sys.executable))], results)
        run_all = one_by_one(runner)
        if crew is not None:
            repo_of = (lambda upstream: None) if fetched else (lambda upstream: project)
            upstreams = {"demo": _described(project)}
            run_all = ProbeCrew(crew, results, upstreams=upstreams, repo_of=repo_of)
        refs = [f"v{number}" for number in range(1, COMMITS + 1)]
        options = {"engine": "none", **more}
        with Workspace(cache_folder(), project) as workspace:
            return probe(workspace, runner, [], refs, run_all=run_all, progress=progress, **options)

    return run


def _seen(report: ProbeReport) -> list[tuple[object, ...]]:
    return [
        (run.label, run.commit, run.status, run.verdicts, run.observations) for run in report.runs
    ]


@contextmanager
def _cluster(folder: Path, *, environment: bool = True, gpus: int = 0) -> Iterator[Any]:
    """Two worker processes, each on a machine of its own as far as it can tell, and some with a GPU."""
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")

    def worker(**options: Any) -> dict[str, Any]:
        return {"cls": distributed.Nanny, "options": {"nthreads": 1, **options}}

    workers = {f"plain-{number}": worker() for number in range(2)}
    workers |= {f"gpu-{number}": worker(resources={"GPU": 1}) for number in range(gpus)}
    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"dashboard": False, "host": "127.0.0.1", "port": 0},
    }
    plugin = type("Plugin", (demo_probe.Worker, distributed.WorkerPlugin), {})
    with (
        distributed.SpecCluster(workers=workers, scheduler=scheduler) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.register_plugin(plugin(folder, environment=environment))
        cluster.client = client
        yield cluster


def test_results_of_workers_are_kept_here(
    matrix: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = Results(tmp_path / "here")
    first = matrix(Crew(), results=results)
    monkeypatch.setenv("ANNOT_CACHE_DIR", str(tmp_path / "another-machine"))
    again = matrix(Crew(), results=results)
    assert not any(run.remembered for run in first.runs)
    assert all(run.remembered for run in again.runs)
    assert _seen(first) == _seen(again)


def test_a_matrix_on_a_cluster_loses_nothing_when_a_worker_is_killed(
    matrix: Matrix, children: Callable[[], list[str]], tmp_path: Path
) -> None:
    killed: list[int] = []
    with _cluster(tmp_path) as cluster:

        def kill_one(what: str, done: int, total: int) -> None:
            if 2 < done < total and not killed:
                [(_, process), *_] = cluster.client.run(os.getpid).items()
                killed.append(process)
                os.kill(process, signal.SIGKILL)

        crew = Crew(cluster=cluster.scheduler_address)
        results = Results(tmp_path / "here")
        report = matrix(crew, fetched=True, results=results, progress=kill_one)
        machines = sorted(path.name for path in tmp_path.glob("machine-*"))
        again = matrix(crew, fetched=True, results=results)
    assert killed
    assert _seen(report) == _seen(matrix(None))
    assert all(run.remembered for run in again.runs)
    assert len(machines) == 2, "both workers fetched source and ran probes"
    assert all((tmp_path / machine / "sources" / "demo").is_dir() for machine in machines)
    _wait_for(lambda: not children())


def test_a_worker_without_environment_says_so(matrix: Matrix, tmp_path: Path) -> None:
    with _cluster(tmp_path, environment=False) as cluster:
        report = matrix(Crew(cluster=cluster.scheduler_address), fetched=True)
    assert {run.status for run in report.runs} == {ProbeStatus.SKIPPED}
    assert report.exit_code == 3
    for run in report.runs:
        assert run.reason.startswith("on ")
        assert run.reason.endswith(": there is no environment to run it in")
        assert run.hint == "annot probe setup"


def _on(report: ProbeReport, device: str, tier: str) -> list[ProbeRun]:
    return [run for run in report.runs if (run.device, run.tier) == (device, tier)]


def test_runs_on_a_gpu_are_refused_where_no_worker_declares_one(
    matrix: Matrix, tmp_path: Path
) -> None:
    with _cluster(tmp_path) as cluster:
        crew = Crew(cluster=cluster.scheduler_address)
        report = matrix(crew, fetched=True, engine="auto", devices=["cuda"])
    assert all(run.is_complete for run in _on(report, "cpu", "source"))
    refused = _on(report, "cuda", "overlay")
    assert len(refused) == COMMITS
    for run in refused:
        assert run.status is ProbeStatus.SKIPPED
        assert "declares a GPU" in run.reason
        assert "--resources GPU=1" in run.hint


def test_runs_on_a_gpu_go_to_the_worker_that_declares_one(matrix: Matrix, tmp_path: Path) -> None:
    with _cluster(tmp_path, gpus=1) as cluster:
        crew = Crew(cluster=cluster.scheduler_address)
        report = matrix(crew, fetched=True, engine="auto", devices=["cpu", "cuda"])
    assert len(report.runs) == 3 * COMMITS
    on_gpu = _on(report, "cuda", "overlay")
    assert [run.observations["device"] for run in on_gpu] == ["cuda"] * COMMITS
    for run in _on(report, "cpu", "overlay"):
        assert "with demo installed" in run.reason or "has demo for cpu" in run.reason
    drifts = {(drift.tier, drift.old_label, drift.new_label) for drift in report.drifts}
    assert drifts == {
        (tier, f"v{number}", f"v{number + 1}")
        for tier in ("source", "overlay")
        for number in range(1, COMMITS)
    }


def endless(number: int) -> int:
    time.sleep(60)
    return number


def test_a_cluster_whose_workers_do_not_come_back_is_said(tmp_path: Path) -> None:
    with _cluster(tmp_path) as cluster:
        crew = Crew(cluster=cluster.scheduler_address, patience=1)
        cluster.scale(0)
        _wait_for(lambda: not cluster.scheduler_info["workers"])
        with pytest.raises(Incomplete, match="has no workers"):
            list(run_parts(endless, range(4), crew))
        with pytest.raises(Incomplete, match="declares a GPU"):
            list(run_parts(endless, range(4), crew._replace(gpu=True)))


def brief(number: int) -> int:
    time.sleep(0.2)
    return number


def test_a_cluster_that_ends_in_the_middle_is_said(tmp_path: Path) -> None:
    with _cluster(tmp_path) as cluster:
        done = run_parts(brief, range(99), Crew(cluster=cluster.scheduler_address))
        next(done)
        cluster.client.close()
        cluster.close()
        with pytest.raises(Incomplete, match="no cluster answers at"):
            list(done)


SCRIPT = """
import sys
from tests.tasks import demo_probe
demo_probe.install()  # in the workers that it starts, too: they read this file
if __name__ == "__main__":
    from annotator.cli.app import run
    sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture
def annot(demo: None, tmp_path: Path) -> list[str]:
    """The command `annot` with the demo probe as the only one."""
    script = tmp_path / "annot.py"
    script.write_text(SCRIPT, encoding="utf-8")
    return [sys.executable, str(script)]


ROOT = {"PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.mark.parametrize(
    "options", [("--jobs", "2"), ("--jobs", "2", "--fresh")], ids=["remembers", "fresh"]
)
def test_processes_see_what_one_run_after_another_sees(
    options: tuple[str, ...], annot: list[str], project: Path
) -> None:
    commits = [word for number in range(1, 5) for word in ("--commit", f"v{number}")]
    command = [*annot, "probe", "--repo", str(project), "--engine", "none", "--format", "json"]

    def runs(*more: str) -> list[dict[str, Any]]:
        done = subprocess.run(
            [*command, *commits, *more],
            env={**os.environ, **ROOT},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout)["runs"])

    def seen(found: list[dict[str, Any]]) -> list[list[object]]:
        return [
            [run[key] for key in ("label", "commit", "status", "observations")] for run in found
        ]

    shared = runs(*options)
    alone = runs()
    assert seen(shared) == seen(alone)
    assert {run["remembered"] for run in alone} == {"--fresh" not in options}


@pytest.mark.parametrize("where", ["one after another", "processes", "cluster"])
def test_ctrl_c_stops_a_matrix(
    where: str,
    annot: list[str],
    make_repository: MakeRepository,
    children: Callable[[], list[str]],
    tmp_path: Path,
) -> None:
    trees = [_behave(number, "import time; time.sleep(5)") for number in range(1, 7)]
    repository = make_repository(*trees)
    commits = [word for number in range(1, 7) for word in ("--commit", f"v{number}")]
    with ExitStack() as stack:
        more = {"one after another": [], "processes": ["--jobs", "2"], "cluster": []}[where]
        if where == "cluster":
            cluster = stack.enter_context(_cluster(tmp_path))
            more = ["--cluster", cluster.scheduler_address]
        command = [*annot, "probe", "--repo", str(repository), "--engine", "none", *commits, *more]
        with subprocess.Popen(
            command,
            env={**os.environ, **ROOT},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as running:
            _wait_for(children)
            begun = time.monotonic()
            os.killpg(running.pid, signal.SIGINT)
            _, said = running.communicate(timeout=60)
        assert running.returncode == 130, said
        assert "interrupted" in said
        assert time.monotonic() - begun < 4.5, "it did not wait for the runs"
        # what a cluster's workers have under way ends by itself, within the limits of the probe
        _wait_for(lambda: not children())


def _wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)
