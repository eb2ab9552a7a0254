"""Times `annot trace` next to what git needs to list a file's commits and to follow a function."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from bench.git import attributes_setting
from bench.trace.annot import trace_command

FLOOR = "git log -- path"


class Timing(NamedTuple):
    """How long one command took.

    Attributes:
        seconds: median of whole processes.
        ratio: to the floor, `git log --first-parent -- path`.
    """

    seconds: float
    ratio: float


def time_trace(target: str, repo: Path, start: str, end: str, runs: int) -> dict[str, Timing]:
    """Times all commands on one target, in turn; the first round does not count.

    Args:
        target: a Python function, method or class, as `path::Qual.name`, called so at both commits.
        repo: git folder of a clone with history.
        start: older commit.
        end: newer commit.
        runs: rounds that count.
    """
    path, _, symbol = target.partition("::")
    name = symbol.rpartition(".")[2]
    with tempfile.TemporaryDirectory() as folder:
        option = next(f"{key}={value}" for key, value in attributes_setting(Path(folder)).items())
        log = ["git", "--no-pager", "--git-dir", str(repo), "-c", option, "log", "--first-parent"]
        log += ["--format=%H", f"{start}..{end}"]
        cache = Path(folder, "cache")
        trace = trace_command(target, repo, start, end)
        commands: dict[str, Callable[[], None]] = {
            FLOOR: lambda: _run([*log, "--", path]),
            "git log -L :name:path": lambda: _run([*log, f"-L:\\(class\\|def\\) {name}\\>:{path}"]),
            "annot trace, nothing cached": lambda: _cold(trace, cache),
            "annot trace, again": lambda: _run(trace, cache),
        }
        seconds: dict[str, list[float]] = {label: [] for label in commands}
        for _ in range(runs + 1):
            for label, command in commands.items():
                begun = time.perf_counter()
                command()
                seconds[label].append(time.perf_counter() - begun)
    medians = {label: statistics.median(values[1:]) for label, values in seconds.items()}
    return {label: Timing(median, median / medians[FLOOR]) for label, median in medians.items()}


def print_timings(console: Console, timings: Mapping[str, Mapping[str, Timing]]) -> None:
    """Prints seconds and ratios, one column a target."""
    table = Table(
        title="seconds (× git log -- path)", title_justify="left", box=None, padding=(0, 2, 0, 0)
    )
    table.add_column("")
    for target in timings:
        table.add_column(target.partition("::")[2], justify="right")
    for label in next(iter(timings.values())):
        cells = (timing[label] for timing in timings.values())
        table.add_row(label, *(f"{cell.seconds:.2f} (× {cell.ratio:.1f})" for cell in cells))
    console.print(table, "")


def _cold(command: Sequence[str], cache: Path) -> None:
    shutil.rmtree(cache, ignore_errors=True)
    _run(command, cache)


def _run(command: Sequence[str], cache: Path | None = None) -> None:
    environment = os.environ | ({"ANNOT_CACHE_DIR": str(cache)} if cache else {})
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:8])} … failed: {done.stderr.decode(errors='replace')}")
