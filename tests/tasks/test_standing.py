"""Reports that stand: whatever an answer depends on is changed behind annot's back, and the answer is never stale."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from annotator import api
from annotator.model.failures import AnnotError
from annotator.report.json_report import check_json
from annotator.store.study_index import index_of
from annotator.tasks.asked import asked_for
from annotator.tasks.standing import Standing
from annotator.tasks.standing_history import StandingHistory
from annotator.upstream.folders import cache_folder, clone_folder
from annotator.upstream.state import history_limit

ONE = {"a.py": "def f(x):\n    return x\n", "b.py": "B = 1\n"}
TWO = {"a.py": "def f(x):\n    return x + 1\n", "b.py": "B = 1\n"}
THREE = {"c.py": "def g():\n    pass\n"}
ANCHORS = """\
  - id: q01-f
    target: a.py::f
    note: {zh: "注", en: "Note"}
"""


class Scene(NamedTuple):
    """A study and the working clone that it is checked against."""

    project: Path
    repo: Path

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.repo), "-c", "user.name=Ada", "-c", "user.email=a@b.c"]
        done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def file(self, name: str) -> Path:
        return self.project / "anchors" / name


@pytest.fixture
def scene(make_study: Callable[[str], Path], make_repository: Callable[..., Path]) -> Scene:
    origin = make_repository(ONE, TWO, THREE)
    repo = origin.parent / "work"
    subprocess.run(["git", "clone", "-q", str(origin), str(repo)], check=True)
    scene = Scene(make_study(ANCHORS), repo)
    scene.git("reset", "-q", "--hard", "v1")
    return scene


def answer(scene: Scene, **options: Any) -> object:
    """The report of a check as its reader sees it, or why there is none."""
    options = {"repo": scene.repo, **options}
    try:
        return json.loads(check_json(api.check(scene.project, **options)))
    except AnnotError as error:
        return [str(error), error.exit_code]


def answer_without_memory(scene: Scene, monkeypatch: pytest.MonkeyPatch, **options: Any) -> object:
    cache = os.environ["ANNOT_CACHE_DIR"]
    with monkeypatch.context() as fresh:
        fresh.setenv("ANNOT_CACHE_DIR", f"{cache}-fresh")
        if (sources := Path(cache, "sources")).is_dir():
            shutil.copytree(sources, f"{cache}-fresh/sources")
        return json.loads(json.dumps(answer(scene, **options)).replace(f"{cache}-fresh", cache))


def edit_in_silence(path: Path, old: str, new: str) -> None:
    """Changes a file and gives it its old time back; the length stays too."""
    assert len(old) == len(new)
    status, text = path.stat(), path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def another_repository(scene: Scene) -> None:
    shutil.rmtree(scene.repo)
    scene.repo.mkdir()
    scene.git("init", "-q", "-b", "main")
    scene.repo.joinpath("a.py").write_text("def other():\n    pass\n", encoding="utf-8")
    scene.git("add", "-A")
    scene.git("commit", "-qm", "another")
    scene.git("tag", "v1")


def add_review(scene: Scene) -> None:
    folder = scene.file("reviews/demo")
    folder.mkdir(parents=True)
    text = "schema: 1\nupstream: demo\nanchor: q01-f\naccepted:\n  - {ref: v2, date: '2026-10-30', by: Ada, reason: Right.}\n"
    folder.joinpath("q01-f.yaml").write_text(text, encoding="utf-8")


def put_the_route_elsewhere(scene: Scene) -> None:
    """Another folder of the study is read where the route was, without any file's having changed."""
    route = scene.file("route")
    target = scene.file("route-b") if route.is_symlink() else scene.file("route-a")
    if not route.is_symlink():
        shutil.copytree(route, scene.file("route-b"))
        edit_in_silence(scene.file("route-b/01-q.yaml"), "a.py::f", "b.py::B")
        route.rename(target)
    else:
        route.unlink()
    route.symlink_to(target.name)


Attack = tuple[Callable[[Scene], object], dict[str, Any]]

