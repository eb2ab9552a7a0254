"""What a command of annot costs, as a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
_LAUNCHER = """
import os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, _, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    file.write(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
"""
"""A small process between: the peak of a child is never less than what its parent had when it was started."""


class Measured(NamedTuple):
    """A check and what it cost.

    Attributes:
        report: its JSON.
        cpu: seconds of processor time.
        megabytes: most memory of the process.
    """

    report: dict[str, Any]
    cpu: float
    megabytes: int

    @property
    def outcomes(self) -> dict[str, str]:
        """Outcome by the anchor's id."""
        return {each["id"]: each["resolution"]["outcome"] for each in self.report["anchors"]}


def measured_check(study: Path, repository: Path, commit: str) -> Measured:
    """Checks a study; nothing but drift may be wrong."""
    command = [sys.executable, "-m", "annotator", "check", "--study", str(study)]
    command += ["--format", "json", "--repo", str(repository), "--commit", commit]
    with tempfile.NamedTemporaryFile() as cost:
        done = subprocess.run(
            [sys.executable, "-S", "-c", _LAUNCHER, cost.name, *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            check=False,
        )
        seconds, peak = map(float, cost.read().split())
    # macOS counts bytes, Linux kilobytes
    return Measured(
        json.loads(done.stdout), seconds, int(peak) >> (20 if sys.platform == "darwin" else 10)
    )
