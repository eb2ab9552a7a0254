"""The rows of the table: each a piece of work, its floor, and its peers."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import NamedTuple

from annotator.outline.engine import language_of
from annotator.probes.known import probe_names
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.upstream.folders import cache_folder
from annotator.upstream.sources import open_sources
from bench.git import attributes_setting, export_tree
from bench.speed.measuring import ROOT, Cost, annot, cost_of, median, together

TARGET = "vllm/v1/core/block_pool.py::BlockPool.cache_full_blocks"
"""What is traced: a method that a commit changes now and then."""

OFTEN_CHANGED = "vllm/v1/worker/gpu_model_runner.py::GPUModelRunner.execute_model"
"""What is traced as well: a long method in the file that most commits touch, where `git log -L` has much to do."""

LATER = 20
"""Commits that came since an earlier trace, some half a day's."""


class Measured(NamedTuple):
    """One row.

    Attributes:
        work: what was done.
        cost: what it cost.
        above: how many rows above it stands what it is a multiple of; 0 for a floor.
        target: most that the multiple should be, or what else was aimed at.
    """

    work: str
    cost: Cost
    above: int = 0
    target: str = ""


class Setting(NamedTuple):
    """What is measured on.

    Attributes:
        upstream: name of the upstream.
        commit: the release that is checked.
        before: the release that it is compared with and that the next commit comes after.
        clone: a clone with history, none leaves out what needs one.
        end: newest commit of it.
        commits: how many commits back traces begin.
        swept: commits in a sweep.
        runs: rounds, of which the middle counts.
    """

    upstream: str
    commit: str
    before: str
    clone: Path | None
    end: str
    commits: int
    swept: int
    runs: int


PARTS = ("start-up", "check", "outlines", "trace", "sweep")
"""Parts of the table that can be measured by themselves."""

NEED_CLONE = frozenset({"trace", "sweep"})
"""Those that need a clone."""


