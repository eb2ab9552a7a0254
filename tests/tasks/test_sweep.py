"""A sweep must say at each commit what a check of that commit says, and read far less."""

import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from annotator.cli.app import run
from annotator.model.commit_map import CommitMap, SweepRow, SweptCommit, Turn, UpstreamSweep
from annotator.model.failures import Incomplete, UserMistake
from annotator.model.study import Study
from annotator.model.words import Outcome
from annotator.probes.known import probe_names
from annotator.store.lock_file import read_lock
from annotator.store.study_loader import load_study
from annotator.tasks.check import check
from annotator.tasks.crew import Crew
from annotator.tasks.drift_map import MapCell, cell_of
from annotator.tasks.sweep import CommitRange, drift_map_of, parse_range, sweep
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from tests.conftest import MakeRepository, Tree

_WORDS = [
    "block",
    "table",
    "page",
    "hash",
    "pool",
    "queue",
    "request",
    "token",
    "layer",
    "cache",
    "owner",
    "count",
]


class _Upstream:
    """A small project that grows by random commits: edits, moves, renames, copies, deletions, formatting."""

    def __init__(self, seed: int, functions: int = 14) -> None:
        self._random = random.Random(seed)  # noqa: S311 - histories that can be repeated
        self._files: dict[str, dict[str, list[str]]] = {f"pkg/m{n}.py": {} for n in range(5)}
        for number in range(functions):
            self._pick_file()[f"work_{_WORDS[number % 12]}_{number}"] = self._body()
        self._pages = {
            "docs/a.md": "# Title\n\n## Use\n\nWords on use.\n",
            "docs/b.md": "# Other\n",
        }

    def targets(self) -> list[str]:
        return [f"{path}::{name}" for path, names in self._files.items() for name in names]

    def tree(self) -> Tree:
        texts = {
            path: "".join(
                f"def {name}(items, limit):\n" + "".join(f"    {line}\n" for line in body) + "\n\n"
                for name, body in names.items()
            )
            for path, names in self._files.items()
            if names
        }
        return {**texts, **self._pages, "README": "read me\n"}

    def step(self) -> None:
        for _ in range(self._random.choice([1, 1, 2])):
            getattr(self, self._random.choice(_STEPS))()

    def _pick_file(self) -> dict[str, list[str]]:
        return self._files[self._random.choice(list(self._files))]

    def _pick(self) -> tuple[dict[str, list[str]], str]:
        names = self._random.choice([names for names in self._files.values() if names])
        return names, self._random.choice(list(names))

    def _line(self) -> str:
        one, two = self._random.sample(_WORDS, 2)
        return f"{one}_{two} = items[{self._random.randrange(9)}].{two}(limit)"

    def _body(self) -> list[str]:
        return [*(self._line() for _ in range(self._random.randrange(4, 12))), "return items"]

    def _edit(self) -> None:
        names, name = self._pick()
        names[name][self._random.randrange(len(names[name]) - 1)] = self._line()

    def _comment(self) -> None:
        names, name = self._pick()
        names[name].insert(0, f"# {self._random.choice(_WORDS)}")

    def _move(self) -> None:
        names, name = self._pick()
        self._pick_file()[name] = names.pop(name)

    def _rename(self) -> None:
        names, name = self._pick()
        names[f"{name}_{self._random.choice(_WORDS)}"] = names.pop(name)

    def _copy(self) -> None:
        names, name = self._pick()
        self._pick_file()[f"copy_of_{name}"] = list(names[name])

    def _delete(self) -> None:
        names, name = self._pick()
        del names[name]

    def _add(self) -> None:
        self._pick_file()[f"work_{self._random.choice(_WORDS)}"] = self._body()

    def _move_file(self) -> None:
        path = self._random.choice([path for path, names in self._files.items() if names])
        self._files[path.replace("/", f"/{self._random.choice(_WORDS)}_", 1)] = self._files.pop(
            path
        )

    def _move_page(self) -> None:
        path = self._random.choice(list(self._pages))
        self._pages[path.replace("/", "/x", 1)] = self._pages.pop(path)

    def _grow_page(self) -> None:
        path = self._random.choice(list(self._pages))
        self._pages[path] += f"\nMore on {self._random.choice(_WORDS)}.\n"


_STEPS = [
    *("_edit", "_edit", "_comment", "_move", "_move", "_rename", "_copy", "_delete", "_add"),
    *("_move_file", "_move_page", "_grow_page"),
]


def _anchors(targets: list[str]) -> str:
    lines = [
        f'  - {{id: a-{n}, target: "{target}", note: {{zh: 注, en: Note}}}}\n'
        for n, target in enumerate(targets)
    ]
    return "".join(lines)


