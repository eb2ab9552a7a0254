"""A target that moves from commit to commit, while the baseline stays where it is.

A commit changes a handful of files, and few answers were read from them. So it is noted what an answer was read from, and
the answer stands as long as none of that changes (verifying traces: Mokhov et al., Build Systems à la Carte, ICFP
2018). What a search of the whole tree needs is kept up file by file.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import NamedTuple

from annotator.model.symbol import Outline, Symbol
from annotator.outline.cache import OutlineCache
from annotator.resolve.finder import Finder
from annotator.resolve.hops import Hops, LadderBetween, SnapshotAt
from annotator.resolve.ladder import Found, Ladder
from annotator.resolve.moving_pool import FileStep, MovingPool, touched_names
from annotator.resolve.pool import Pool
from annotator.resolve.readings import AskedText, Notebook, NotedFiles, Readings
from annotator.resolve.resolver import Resolver
from annotator.resolve.snapshot import Snapshot
from annotator.upstream.repository import Repository


class MovingTarget(Snapshot):
    """The tree of a commit that can move on to another. What is read from it is noted.

    Args:
        repository: where its objects are.
        commit: full id of the first commit.
        cache: outlines by blob id.
    """

    def __init__(self, repository: Repository, commit: str, cache: OutlineCache) -> None:
        self._now = dict(repository.tree(commit).files)
        self._notebook = Notebook()
        super().__init__(repository, commit, cache, NotedFiles(self._now, self._notebook))
        self._pools: dict[tuple[Snapshot, str], MovingPool] = {}
        self._ladders: dict[Snapshot, _NotingLadder] = {}
        self._searched: set[str] = set()
        self._changed = _Changed()

    def noting(self) -> AbstractContextManager[Readings]:
        """Notes what is read until the context ends."""
        return self._notebook.noting()

    def note_everything(self) -> None:
        """Notes that something was read which any commit may change."""
        self._notebook.now.everything = True

    def data(self, path: str) -> bytes:
        """Content of a file."""
        self._notebook.now.files.add(path)
        return super().data(path)

    def outline(self, path: str) -> Outline:
        """Outline of a file of the tree."""
        self._notebook.now.files.add(path)
        return super().outline(path)

    def text(self, path: str, symbol: Symbol) -> str:
        """Dedented text of a symbol."""
        self._notebook.now.files.add(path)
        return super().text(path, symbol)

    def holding(self, blob: str) -> list[str]:
        """Files with the given content, by its blob id."""
        self._notebook.now.blobs.add(blob)
        return sorted(path for path, content in self._now.items() if content == blob)

    def added_since(self, base: Snapshot, suffix: str) -> list[str]:
        """Files of a suffix whose path the baseline does not have."""
        self._notebook.now.added.add(suffix)
        known = base.files
        paths = (path for path in self._now if path.rpartition(".")[2] == suffix)
        return sorted(path for path in paths if path not in known)

    def ladder(self, base: Snapshot) -> Ladder:
        """The search from some commit to this one as it is now."""
        if base not in self._ladders:
            self._ladders[base] = _NotingLadder(base, self, self._notebook, self._pool)
        return self._ladders[base]

    def move(self, commit: str, changed: Mapping[str, str | None]) -> None:
        """Goes on to another commit.

        Args:
            commit: its full id.
            changed: path to blob id of every file that differs, None for one that is not there.
        """
        before = {path: self._now.get(path) for path in changed}
        steps = self._steps(before, changed)
        self.commit = commit
        self.__dict__.pop("label", None)
        for path, blob in changed.items():
            self._outlines.pop(path, None)
            self._texts.pop(path, None)
            self._encodings.pop(path, None)
            self._data.drop(before[path] or "")
            if blob is None:
                self._now.pop(path, None)
            else:
                self._now[path] = blob
        names = {language: touched_names(some) for language, some in steps.items()}
        same = frozenset(
            (base.commit, language, text)
            for (base, language), pool in self._pools.items()
            for text in pool.move(steps.get(language, ()), names.get(language, _nothing))
        )
        self._ladders.clear()
        self._changed = _Changed(
            frozenset(changed),
            frozenset({*before.values(), *changed.values()}),
            frozenset(path.rpartition(".")[2] for path in changed),
            names,
            same,
        )

    def forget(self, keep: Snapshot) -> None:
        """Drops what belongs to other baselines than one, to keep memory flat over many commits."""
        self._pools = {key: pool for key, pool in self._pools.items() if key[0] is keep}
        self._ladders = {base: ladder for base, ladder in self._ladders.items() if base is keep}

    def stands(self, readings: Readings) -> bool:
        """Whether the last move left alone what an answer was read from."""
        changed = self._changed
        return not readings.everything and (
            readings.files.isdisjoint(changed.paths)
            and readings.blobs.isdisjoint(changed.blobs)
            and readings.added.isdisjoint(changed.suffixes)
            and readings.texts <= changed.same_texts
            and not any(
                language in changed.names and changed.names[language](name)
                for language, name in readings.names
            )
        )

    def _pool(self, base: Snapshot, language: str) -> Pool:
        self._searched.add(language)
        if (base, language) not in self._pools:
            self._pools[base, language] = MovingPool(base, self, language, self._notebook)
        return self._pools[base, language]

    def _steps(
        self, before: Mapping[str, str | None], after: Mapping[str, str | None]
    ) -> Mapping[str, list[FileStep]]:
        """What a commit does to the files of languages that somebody searches, by language."""
        steps: dict[str, list[FileStep]] = defaultdict(list)
        paths = [path for path in after if self.language(path) in self._searched]
        wanted = {blob for path in paths for blob in (before[path], after[path]) if blob}
        contents = dict(self._read(sorted(wanted)))
        for path in paths:
            old, new = before[path], after[path]
            step = FileStep(
                path, new, contents[old] if old else None, contents[new] if new else None
            )
            steps[self.language(path)].append(step)
        return steps


def resolver_to(
    target: MovingTarget,
    base: Snapshot,
    snapshot_at: SnapshotAt | None,
    ladder_between: LadderBetween,
) -> Resolver:
    """The resolver from a baseline to a target as it is now.

    Args:
        target: the target.
        base: the baseline.
        snapshot_at: gives the commits in between, where both are in one repository.
        ladder_between: gives the search between two of them.
    """

    def at(commit: str) -> Snapshot:
        assert snapshot_at is not None  # noqa: S101 - there are no hops without it
        if commit != target.commit:
            return snapshot_at(commit)
        target.note_everything()  # the turning point is this commit, and will be another one's past
        return target

    def between(old: Snapshot, new: Snapshot) -> Ladder:
        return target.ladder(old) if new is target else ladder_between(old, new)

    hops = Hops(at, between) if snapshot_at is not None else None
    return Resolver(Finder(base, target, target.ladder(base), hops))


def _nothing(name: str) -> bool:
    return False


class _Changed(NamedTuple):
    """What a move changed, in the words of `Readings`; of texts those that the same files are like."""

    paths: frozenset[str] = frozenset()
    blobs: frozenset[str | None] = frozenset()
    suffixes: frozenset[str] = frozenset()
    names: Mapping[str, Callable[[str], bool]] = MappingProxyType({})
    same_texts: frozenset[AskedText] = frozenset()


class _NotingLadder(Ladder):
    """A ladder whose kept answers bring their readings along."""

    def __init__(
        self,
        base: Snapshot,
        target: Snapshot,
        notebook: Notebook,
        pool: Callable[[Snapshot, str], Pool],
    ) -> None:
        super().__init__(base, target)
        self._notebook = notebook
        self._moving_pool = pool
        self._readings: dict[tuple[str, str], Readings] = {}

    def pool(self, language: str) -> Pool:
        """The files of a language in which successors can stand."""
        return self._moving_pool(self.base, language)

    def find(self, path: str, symbol: Symbol) -> Found:
        """Finds the successor of a symbol of the baseline."""
        kept = self._readings.setdefault((path, symbol.name), Readings())
        with self._notebook.noting() as readings:
            found = super().find(path, symbol)
        kept.add(readings)
        self._notebook.now.add(kept)
        return found
