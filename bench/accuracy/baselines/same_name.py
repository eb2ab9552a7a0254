"""The least that can be done: look for the same name, in the same file or where git says the file went."""

from annotator.outline.lookup import find_symbol
from bench.accuracy.answers import Answer
from bench.accuracy.baselines import Pair
from bench.accuracy.rows import Row
from bench.git import git


def path_and_name(row: Row, pair: Pair) -> Answer | None:
    """The same name in the same file, changed if its text differs."""
    return _same_name(row, pair, row.from_path)


class RenamedFiles:
    """The same name in the file that git's rename detection (`-M`, without a limit) leads to."""

    def __init__(self) -> None:
        self._renames: dict[tuple[str, str], dict[str, str]] = {}

    def __call__(self, row: Row, pair: Pair) -> Answer | None:
        """Answers one row."""
        path = row.from_path
        if path not in pair.new.files:
            path = self._renamed(pair).get(path, path)
        return _same_name(row, pair, path)

    def _renamed(self, pair: Pair) -> dict[str, str]:
        key = (pair.old.commit, pair.new.commit)
        if key not in self._renames:
            done = git(
                pair.new.repository.git_dir,
                *("diff-tree", "-r", "-z", "-M", "-l0", "--diff-filter=R", "--name-status"),
                *key,
                objects=[pair.old.repository.git_dir],
            )
            done.check_returncode()
            words = done.stdout.split("\0")[:-1]
            self._renames[key] = dict(zip(words[1::3], words[2::3], strict=True))
        return self._renames[key]


def _same_name(row: Row, pair: Pair, path: str) -> Answer | None:
    old = find_symbol(pair.old.outline(row.from_path), row.from_symbol)
    if old is None:
        return None
    new = find_symbol(pair.new.outline(path), row.from_symbol) if path in pair.new.files else None
    if new is None:
        return Answer("gone")
    same = pair.old.text(row.from_path, old) == pair.new.text(path, new)
    stayed = "ok" if path == row.from_path else "moved"
    return Answer(stayed if same else "changed", f"{path}::{row.from_symbol}")