ATTACKS: dict[str, Attack] = {
    "the branch at HEAD moves": (lambda s: s.git("reset", "-q", "--soft", "v2"), {}),
    "HEAD is another branch": (lambda s: s.git("switch", "-q", "-C", "other", "v2"), {}),
    "HEAD is a commit": (lambda s: s.git("checkout", "-q", "--detach", "v2"), {}),
    "a tag moves": (lambda s: s.git("tag", "-f", "v2", "v3"), {"commit": "v2"}),
    "the pin moves": (lambda s: s.git("tag", "-f", "v1", "v2"), {}),
    "refs are packed": (lambda s: s.git("pack-refs", "--all"), {}),
    "another repository is there": (another_repository, {}),
    "the repository is gone": (lambda s: shutil.rmtree(s.repo), {}),
    "FETCH_HEAD moves": (
        lambda s: s.git("fetch", "-q", "origin", "tag", "v2"),
        {"commit": "FETCH_HEAD"},
    ),
    "ORIG_HEAD moves": (
        lambda s: s.git("update-ref", "ORIG_HEAD", "v2"),
        {"commit": "ORIG_HEAD"},
    ),
    "what HEAD was is forgotten": (
        lambda s: s.git("reflog", "expire", "--expire=now", "--all"),
        {"commit": "HEAD@{1}"},
    ),
    "an anchor changes": (
        lambda s: edit_in_silence(s.file("route/01-q.yaml"), "a.py::f", "b.py::B"),
        {},
    ),
    "a title changes": (
        lambda s: edit_in_silence(s.file("route/01-q.yaml"), "Title", "Other"),
        {},
    ),
    "a file with a wrong ending comes": (
        lambda s: s.file("route/02-q.YAML").write_text("x", encoding="utf-8"),
        {},
    ),
    "a folder is called like a file": (lambda s: s.file("route/02-q.yaml").mkdir(), {}),
    "a link leads nowhere": (lambda s: s.file("route/02-q.yaml").symlink_to("none"), {}),
    "the route is a link that leads elsewhere": (put_the_route_elsewhere, {}),
    "a review comes": (add_review, {"commit": "v2"}),
    "a lock comes": (
        lambda s: shutil.copytree(s.project.parent / "locks", s.file("locks")),
        {},
    ),
    "a change is left unfinished": (
        lambda s: s.file(".unfinished.json").write_text("{}", encoding="utf-8"),
        {},
    ),
}


@pytest.fixture(params=ATTACKS)
def attacked(request: pytest.FixtureRequest, scene: Scene) -> Attack:
    """What is done to the scene after the first answer, and the options of the question."""
    attack, options = ATTACKS[request.param]
    scene.git("update-ref", "ORIG_HEAD", "v1")
    scene.git("fetch", "-q", "origin", "tag", "v1")
    if attack is put_the_route_elsewhere:
        attack(scene)
    locks = scene.project.parent / "locks"
    locks.mkdir()
    lock = '{"schema": 1, "upstream": "other", "entries": {}}'
    locks.joinpath("demo.json").write_text(lock, encoding="utf-8")
    return attack, options


