"""What a command costs: processor and wall seconds, and its peak memory, of whole processes."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_LAUNCHER = """
import os, shutil, sys
child = os.posix_spawn(shutil.which(sys.argv[2]), sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    file.write(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""A small process between: the peak of a child is never less than what its parent had when it was started."""


class Cost(NamedTuple):
    """What running a command costs.

    Attributes:
        cpu: seconds of processor time, in the program and in the kernel, with all children.
        wall: seconds on the clock.
        megabytes: peak memory of its largest process.
    """

    cpu: float
    wall: float
    megabytes: float


def cost_of(command: Sequence[str], cache: Path | None = None) -> Cost:
    """Runs a command once; exit code 1 means drift or breakages, and is fine.

    Args:
        command: the command.
        cache: annot's cache folder for it.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT)
    if cache is not None:
        environment["ANNOT_CACHE_DIR"] = str(cache)
    cost, done = run_measured(command, environment)
    if done.returncode not in {0, 1} or b"Traceback" in done.stderr:
        said = done.stderr.decode(errors="replace")[-2000:]
        sys.exit(f"{' '.join(command[:8])} … failed: {said}")
    return cost


def run_measured(
    command: Sequence[str], environment: Mapping[str, str]
) -> tuple[Cost, "subprocess.CompletedProcess[bytes]"]:
    """Runs a command once, whatever comes of it; what it prints is caught."""
    with tempfile.NamedTemporaryFile() as noted:
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-S", "-c", _LAUNCHER, noted.name, *command],
            env=environment,
            capture_output=True,
            check=False,
        )
        wall = time.perf_counter() - begun
        seconds, peak = map(float, noted.read().split())
    # macOS counts bytes, Linux kilobytes
    return Cost(seconds, wall, peak / (2**20 if sys.platform == "darwin" else 2**10)), done


def together(costs: Sequence[Cost]) -> Cost:
    """What several commands cost one after the other."""
    cpu, wall, memory = zip(*costs, strict=True)
    return Cost(sum(cpu), sum(wall), max(memory))


def median(costs: Sequence[Cost]) -> Cost:
    """The middle of several runs, each figure by itself."""
    return Cost(*(statistics.median(figures) for figures in zip(*costs, strict=True)))


def annot(*arguments: str) -> list[str]:
    """A command line of annot."""
    return [sys.executable, "-m", "annotator", *arguments]


def as_json(cost: Cost) -> Mapping[str, float]:
    """A cost in figures worth keeping."""
    return {
        "cpu_seconds": round(cost.cpu, 3),
        "wall_seconds": round(cost.wall, 3),
        "megabytes": round(cost.megabytes),
    }
