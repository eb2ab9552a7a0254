"""What a command of annot costs, as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]


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
    command = [
        sys.executable,
        "-m",
        "annotator",
        "check",
        "--study",
        str(study),
        "--format",
        "json",
    ]
    with subprocess.Popen(
        [*command, "--repo", str(repository), "--commit", commit],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        report = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    # macOS counts bytes, Linux kilobytes
    peak = usage.ru_maxrss >> (20 if sys.platform == "darwin" else 10)
    return Measured(report, usage.ru_utime + usage.ru_stime, peak)
