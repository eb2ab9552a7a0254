"""Real changes that broke others: does the trace name the pull request, and what it did?"""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from rich.console import Console
from rich.table import Table

from annotator.model.history import History
from annotator.model.words import ChangeKind
from bench.git import git
from bench.trace.annot import trace_command

CASES = Path(__file__).parents[1] / "cases.yaml"


class KnownStep(BaseModel):
    """One known change of a target.

    Attributes:
        pull_request: where it came from.
        kinds: what it did to the target, at least.
        says: the change in a sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pull_request: int
    kinds: frozenset[ChangeKind]
    says: str


class Case(BaseModel):
    """A target and what is known of its history.

    Attributes:
        target: the target as it is called at `start`.
        start: a commit before the known changes.
        steps: the known changes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str
    start: str = Field(alias="from")
    steps: tuple[KnownStep, ...]


class Checked(NamedTuple):
    """A known change next to what the trace says.

    Attributes:
        case: the case.
        step: the known change.
        kinds: what the trace says the pull request did; none if it does not name it.
    """

    case: Case
    step: KnownStep
    kinds: frozenset[ChangeKind] | None

    @property
    def verdict(self) -> str:
        """`right`, or what is wrong."""
        if self.kinds is None:
            return "not named"
        missing = sorted(self.step.kinds - self.kinds)
        return f"without {', '.join(missing)}" if missing else "right"


def read_cases(file: Path = CASES) -> list[Case]:
    """Reads the cases."""
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    return TypeAdapter(list[Case]).validate_python(data)


def check_cases(cases: Sequence[Case], repo: Path, end: str) -> Iterator[Checked]:
    """Traces every case whose first commit the clone has."""
    for case in cases:
        start = git(repo, "rev-parse", "--verify", "--quiet", f"{case.start}^{{commit}}")
        if start.returncode != 0:
            continue
        command = trace_command(case.target, repo, start.stdout.strip(), end)
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        history = msgspec.json.decode(done.stdout, type=History)
        named = {
            step.pull_request: frozenset(change.kind for change in step.changes)
            for step in history.steps
        }
        for known in case.steps:
            yield Checked(case, known, named.get(known.pull_request))


def print_cases(console: Console, checked: Sequence[Checked]) -> None:
    """Prints one line a known change."""
    table = Table(title="known changes", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in ("target", "pull request", "kinds named", "verdict"):
        table.add_column(name)
    for item in checked:
        kinds = ", ".join(sorted(item.kinds or ())) or "–"
        symbol = item.case.target.partition("::")[2]
        table.add_row(symbol, str(item.step.pull_request), kinds, item.verdict)
    console.print(table)
    right = sum(item.verdict == "right" for item in checked)
    console.print(f"{right} of {len(checked)} right", "")
