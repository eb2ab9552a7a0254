"""What a command of annot costs, as a process of its own."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from bench.speed.measuring import ROOT, annot, run_measured


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
    command = annot("check", "--study", str(study), "--format", "json")
    command += ["--repo", str(repository), "--commit", commit]
    cost, done = run_measured(command, {**os.environ, "PYTHONPATH": str(ROOT)})
    return Measured(json.loads(done.stdout), cost.cpu, int(cost.megabytes))
