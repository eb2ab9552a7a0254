"""The same promises for a user without any privilege, and without what namespaces give."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotator.model.probe import ProbeStatus
from annotator.probes import runner, sandbox
from tests.faults.privileges import as_nobody
from tests.probes.conftest import GOOD

if TYPE_CHECKING:
    from tests.probes.conftest import RunDemo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looked at through /proc")
ROOT = Path(__file__).parents[2]
SECRET = "annot-secret-5d1f"


@pytest.fixture(params=["with namespaces", "without namespaces"])
def cut_off(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param == "with namespaces":
        if not sandbox.namespaces().processes:
            pytest.skip("this system gives no namespaces")
        return True
    nothing = sandbox.Namespaces((), False, False)
    monkeypatch.setattr(sandbox, "namespaces", lambda: nothing)
    monkeypatch.setattr(runner, "namespaces", lambda: nothing)
    return False


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """Another program of the user's, with a secret among its variables; annot has it as well."""
    monkeypatch.setenv("TOKEN", SECRET)
    with subprocess.Popen(["sleep", "60"]) as running:
        yield running
        running.kill()


def test_variables_of_other_processes_are_not_read(
    cut_off: bool, program: "subprocess.Popen[bytes]", run_demo: "RunDemo"
) -> None:
    """What a process was started with can be read by its user, in /proc: but not from inside Landlock."""
    run = run_demo(
        f"""
        import glob
        seen = 0
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                seen += {SECRET!r}.encode() in open(path, "rb").read()
            except OSError:
                pass
        context.saw("seen", seen)
        {GOOD}
        """
    )
    assert run.status is ProbeStatus.CONFIRMED
    if not cut_off and run.isolation["files"] == "not limited":
        pytest.skip("this system has neither namespaces nor Landlock")
    assert run.observations["seen"] == 0


def test_other_processes_are_neither_traced_nor_seen(
    cut_off: bool, program: "subprocess.Popen[bytes]", run_demo: "RunDemo"
) -> None:
    run = run_demo(
        f"""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        context.saw("attach", libc.ptrace(16, {program.pid}, 0, 0))
        context.saw("there", os.path.exists("/proc/{program.pid}/stat"))
        {GOOD}
        """
    )
    assert run.status is ProbeStatus.CONFIRMED
    if not cut_off and run.isolation["files"] == "not limited":
        pytest.skip("this system has neither namespaces nor Landlock")
    assert run.observations["attach"] == -1
    assert program.poll() is None
    if cut_off:
        assert run.observations["there"] is False


PROMISES = [
    "test_a_well_behaved_upstream_is_confirmed",
    "test_the_network_is_cut_off_but_loopback_works",
    "test_it_cannot_write_outside_its_folder",
    "test_it_sees_none_of_the_users_variables",
    "test_a_daemon_does_not_outlive_its_run",
    "test_a_hang_ends_at_the_time_limit",
    "test_nothing_outlives_a_run_without_namespaces",
]


@pytest.mark.skipif(os.geteuid() != 0, reason="all tests run without privileges already")
def test_the_promises_hold_for_an_ordinary_user(tmp_path: Path) -> None:
    """The tests themselves, run as nobody."""
    reads = 'test -r "$1" && exec "$0" -c "import pytest, hypothesis"'
    tried = as_nobody(["sh", "-c", reads, sys.executable, str(ROOT / "annotator" / "api.py")])
    if subprocess.run(tried, capture_output=True, check=False).returncode != 0:
        pytest.skip("nobody may read this checkout, or run its interpreter")
    for parent in (tmp_path, *tmp_path.parents):
        if parent.name.startswith("pytest-"):
            parent.chmod(0o755)
    base = tmp_path / "nobody"
    base.mkdir()
    base.chmod(0o777)
    tests = [f"{ROOT}/tests/probes/test_hostile_upstream.py::{name}" for name in PROMISES]
    pytest_here = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", "-q", "-rs"]
    done = subprocess.run(
        as_nobody([*pytest_here, f"--basetemp={base}/t", *tests]),
        cwd=ROOT,
        env={**os.environ, "HOME": str(base), "TMPDIR": str(base), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
