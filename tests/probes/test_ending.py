"""Runs that are broken off from outside: nothing of them is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.probes.conftest import processes_with

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc and sends signals")

SCRIPT = """
import sys, tempfile, time
from annotator.probes.sandbox import Limits, Sandbox

tempfile.tempdir = sys.argv[1]
with Sandbox() as sandbox:
    folder = sandbox.folder
    (folder / "tree").mkdir()
    if sys.argv[2] == "fills":
        (folder / "started").touch()
        time.sleep(100)
    code = (
        "import os, subprocess, sys, time\\n"
        "if os.fork() == 0:\\n"
        "    os.setsid()\\n"
        f"open({str(folder / 'started')!r}, 'w').close()\\n"
        "time.sleep(100); 'annot-test-ending'"
    )
    sandbox.run(
        [sys.executable, "-c", code], {}, Limits(seconds=100), cwd=folder, result=folder / "r"
    )
"""


@pytest.mark.parametrize("when", ["fills", "runs"])
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, -signal.SIGINT),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGKILL, -signal.SIGKILL),
    ],
    ids=["Ctrl-C", "terminated", "killed"],
)
def test_nothing_is_left_when_annot_ends(number: int, code: int, when: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, str(script), str(scratch), when],
        env={**os.environ, "PYTHONPATH": root},
        stderr=subprocess.DEVNULL,
    ) as annot:
        _wait_for(lambda: any(scratch.glob("*/started")))
        assert bool(processes_with("annot-test-ending")) == (when == "runs")
        annot.send_signal(number)
        assert annot.wait(20) == code
    _wait_for(lambda: not list(scratch.iterdir()))
    _wait_for(lambda: not processes_with("annot-test-ending"))


def _wait_for(condition: object, seconds: float = 15) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)
