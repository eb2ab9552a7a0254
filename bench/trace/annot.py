"""Runs `annot trace` as a user would."""

import sys
from collections.abc import Sequence
from pathlib import Path


def trace_command(target: str, repo: Path, start: str, end: str) -> Sequence[str]:
    """The command that follows a target between two commits of a clone and prints JSON."""
    annot = [sys.executable, "-m", "annotator", "trace", target, "--repo", str(repo)]
    return [*annot, "--from", start, "--to", end, "--all", "--format", "json"]
