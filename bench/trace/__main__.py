"""Times `annot trace` next to `git log`, in one run, and checks it on known changes of vLLM.

    python -m bench.trace --repo CLONE [--commits 3000] [--runs 5] [TARGET ...]

CLONE is a clone of vLLM with history. Seconds are medians of whole processes, taken in turn; ratios hold between
machines, seconds do not. Known changes whose commits the clone lacks are left out.
"""

import argparse
from pathlib import Path

from rich.console import Console

from bench.trace.cases import check_cases, print_cases, read_cases
from bench.trace.speed import print_timings, time_trace

TARGETS = (
    "vllm/v1/core/block_pool.py::BlockPool.touch",
    "vllm/v1/core/block_pool.py::BlockPool.cache_full_blocks",
    "vllm/v1/core/sched/scheduler.py::Scheduler.schedule",
)
"""A method that hardly changes, one that does, and one of the most changed of the largest files."""


def main() -> None:
    """Measures, checks, prints."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.trace", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET")
    parser.add_argument("--repo", type=Path, required=True, help="git folder of a clone of vLLM")
    parser.add_argument("--end", default="HEAD", help="newest commit")
    parser.add_argument("--commits", type=int, default=3000, help="how many commits back")
    parser.add_argument("--runs", type=int, default=5, help="runs that count")
    arguments = parser.parse_args()
    console = Console(width=150)
    start = f"{arguments.end}~{arguments.commits}"
    timings = {
        target: time_trace(target, arguments.repo, start, arguments.end, arguments.runs)
        for target in arguments.targets
    }
    console.print(f"{arguments.commits:,} commits, {arguments.runs} runs")
    print_timings(console, timings)
    print_cases(console, list(check_cases(read_cases(), arguments.repo, arguments.end)))


if __name__ == "__main__":
    main()