class _Case:
    """A study, a repository and what both ways of asking say."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.folder = folder
        self.study: Study = load_study(folder / "anchors", probe_names())
        self.repository = repository
        self.upstreams = dict(self.study.upstreams)
        lock = read_lock(folder / "anchors", "demo")
        self.locks = {"demo": lock} if lock else {}
        self.done = 0

    def swept(self, start: str, end: str, crew: Crew = Crew()) -> UpstreamSweep:  # noqa: B008
        def told(what: str, done: int, total: int) -> None:
            self.done = done

        with Workspace(cache_folder(), self.repository) as workspace:
            found: CommitMap = sweep(
                workspace,
                self.study,
                self.upstreams,
                self.locks,
                CommitRange(start, end),
                repo=self.repository,
                crew=crew,
                progress=told,
            )
        return found.upstreams[0]

    def checked(self, commit: str) -> dict[str, MapCell]:
        with Workspace(cache_folder(), self.repository) as workspace:
            report = check(workspace, self.study, self.upstreams, self.locks, ref=commit)
        return {result.id: cell_of(result.resolution) for result in report.anchors}


def _cells(swept: UpstreamSweep, at: int) -> dict[str, MapCell]:
    turns = {row.id: row.at(at) for row in swept.rows}
    return {id_: MapCell(outcome=t.outcome, detail=t.detail) for id_, t in turns.items()}


@pytest.mark.parametrize("seed", range(6))
def test_a_sweep_says_at_each_commit_what_a_check_says(
    make_repository: MakeRepository, make_study: Callable[[str], Path], seed: int
) -> None:
    upstream = _Upstream(seed)
    targets = [*upstream.targets(), "docs/a.md", "docs/a.md#use"]
    trees = [upstream.tree()]
    for _ in range(18):
        upstream.step()
        trees.append(upstream.tree())
    case = _Case(make_study(_anchors(targets)), make_repository(*trees))
    swept = case.swept("v1", "HEAD")
    assert [commit.label for commit in swept.commits] == [f"v{n}" for n in range(2, 20)]
    turned = 0
    for at, commit in enumerate(swept.commits):
        cells = _cells(swept, at)
        assert cells == case.checked(commit.id), commit.label
        turned += sum(cell.outcome != "ok" for cell in cells.values())
    assert turned > 20, "the history moves anchors"


def _put_baseline_elsewhere(repository: Path) -> None:
    synced = cache_folder() / "sources" / "demo" / "releases.git"
    subprocess.run(["git", "clone", "-q", "--bare", repository, synced], check=True)
    subprocess.run(["git", "-C", repository, "tag", "-d", "v1"], check=True, capture_output=True)


def test_the_baseline_may_be_in_another_repository(
    make_repository: MakeRepository, make_study: Callable[[str], Path]
) -> None:
    upstream = _Upstream(7)
    anchors = _anchors(upstream.targets())
    trees = [upstream.tree()]
    for _ in range(14):
        upstream.step()
        trees.append(upstream.tree())
    repository = make_repository(*trees)
    _put_baseline_elsewhere(repository)
    case = _Case(make_study(anchors), repository)
    swept = case.swept("HEAD~13", "HEAD")
    for at, commit in enumerate(swept.commits):
        assert _cells(swept, at) == case.checked(commit.id), commit.label


@pytest.fixture
def case(make_repository: MakeRepository, make_study: Callable[[str], Path]) -> _Case:
    upstream = _Upstream(1)
    anchors = _anchors(upstream.targets())
    trees = [upstream.tree()]
    for _ in range(60):
        upstream.step()
        trees.append(upstream.tree())
    return _Case(make_study(anchors), make_repository(*trees))


def test_only_new_commits_and_new_anchors_cost_anything(
    case: _Case, make_study: Callable[[str], Path]
) -> None:
    first = case.swept("v1", "v30")
    assert case.done == 29
    assert case.swept("v1", "v30") == first
    assert case.done == 0
    longer = case.swept("v1", "v36")
    assert case.done == 6, "six new commits"
    assert longer.commits[:29] == first.commits
    anchors = [placed.anchor.target for placed in case.study.anchors]
    more = _Case(make_study(_anchors([*anchors, "docs/b.md"])), case.repository)
    more.swept("v1", "v36")
    assert more.done == 35, "the new anchor at every commit"
    more.swept("v10", "v20")
    assert more.done == 0


def test_the_work_can_be_shared_among_processes(case: _Case) -> None:
    alone = case.swept("v1", "v60")
    kept = cache_folder() / "sweeps.sqlite"
    kept.unlink()
    assert case.swept("v1", "v60", Crew(jobs=2)) == alone
    assert case.done == 59


def test_without_the_kept_answers_nothing_is_lost_but_time(case: _Case) -> None:
    found = case.swept("v1", "v20")
    (cache_folder() / "sweeps.sqlite").write_bytes(b"damaged")
    assert case.swept("v1", "v20") == found


def test_the_command_writes_turns_and_pictures(case: _Case, tmp_path: Path) -> None:
    output = tmp_path / "map.json"
    arguments = ["map", "--study", str(case.folder), "--repo", str(case.repository)]
    arguments += ["--commits", "v1..v20", "--jobs", "1"]
    assert run([*arguments, "-o", str(output)]) == 0
    found = msgspec.json.decode(output.read_bytes(), type=CommitMap)
    (demo,) = found.upstreams
    assert demo.baseline == "v1"
    assert demo.commits[0].subject == "tree 2"
    assert all(row.turns[0].at == 0 for row in demo.rows)
    assert run([*arguments, "-o", str(tmp_path / "map.svg")]) == 0
    root = ElementTree.parse(tmp_path / "map.svg").getroot()  # noqa: S314 - our own
    assert root.tag.endswith("svg")


def test_a_picture_shows_the_commits_at_which_an_outcome_turned() -> None:
    commits = tuple(
        SweptCommit(id=str(n) * 40, label=f"c{n}", date="2026-01-01", subject="s") for n in range(6)
    )
    changed = Turn(at=2, outcome=Outcome.CHANGED, detail="body")
    more = Turn(at=3, outcome=Outcome.CHANGED, detail="body, more of it")
    rows = (
        SweepRow(
            id="a",
            owner="q",
            target="a.py::f",
            turns=(Turn(at=0, outcome=Outcome.OK), changed, more),
        ),
        SweepRow(id="b", owner="q", target="a.py::g", turns=(Turn(at=0, outcome=Outcome.OK),)),
    )
    swept = UpstreamSweep(upstream="demo", baseline="v1", commits=commits, rows=rows)
    (shown,) = drift_map_of(CommitMap(version="0", upstreams=(swept,))).upstreams
    assert shown.releases == ("c0", "c2", "c5")
    assert [cell.detail for cell in shown.rows[0].cells] == ["", "body", "body, more of it"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("v1..v2", ("v1", "v2")),
        ("HEAD~9..", ("HEAD~9", "HEAD")),
        ("v1", None),
        ("..v2", None),
        ("v1...v2", None),
        ("", None),
    ],
)
def test_ranges(text: str, meant: tuple[str, str] | None) -> None:
    if meant is None:
        with pytest.raises(UserMistake, match="no range"):
            parse_range(text)
    else:
        assert parse_range(text) == meant


def test_what_cannot_be_swept_is_said(case: _Case, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no commit lies between v5 and v2"):
        case.swept("v5", "v2")
    with pytest.raises(UserMistake, match="no commit, tag or branch"):
        case.swept("v1", "v999")
    shallow = tmp_path / "shallow.git"
    url = case.repository.as_uri()
    subprocess.run(["git", "clone", "-q", "--bare", "--depth", "3", url, shallow], check=True)
    subprocess.run(
        ["git", "-C", shallow, "fetch", "-q", "--depth", "1", url, "tag", "v1"], check=True
    )
    with pytest.raises(Incomplete, match="shallow"):
        _Case(case.folder, shallow).swept("v1", "HEAD")


_LOGIC = (
    "(items, limit):\n    pool = [item.page for item in items]\n    queue = sorted(pool)[:limit]\n"
    "    for owner in queue:\n        owner.layer = owner.token + 1\n    return queue\n"
)
_PAGE = "# Guide\n\nHow the pool is used, step by step, and why the queue is sorted at all.\n"
_OTHERS = {f"other_{n}.py": f"def other_{n}(a):\n    return a + {n}\n" for n in range(4)}
_HERE = {"a.py": "def work" + _LOGIC, "guide.md": _PAGE, **_OTHERS}
_GONE = {"a.py": "X = 1\n", **_OTHERS}

_QUIET = {**_GONE, "other_1.py": "def other_1(a):\n    return a * 7\n"}

COMING_BACK: dict[str, tuple[Tree, str, str]] = {
    # name: tree, then what becomes of the function and of the page
    "under its name": ({"deep/z.py": "def work" + _LOGIC}, "moved", "gone"),
    "under another name": ({"deep/z.py": "def work_on_pages" + _LOGIC}, "moved", "gone"),
    "a page with the same bytes": ({"docs/z.txt": _PAGE}, "gone", "moved"),
    "a page much like it": ({"docs/z.md": _PAGE + "\nMore.\n"}, "gone", "changed"),
}


@pytest.mark.parametrize(("added", "function", "page"), COMING_BACK.values(), ids=COMING_BACK)
def test_what_is_gone_may_come_back_where_nobody_looked(
    make_repository: MakeRepository,
    make_study: Callable[[str], Path],
    added: Tree,
    function: str,
    page: str,
) -> None:
    back = {**_QUIET, **added}
    repository = make_repository(_HERE, _GONE, _QUIET, back, {**back, "other_2.py": "Y = 2\n"})
    _put_baseline_elsewhere(repository)  # else the commit that deleted it would have the say
    case = _Case(make_study(_anchors(["a.py::work", "guide.md"])), repository)
    swept = case.swept("HEAD~4", "HEAD")
    for at, commit in enumerate(swept.commits):
        assert _cells(swept, at) == case.checked(commit.id), commit.label
    outcomes = [[row.at(at).outcome for at in range(4)] for row in swept.rows]
    assert outcomes == [["gone", "gone", function, function], ["gone", "gone", page, page]]
