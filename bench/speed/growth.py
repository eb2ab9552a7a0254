"""How the cost of a check grows with anchors and with the size of the repository, that of a sweep with commits."""

import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from annotator.model.words import SymbolKind
from annotator.outline.cache import OutlineCache
from annotator.outline.engine import language_of
from annotator.upstream.folders import cache_folder
from annotator.upstream.repository import Repository
from annotator.upstream.sources import open_sources
from bench.speed.measuring import ROOT, Cost, annot, as_json, cost_of
from bench.speed.picture import Series, growth_svg
from bench.speed.rows import Setting

ANCHORS = (200, 2_000, 20_000)
COPIES = (1, 2, 3, 5)
SWEPT = (50, 100, 200, 400)
_FILES = 900
"""Files that synthetic anchors point into: as many as a large study has."""
_UPSTREAMS = """\
schema: 1
upstreams:
  grown:
    title: Grown
    git: https://example.org/grown.git
    licence: Apache-2.0
    pin: {{release: {release}, date: "2026-01-01"}}
"""


class Point(NamedTuple):
    """One measurement.

    Attributes:
        size: how many anchors, files or commits.
        cost: what it cost.
    """

    size: int
    cost: Cost


def write_growth(setting: Setting) -> None:
    """Measures growth and writes bench/growth.json and site/assets/growth.svg."""
    with tempfile.TemporaryDirectory() as folder, open_sources(setting.upstream) as sources:
        repository, new = sources.find(setting.commit)
        old = sources.find(setting.before)[1]
        bench = _Growth(Path(folder), repository, (setting.before, old), (setting.commit, new))
        cold, warm = zip(*bench.by_anchors(), strict=True)
        found = {
            "cold check, anchors": list(cold),
            "warm check, anchors": list(warm),
            "cold check, files in the tree": list(bench.by_size()),
        }
        if setting.clone is not None:
            found["sweep, commits"] = list(_by_commits(setting, setting.clone, Path(folder)))
    series = [
        Series(name, [(p.size, p.cost.cpu) for p in points]) for name, points in found.items()
    ]
    figures = {
        name: [{"size": point.size, **as_json(point.cost)} for point in points]
        for name, points in found.items()
    }
    text = json.dumps(figures, indent=1) + "\n"
    (ROOT / "bench" / "growth.json").write_text(text, encoding="utf-8")
    (ROOT / "site" / "assets" / "growth.svg").write_text(
        growth_svg(series) + "\n", encoding="utf-8"
    )


class _Growth:
    """Studies of any number of anchors on repositories of any number of copies of a tree."""

    def __init__(
        self,
        folder: Path,
        repository: Repository,
        old: tuple[str, str],
        new: tuple[str, str],
    ) -> None:
        self._folder = folder
        self._repository = repository
        self._releases = old, new
        self._symbols = list(self._all_symbols(old[1]))

    def by_anchors(self) -> Iterator[tuple[Point, Point]]:
        """Checks of synthetic anchors, spread over the tree: the first, and the same again."""
        for count in ANCHORS:
            study = self._study(count)
            cache = self._cache(f"anchors-{count}")
            command = self._command(study, self._repository.git_dir)
            yield Point(count, cost_of(command, cache)), Point(count, cost_of(command, cache))

    def by_size(self) -> Iterator[Point]:
        """Checks of the same anchors on trees several times as large."""
        study = self._study(ANCHORS[0])
        files = len(self._repository.tree(self._releases[0][1]).files)
        for copies in COPIES:
            cache = self._cache(f"copies-{copies}")
            yield Point(files * copies, cost_of(self._command(study, self._copied(copies)), cache))

    def _command(self, study: Path, repository: Path) -> list[str]:
        commit = self._releases[1][0]
        return annot("check", "--study", str(study), "--repo", str(repository), "--commit", commit)

    def _cache(self, name: str) -> Path:
        folder = self._folder / "caches" / name
        folder.mkdir(parents=True)
        return folder

    def _all_symbols(self, commit: str) -> Iterator[str]:
        chosen = random.Random(1)  # noqa: S311 - the same anchors in every run
        files = self._repository.tree(commit).files
        paths = [path for path in files if language_of(path) == "python"]
        items = [(path, files[path]) for path in chosen.sample(paths, min(_FILES, len(paths)))]
        wanted = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS}
        with OutlineCache(cache_folder()) as outlines:
            names = [
                f"{path}::{symbol.name}"
                for path, _, outline in outlines.outlines(items, self._repository.read)
                for symbol in outline.symbols
                if symbol.kind in wanted
            ]
        chosen.shuffle(names)
        yield from names

    def _study(self, count: int) -> Path:
        """A study of so many anchors; symbols come again where the tree has too few."""
        folder = self._folder / f"study-{count}"
        if folder.exists():
            return folder
        route = folder / "anchors" / "route"
        route.mkdir(parents=True)
        text = _UPSTREAMS.format(release=self._releases[0][0])
        (folder / "anchors" / "upstreams.yaml").write_text(text, encoding="utf-8")
        for number, begin in enumerate(range(0, count, 1000), start=1):
            lines = [
                f"schema: 1\nid: q{number:02}\nnumber: {number}\nupstream: grown\n",
                'title: {zh: "题", en: "Title"}\nquestion: {zh: "问", en: "What?"}\nanchors:\n',
            ]
            lines += [
                f"  - id: q{number:02}-a{at}\n"
                f"    target: {json.dumps(self._symbols[at % len(self._symbols)])}\n"
                '    note: {zh: "注", en: "Note"}\n'
                for at in range(begin, min(begin + 1000, count))
            ]
            (route / f"{number:02}-q.yaml").write_text("".join(lines), encoding="utf-8")
        return folder

    def _copied(self, copies: int) -> Path:
        """A repository whose trees hold the release's, and so many copies of it below other folders."""
        folder = self._folder / f"copies-{copies}.git"
        subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
        alternates = folder / "objects" / "info" / "alternates"
        alternates.parent.mkdir(parents=True, exist_ok=True)
        alternates.write_text(f"{self._repository.git_dir / 'objects'}\n", encoding="utf-8")
        for tag, commit in self._releases:
            tree = _git(folder, "rev-parse", f"{commit}^{{tree}}")
            entries = _git(folder, "ls-tree", commit).splitlines()
            entries += [f"040000 tree {tree}\tzz-copy-{at}" for at in range(1, copies)]
            made = _git(folder, "mktree", stdin="\n".join(entries) + "\n")
            grown = _git(folder, *_AUTHOR, "commit-tree", "-m", tag, made)
            _git(folder, "update-ref", f"refs/tags/{tag}", grown)
            _git(folder, "update-ref", "HEAD", grown)
        return folder


_AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def _git(folder: Path, *arguments: str, stdin: str = "") -> str:
    command = ["git", "--git-dir", str(folder), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _by_commits(setting: Setting, clone: Path, folder: Path) -> Iterator[Point]:
    for commits in SWEPT:
        cache = folder / "caches" / f"commits-{commits}"
        cache.mkdir(parents=True)
        (cache / "sources").symlink_to(cache_folder() / "sources")
        command = annot("map", "--repo", str(clone), "--upstream", setting.upstream)
        between = f"{setting.end}~{commits}..{setting.end}"
        command += ["--commits", between, "--jobs", "2", "-o", str(folder / "map.json")]
        yield Point(commits, cost_of(command, cache))
