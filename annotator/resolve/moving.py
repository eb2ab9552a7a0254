"""A target that moves from commit to commit, while the baseline stays where it is.

A commit changes a handful of files, and few answers were read from them. So it is noted what an answer was read from, and
the answer stands as long as none of that changes (verifying traces: Mokhov et al., Build Systems à la Carte, ICFP
2018). What the search of the whole tree needs is kept up file by file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from annotator.model.symbol import Outline, Symbol
from annotator.outline.cache import OutlineCache
from annotator.resolve.finder import Finder
from annotator.resolve.hops import Hops, LadderBetween, SnapshotAt
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.moving_pool import Content, MovingPool
from annotator.resolve.pool import Pool
from annotator.resolve.readings import Notebook, Readings
from annotator.resolve.resolver import Resolver
from annotator.resolve.snapshot import Snapshot
from annotator.upstream.repository import Repository


class MovingTarget(Snapshot):
    """The tree of a commit that changes; everything read from it is noted.

    Args:
        repository: where its objects are.
        commit: full id of the first commit.
        cache: outlines by blob id.
    """

    def __init__(self, repository: Repository, commit: str, cache: OutlineCache) -> None:
        self._now = dict(repository.tree(commit).files)
        self._notes = Notebook()
        super().__init__(repository, commit, cache, _NotedFiles(self._now, self._notes))
        self._pools: dict[tuple[str, str], MovingPool] = {}
        self._ladders: dict[str, Ladder] = {}
        self._last = _Step({}, {})

    def noting(self) -> "contextmanager[Readings]":  # type: ignore[type-arg]
        """Notes what is read until the context ends."""
        return self._notes.noting()  # type: ignore[return-value]

    # ---- what is read

    def data(self, path: str) -> bytes:
        """Content of a file."""
        self._notes.file(path)
        return super().data(path)

    def outline(self, path: str) -> Outline:
        """Outline of a file of the tree."""
        self._notes.file(path)
        return super().outline(path)

    def text(self, path: str, symbol: Symbol) -> str:
        """Dedented text of a symbol."""
        self._notes.file(path)
        return super().text(path, symbol)
