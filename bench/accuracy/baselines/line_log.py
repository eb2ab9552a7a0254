"""`git log -L :name:path OLD..NEW`, told the languages: what changed a function since."""

import re
from collections.abc import Mapping

from annotator.outline.names import leaf_name
from bench.accuracy.answers import Answer
from bench.accuracy.baselines import Pair
from bench.accuracy.rows import Row
from bench.git import git

_HEADS = {
    "python": r"\(class\|def\) *{}\>",
    "rust": r"\(fn\|struct\|enum\|trait\|mod\) *{}\>",
    "cpp": r"\<{} *(",
    "markdown": "^#* *{}",
}
"""The line that a definition begins with, as a POSIX basic regular expression."""


class LineLog:
    """Asks `git log -L` whether a function is there and whether anything changed it.

    It can be asked only where both commits lie in one history and git finds the function in the older one. A
    function that git does not find in the newer one counts as gone; one of the same name in another class
    of the file counts as found.

    Args:
        settings: makes git know the languages.
    """

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = settings

    def __call__(self, row: Row, pair: Pair) -> Answer | None:
        """Answers one row."""
        if pair.old.repository.git_dir != pair.new.repository.git_dir:
            return None
        name = leaf_name(re.sub(r"#\d+$", "", row.from_symbol), row.lang)
        head = _HEADS[row.lang].format(re.sub(r"([.*\[\]^$\\])", r"\\\1", name))
        where = f"-L:{head}:{row.from_path}"
        if self._log(pair, where, "-1", pair.old.commit) is None:
            return None
        commits = self._log(pair, where, f"{pair.old.commit}..{pair.new.commit}")
        if commits is None:
            return Answer("gone")
        outcome = "changed" if commits else "ok"
        return Answer(outcome, f"{row.from_path}::{row.from_symbol}")

    def _log(self, pair: Pair, *arguments: str) -> str | None:
        done = git(
            pair.new.repository.git_dir,
            *("log", "--no-patch", "--format=%H", *arguments),
            settings=self._settings,
        )
        return done.stdout if done.returncode == 0 else None
