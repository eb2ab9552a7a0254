"""Compares `annot trace` and `git log -L` with hand-made histories of Python functions.

    python -m bench.codeshovel ORACLES --clone flask=PATH --clone keras=PATH ... [--differences]

ORACLES is the folder src/test/resources/oracles/python of ataraxie/codeshovel, each PATH the git folder of a clone of
one of its projects; oracles of other projects are left out. Each function is traced from the commit that
introduced it to the one the oracle is told from, along first parents.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from bench.codeshovel.comparing import Changes, Compared, compare
from bench.codeshovel.oracles import read_oracles
from bench.git import git_lines


class Counts(NamedTuple):
    """How many of what was answered is right, and how many there were to find."""

    right: int
    answered: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the answers that are right."""
        return self.right / self.answered if self.answered else 1.0

    @property
    def recall(self) -> float:
        """Share of the truth that was answered."""
        return self.right / self.true if self.true else 1.0


def _count(items: Iterable[tuple[Set[str], Set[str]]]) -> Counts:
    pairs = list(items)
    return Counts(
        sum(len(truth & answer) for truth, answer in pairs),
        sum(len(answer) for _, answer in pairs),
        sum(len(truth) for truth, _ in pairs),
    )


def _kinds(changes: Changes) -> set[str]:
    return {f"{commit} {kind}" for commit, kinds in changes.items() for kind in kinds}


def print_table(console: Console, items: Iterable[Compared]) -> None:
    """Prints one line an oracle."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("oracle", "commits", "annot: right", "extra", "git log -L: right", "extra", "end"):
        table.add_column(name, justify="left" if name in {"oracle", "end"} else "right")
    for item in items:
        cells = [str(len(item.truth))]
        for answer in (set(item.annot), item.line_log):
            cells += [str(len(answer & set(item.truth))), str(len(answer - set(item.truth)))]
        table.add_row(item.oracle.name, *cells, "" if item.arrived else "another function")
    console.print(table, "")


def print_differences(
    console: Console, items: Iterable[Compared], repos: Mapping[str, Path]
) -> None:
    """Prints every commit of which annot says something else than the oracle."""
    for item in items:
        differing = [
            commit
            for commit in {**item.truth, **item.annot}
            if item.truth.get(commit) != item.annot.get(commit)
        ]
        if differing:
            console.print(f"{item.oracle.name}, from {item.introduced}", markup=False)
        for commit in differing:
            repo = repos[item.oracle.repository]
            subject = git_lines(repo, "log", "-1", "--format=%h %cs %s", commit)[0]
            truth, answer = (
                ", ".join(sorted(changes.get(commit, ()))) or "–"
                for changes in (item.truth, item.annot)
            )
            console.print(f"  oracle: {truth}; annot: {answer}; {subject}", markup=False)


def print_summary(console: Console, items: Sequence[Compared]) -> None:
    """Prints precision and recall over all oracles, of commits and of what they did."""
    counts = {
        "commits, annot trace": _count((it.truth.keys(), it.annot.keys()) for it in items),
        "commits, with layout": _count((it.truth.keys(), it.with_layout.keys()) for it in items),
        "commits, git log -L": _count((it.truth.keys(), it.line_log) for it in items),
        "kinds, annot trace": _count((_kinds(it.truth), _kinds(it.annot)) for it in items),
        "kinds, with layout": _count((_kinds(it.truth), _kinds(it.with_layout)) for it in items),
    }
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", "precision", "recall", "right", "answered", "true"):
        table.add_column(name, justify="right" if name else "left")
    for label, it in counts.items():
        shares = f"{it.precision:.1%}", f"{it.recall:.1%}"
        table.add_row(label, *shares, *(str(number) for number in it))
    console.print(table, "")


def main() -> None:
    """Compares all oracles whose project was given."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.codeshovel", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("oracles", type=Path)
    parser.add_argument("--clone", action="append", required=True, metavar="NAME=PATH")
    parser.add_argument("--differences", action="store_true", help="show where annot differs")
    arguments = parser.parse_args()
    repos = {name: Path(path) for name, _, path in (it.partition("=") for it in arguments.clone)}
    oracles = list(read_oracles(arguments.oracles))
    items = [compare(it, repos[it.repository]) for it in oracles if it.repository in repos]
    console = Console(width=150)
    print_table(console, items)
    if arguments.differences:
        print_differences(console, items, repos)
    print_summary(console, items)
    console.print(
        f"{len(items)} of {len(oracles)} oracles; the projects of the others were not given"
    )


if __name__ == "__main__":
    main()