def test_no_answer_is_stale(
    attacked: Attack, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack, options = attacked
    answer(scene, **options)
    attack(scene)
    assert answer(scene, **options) == answer_without_memory(scene, monkeypatch, **options)


def history(scene: Scene, **options: Any) -> object:
    """The history of the anchor as its reader sees it, or why there is none."""
    options = {"end": options.get("commit", "HEAD"), "repo": options.get("repo", scene.repo)}
    try:
        return msgspec.to_builtins(api.trace("q01-f", study=scene.project, **options))
    except AnnotError as error:
        return [str(error), error.exit_code]


def test_no_history_is_stale(
    attacked: Attack, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    attack, options = attacked
    history(scene, **options)
    attack(scene)
    now = history(scene, **options)
    monkeypatch.setenv("ANNOT_CACHE_DIR", f"{os.environ['ANNOT_CACHE_DIR']}-fresh")
    assert now == history(scene, **options)


def test_a_history_stands_while_other_words_are_edited(scene: Scene) -> None:
    def standing() -> object:
        index = index_of(api.load(scene.project).study)
        asked = asked_for(index, "q01-f", None)
        return StandingHistory(cache_folder(), index, asked, scene.repo, None, "v2").get()

    assert standing() is None
    found = api.trace("q01-f", study=scene.project, repo=scene.repo, end="v2")
    edit_in_silence(scene.file("route/01-q.yaml"), "Title", "Other")
    assert standing() == found
    edit_in_silence(scene.file("route/01-q.yaml"), "a.py::f", "b.py::B")
    assert standing() is None


def test_a_history_that_stands_loads_neither_the_resolver_nor_the_models(scene: Scene) -> None:
    code = (
        "import sys; from annotator.cli.app import run\n"
        f"run(['trace', 'q01-f', '--study', {str(scene.project)!r}, '--repo', {str(scene.repo)!r}])\n"
        "print([name for name in ('annotator.resolve', 'pydantic', 'yaml') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    first, again = (
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        for _ in range(2)
    )
    assert first[:-1] == again[:-1]
    assert first[-1] == "['annotator.resolve', 'pydantic', 'yaml']"
    assert again[-1] == "[]"


def test_a_report_stands_while_nothing_changes(scene: Scene) -> None:
    """Else the cases above would prove nothing."""
    settings = ("HEAD", (), None, "reviewed", False, ())
    assert Standing(cache_folder(), scene.file(""), scene.repo, settings).get() is None
    report = api.check(scene.project, repo=scene.repo, fail_on=())
    assert Standing(cache_folder(), scene.file(""), scene.repo, settings).get() == report


def test_what_moves_while_the_check_runs_is_not_missed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process syncs: the report is of the old state and must not stand for the new one."""

    def move(what: str, done: int, total: int) -> None:
        scene.git("reset", "-q", "--hard", "v2")

    assert answer(scene, progress=move) != answer_without_memory(scene, monkeypatch)
    assert answer(scene) == answer_without_memory(scene, monkeypatch)


def test_what_is_edited_while_the_check_runs_is_not_missed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edit(what: str, done: int, total: int) -> None:
        if done == 0:
            edit_in_silence(scene.file("route/01-q.yaml"), "a.py::f", "b.py::B")

    assert answer(scene, progress=edit) != answer_without_memory(scene, monkeypatch)
    assert answer(scene) == answer_without_memory(scene, monkeypatch)


def test_damage_that_is_mended_is_not_remembered(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two upstreams cannot be read; its refs are the same when it can be again."""
    upstreams = scene.file("upstreams.yaml")
    text = upstreams.read_text(encoding="utf-8")
    upstreams.write_text(
        text + text.partition("upstreams:\n")[2].replace("demo:", "second:"), encoding="utf-8"
    )
    question = scene.file("route/01-q.yaml").read_text(encoding="utf-8")
    for old, new in (("q01", "q02"), ("number: 1", "number: 2"), ("demo", "second")):
        question = question.replace(old, new)
    scene.file("route/02-q.yaml").write_text(question, encoding="utf-8")
    for name in ("demo", "second"):
        clone = ["git", "clone", "-q", "--bare", str(scene.repo), str(clone_folder(name))]
        subprocess.run(clone, check=True)
    second = Scene(scene.project, clone_folder("second"))
    for pack in second.repo.glob("objects/pack/*.pack"):
        pack = pack.rename(second.repo / "aside.pack")  # noqa: PLW2901
        with pack.open("rb") as content:
            unpack = ["git", "-C", str(second.repo), "unpack-objects", "-q"]
            subprocess.run(unpack, check=True, stdin=content)
    tree = second.git("rev-parse", "v1^{tree}")
    hurt = second.repo / "objects" / tree[:2] / tree[2:]
    aside = hurt.with_name("aside")
    hurt.rename(aside)
    damaged = answer(scene, repo=None)
    aside.rename(hurt)
    assert answer(scene, repo=None) != damaged
    assert answer(scene, repo=None) == answer_without_memory(scene, monkeypatch, repo=None)


def test_history_that_comes_later_is_not_missed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, make_repository: Callable[..., Path]
) -> None:
    """A shallow clone with a linked worktree gets its history; no ref changes."""
    origin = make_repository(ONE, TWO, TWO | {"c.py": ""})
    shallow = scene.repo.with_name("shallow")
    clone = ["git", "clone", "-q", "--depth=1", "--branch=v3", "-c", "advice.detachedHead=false"]
    subprocess.run([*clone, origin.as_uri(), str(shallow)], check=True)
    at = Scene(scene.project, shallow)
    at.git("fetch", "-q", "--depth=1", "origin", "tag", "v1")
    at.git("worktree", "add", "-q", "--detach", str(shallow.with_name("tree")), "v3")
    linked = Scene(scene.project, shallow.with_name("tree"))
    options = {"blame": True, "commit": "v3"}
    before = answer(linked, **options)
    at.git("fetch", "-q", "--unshallow")
    after = answer(linked, **options)
    assert after == answer_without_memory(linked, monkeypatch, **options)
    assert after != before


def test_answers_are_asked_for_again_once_a_shallow_clone_is_deepened(
    make_repository: Callable[..., Path],
) -> None:
    """The commits in between make an answer surer; a clone that is still shallow may have more of them."""
    trees = [{"a.py": f"x = {number}\n"} for number in range(6)]
    origin = make_repository(*trees)
    shallow = origin.with_name("shallow")
    clone = ["git", "clone", "-q", "--depth=1", "--bare", origin.as_uri(), str(shallow)]
    subprocess.run(clone, check=True)
    before = history_limit(shallow)
    subprocess.run(["git", "-C", str(shallow), "fetch", "-q", "--deepen=2"], check=True)
    assert before
    assert history_limit(shallow) not in {"", before}
    subprocess.run(["git", "-C", str(shallow), "fetch", "-q", "--unshallow"], check=True)
    assert history_limit(shallow) == ""


@pytest.mark.parametrize(
    "content",
    [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200],
    ids=["empty", "text", "torn"],
)
def test_a_damaged_file_of_reports_costs_time_only(
    content: bytes, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answer(scene)
    history_before = history(scene)
    files = list(cache_folder().glob("*.sqlite"))
    assert {file.name for file in files} >= {"reports.sqlite", "histories.sqlite"}
    for file in files:
        file.write_bytes(content)
    assert answer(scene) == expected
    assert history(scene) == history_before
    answer(scene)
    for file in files:
        assert file.read_bytes() != content, "a damaged file is begun anew"
