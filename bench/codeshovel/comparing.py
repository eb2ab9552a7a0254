"""One oracle next to what annot and git say."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from annotator.model.history import History
from bench.codeshovel.main_line import (
    Function,
    MainLine,
    candidates_at_introduction,
    function_at_start,
)
from bench.codeshovel.oracles import Oracle, in_oracle_words
from bench.git import git_lines
from bench.trace.annot import trace_command

Changes = Mapping[str, frozenset[str]]


class Compared(NamedTuple):
    """One oracle next to two answers.

    Attributes:
        oracle: the oracle.
        introduced: the function where annot's trace begins, as a target.
        truth: main-line commit → kinds of change.
        annot: the same from `annot trace`.
        with_layout: the same, with quotes and layout counted as a changed body.
        line_log: commits that `git log -L` lists.
        arrived: whether the trace ends at the function that the oracle is about.
    """

    oracle: Oracle
    introduced: str
    truth: Changes
    annot: Changes
    with_layout: Changes
    line_log: frozenset[str]
    arrived: bool


def compare(oracle: Oracle, repo: Path) -> Compared:
    """Traces the function of one oracle.

    It begins at the function whose trace ends where the oracle's does, or where none does, at the one that shares
    most commits with the oracle.
    """
    here = function_at_start(repo, oracle)
    line = MainLine(repo, oracle.start)
    truth = line.changes(oracle)
    begin = line.commit_of(oracle.introduced)
    introduced, history, arrived = "not found", None, False
    for candidate in candidates_at_introduction(repo, begin, oracle):
        found = _trace(candidate, repo, begin, oracle.start)
        arrived = found.end is not None and found.end.symbol == here.symbol.name
        if arrived or history is None or _shared(found, truth) > _shared(history, truth):
            introduced, history = candidate.target, found
        if arrived:
            break
    log = git_lines(
        repo,
        *("log", "--first-parent", "--no-patch", "--format=%H", f"{begin}..{oracle.start}"),
        f"-L{here.symbol.start},{here.symbol.end}:{here.path}",
    )
    return Compared(
        oracle=oracle,
        introduced=introduced,
        truth=truth,
        annot=_changes(history, layout=False),
        with_layout=_changes(history, layout=True),
        line_log=frozenset(log),
        arrived=arrived,
    )


def _trace(function: Function, repo: Path, begin: str, end: str) -> History:
    command = trace_command(function.target, repo, begin, end)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=History)


def _shared(history: History, truth: Changes) -> int:
    return len(_changes(history, layout=True).keys() & truth.keys())


def _changes(history: History | None, *, layout: bool) -> Changes:
    steps = {
        step.commit: in_oracle_words(step, layout=layout)
        for step in (history.steps if history else ())
    }
    return {commit: kinds for commit, kinds in steps.items() if kinds}
