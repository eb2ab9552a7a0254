"""How an oracle's history looks along first parents, and where its function was in the beginning."""

from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz

from annotator.model.symbol import Symbol
from annotator.model.words import SymbolKind
from annotator.outline.engine import outline_text
from bench.codeshovel.oracles import Oracle, last_name
from bench.git import git_lines, read_file

_MOST_CANDIDATES = 20


class Function(NamedTuple):
    """A function in one commit."""

    path: str
    symbol: Symbol

    @property
    def target(self) -> str:
        """The function as a target."""
        return f"{self.path}::{self.symbol.name}"


class MainLine:
    """The first-parent history up to one commit: what annot follows.

    A commit made on a branch is known here as the merge that brought it in.

    Args:
        repo: git folder of a clone.
        end: the newest commit.
    """

    def __init__(self, repo: Path, end: str) -> None:
        self._repo = repo
        self._end = end
        self._commits = set(git_lines(repo, "rev-list", "--first-parent", end))

    def commit_of(self, commit: str) -> str:
        """The commit of the main line that brought in `commit`."""
        if commit in self._commits:
            return commit
        descendants = git_lines(self._repo, "rev-list", "--ancestry-path", f"{commit}..{self._end}")
        return next(it for it in reversed(descendants) if it in self._commits)

    def changes(self, oracle: Oracle) -> dict[str, frozenset[str]]:
        """An oracle's changes by commit of the main line, without what came in with the function itself."""
        changes: dict[str, frozenset[str]] = {}
        for commit, kinds in oracle.changes.items():
            known_as = self.commit_of(commit)
            changes[known_as] = changes.get(known_as, frozenset()) | kinds
        changes.pop(self.commit_of(oracle.introduced), None)
        return changes


def function_at_start(repo: Path, oracle: Oracle) -> Function:
    """The function that an oracle is about, in the commit that it is told from."""
    return min(
        (
            function
            for function in _functions(repo, oracle.start, oracle.path)
            if last_name(function.symbol.name) == oracle.function
        ),
        key=lambda function: abs(function.symbol.start - oracle.line),
    )


def candidates_at_introduction(repo: Path, commit: str, oracle: Oracle) -> list[Function]:
    """The functions that a commit added, those of a name and a file like the oracle's first; the likeliest only.

    An oracle does not tell what its function was called in the beginning.
    """
    parents = git_lines(repo, "rev-list", "--parents", "-n1", commit)[0].split()[1:]
    if parents:
        changed = ["diff-tree", "-r", "--no-renames", "--name-only", parents[0], commit]
    else:
        changed = ["ls-tree", "-r", "--name-only", commit]
    added = []
    for path in git_lines(repo, *changed):
        if path.endswith(".py"):
            before = _functions(repo, parents[0], path) if parents else []
            names = {function.symbol.name for function in before}
            here = _functions(repo, commit, path)
            added += [function for function in here if function.symbol.name not in names]

    def likeness(function: Function) -> float:
        name = fuzz.ratio(last_name(function.symbol.name), oracle.function)
        return name + fuzz.ratio(function.path, oracle.path)

    return sorted(added, key=likeness, reverse=True)[:_MOST_CANDIDATES]


def _functions(repo: Path, commit: str, path: str) -> list[Function]:
    data = read_file(repo, commit, path)
    wanted = {SymbolKind.FUNCTION, SymbolKind.METHOD}
    symbols = outline_text(path, data).symbols if data is not None else ()
    return [Function(path, symbol) for symbol in symbols if symbol.kind in wanted]
