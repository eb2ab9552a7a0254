"""Starts commands of annot as processes of their own, without an interpreter's start for each.

A kill is to hit the work of a command, not the half second in which Python starts and imports. So one process imports
everything once and forks a child for each command; the child leads a session of its own and can be killed with all that
it started. Run as a script it is that process: a line of JSON in, a line of JSON out.
"""

import contextlib
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).parents[2]
_LEFT_OUT = ("annotator.probes.", "annotator.site_pages.", "annotator.reading.")


class Ended(NamedTuple):
    """How a command ended: its exit code (negative for a signal), and what it printed."""

    code: int
    output: str


class Running:
    """A command under way."""

    def __init__(self, nursery: "Nursery", pid: int, log: Path) -> None:
        self._nursery = nursery
        self.pid = pid
        self._log = log

    def kill(self, *, with_children: bool) -> None:
        """Kills it, at once; with its own children, or leaving those alone."""
        with contextlib.suppress(ProcessLookupError):  # it was quicker
            (os.killpg if with_children else os.kill)(self.pid, signal.SIGKILL)

    def wait(self) -> Ended:
        """Waits for its end, and for that of what it started."""
        code = self._nursery.ask({"wait": self.pid})["code"]
        deadline = time.monotonic() + 20
        while _is_there(self.pid):  # children that a kill has left alone
            assert time.monotonic() < deadline, "a child does not end"
            time.sleep(0.01)
        return Ended(code, self._log.read_text(encoding="utf-8", errors="replace"))


class Nursery:
    """The process that commands are forked from. Use it as a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def start(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path
    ) -> Running:
        """Starts `annot ARGUMENTS` in a folder; all of its environment variables are given."""
        request = {
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(environment),
            "log": str(log),
        }
        return Running(self, self.ask(request)["pid"], log)

    def ask(self, request: Mapping[str, object]) -> Any:
        """One line to the nursery, one line back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _nurse() -> None:
    for module in pkgutil.walk_packages(
        importlib.import_module("annotator").__path__, "annotator."
    ):
        if not module.name.startswith(_LEFT_OUT) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            status = os.waitpid(request["wait"], 0)[1]
            answer = {"code": os.waitstatus_to_exitcode(status)}
        else:
            answer = {"pid": os.fork() or _be_annot(request)}
        print(json.dumps(answer), flush=True)


def _be_annot(request: Mapping[str, Any]) -> int:
    from annotator.cli.app import run

    code = 70
    try:
        os.setsid()
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        code = run(request["arguments"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _nurse()