def measured(setting: Setting, parts: Collection[str] = PARTS) -> Iterator[Measured]:
    """Measures the rows of some parts, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(setting, Path(folder))
        rows: dict[str, Callable[[], Iterator[Measured]]] = {
            "start-up": bench.start_up,
            "check": bench.check,
            "outlines": bench.outlines,
        }
        if setting.clone is not None:
            rows["trace"] = partial(bench.trace, setting.clone)
            rows["sweep"] = partial(bench.sweep, setting.clone)
        for part, measure in rows.items():
            if part in parts:
                yield from measure()


class _Bench:
    def __init__(self, setting: Setting, folder: Path) -> None:
        self._setting = setting
        self._folder = folder
        self._cache = folder / "cache"
        self._study = load_study(find_study(ROOT).path, probe_names())
        with open_sources(setting.upstream) as sources:
            repository, self._new = sources.find(setting.commit)
            self._old = sources.find(setting.before)[1]
            self._files = [dict(repository.tree(one).files) for one in (self._old, self._new)]
            self._git_dir = repository.git_dir

    def start_up(self) -> Iterator[Measured]:
        """`annot --help` next to its only library."""
        python = [sys.executable, "-c", "import click"]
        yield Measured("python -c 'import click'", self._median(lambda: cost_of(python)))
        yield Measured("annot --help", self._median(lambda: cost_of(annot("--help"))), 1, "≤ 1.5")

    def check(self) -> Iterator[Measured]:
        """Warm and cold checks of all anchors."""
        upstream, commit = self._setting.upstream, self._setting.commit
        command = annot("check", "--upstream", upstream, "--commit", commit)
        libraries = [sys.executable, "-c", "import rich, git, yaml"]
        tree = ["git", "--git-dir", str(self._git_dir), "ls-tree", "-r", self._new]
        yield Measured(
            "import rich, git, yaml; git ls-tree -r",
            self._median(lambda: together([cost_of(libraries), cost_of(tree)])),
        )
        with self._empty_cache() as cache:
            cost_of(command, cache)
            warm = self._median(lambda: cost_of(command, cache))
        yield Measured("annot check, warm", warm, 1, "≤ 1.5; < 300 MB")
        paths = {placed.anchor.place.path for placed in self._study.of_upstream(upstream)}
        listing = self._listing("anchored", paths, self._files)
        bare = self._floor("bare", str(self._git_dir), str(listing), "1")
        yield Measured("the anchored blobs of both, read and parsed", self._median(bare))

        def cold() -> Cost:
            with self._empty_cache() as cache:
                return cost_of(command, cache)

        yield Measured("annot check, cold", self._median(cold), 1, "≤ 1.5; < 300 MB")
        trees = [self._folder / one for one in (self._old, self._new)]
        for one, to in zip((self._old, self._new), trees, strict=True):
            export_tree(self._git_dir, one, upstream, to)
        griffe = self._floor("griffe", upstream, *map(str, trees))
        yield Measured("griffe check of the package", griffe(), 2, "≥ 20 × annot's")

    def outlines(self) -> Iterator[Measured]:
        """All outlines of a tree, and of the next."""
        old, new = self._files
        listing = self._listing("whole", old, [old])
        bare = self._floor("bare", str(self._git_dir), str(listing), "2")
        yield Measured(f"bare tree-sitter, all of {self._setting.before}, 2 processes", bare())
        with self._empty_cache() as cache:
            first = self._floor("outlines", str(self._git_dir), self._old, "2", str(cache))()
            yield Measured("outlines of the same, 2 processes", first, 1, "≤ 1.3")
            changed = {path for path, blob in new.items() if blob not in set(old.values())}
            listing = self._listing("changed", changed, [new])
            bare = self._floor("bare", str(self._git_dir), str(listing), "2")
            yield Measured(f"bare tree-sitter, the {len(changed)} files changed since", bare())
            after = self._floor("outlines", str(self._git_dir), self._new, "2", str(cache))()
            yield Measured(f"outlines of {self._setting.commit}, next", after, 1, "changed only")

    def trace(self, clone: Path) -> Iterator[Measured]:
        """Two places through history: one that changes now and then, one of the most changed."""
        for target in (TARGET, OFTEN_CHANGED):
            yield from self._traced(clone, target)

    def _traced(self, clone: Path, target: str) -> Iterator[Measured]:
        setting = self._setting
        start, name = f"{setting.end}~{setting.commits}", target.rpartition(".")[2]
        path = target.partition("::")[0]
        option = next(f"{k}={v}" for k, v in attributes_setting(self._folder).items())
        log = ["git", "--no-pager", "--git-dir", str(clone), "-c", option, "log", "--first-parent"]
        log += ["--format=%H", f"{start}..{setting.end}"]
        yield Measured(
            f"git log --first-parent -- {PurePath(path).name}, {setting.commits:,} commits",
            self._median(lambda: cost_of([*log, "--", path])),
        )
        command = annot("trace", target, "--repo", str(clone), "--from", start, "--to")

        def first() -> Cost:
            with self._empty_cache() as cache:
                return cost_of([*command, setting.end], cache)

        def later() -> Cost:
            with self._empty_cache() as cache:
                cost_of([*command, f"{setting.end}~{LATER}"], cache)
                return cost_of([*command, setting.end], cache)

        yield Measured(f"annot trace {name}, nothing kept: the study read", self._median(first), 1)
        work = f"annot trace {name}, traced before up to {LATER} commits ago"
        yield Measured(work, self._median(later), 2)
        with self._empty_cache() as cache:
            cost_of([*command, setting.end], cache)
            again = self._median(lambda: cost_of([*command, setting.end], cache))
        yield Measured(f"annot trace {name}, again, no ref moved since", again, 3, "≤ 2")
        lines = [*log, f"-L:\\(class\\|def\\) {name}\\>:{path}"]
        yield Measured(
            f"git log -L {name}", self._median(lambda: cost_of(lines)), 4, "> annot's, again"
        )

    def sweep(self, clone: Path) -> Iterator[Measured]:
        """All anchors at many commits."""
        setting = self._setting
        between = f"{setting.end}~{setting.swept}..{setting.end}"
        command = annot("map", "--repo", str(clone), "--upstream", setting.upstream)
        command += ["--commits", between, "--jobs", "2", "-o", str(self._folder / "map.json")]
        with self._empty_cache() as cache:
            cost = cost_of(command, cache)
        each = f"{1000 * cost.cpu / setting.swept / 2:.0f} ms a commit on two cores"
        yield Measured(f"annot map, {setting.swept:,} commits: {each}", cost, 0, "≤ 100 ms; < 1 GB")

    def _median(self, run: Callable[[], Cost]) -> Cost:
        run()  # what the system reads for the first time does not count
        return median([run() for _ in range(self._setting.runs)])

    @staticmethod
    def _floor(*arguments: str) -> Callable[[], Cost]:
        return lambda: cost_of([sys.executable, "-m", "bench.speed.floors", *arguments])

    def _listing(
        self,
        name: str,
        paths: Sequence[str] | set[str] | dict[str, str],
        trees: list[dict[str, str]],
    ) -> Path:
        """A file with the blobs of some paths, each once, and the suffix that chooses the grammar."""
        blobs = {
            tree[path]: path.rpartition(".")[2]
            for tree in trees
            for path in paths
            if path in tree and language_of(path)
        }
        file = self._folder / f"{name}.txt"
        file.write_text("".join(f"{blob}:{suffix}\n" for blob, suffix in blobs.items()))
        return file

    @contextmanager
    def _empty_cache(self) -> Iterator[Path]:
        shutil.rmtree(self._cache, ignore_errors=True)
        self._cache.mkdir()
        (self._cache / "sources").symlink_to(cache_folder() / "sources")
        yield self._cache
