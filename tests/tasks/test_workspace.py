"""A given clone in a study of several projects: it is read as its own project, never as another."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import annotator
from annotator.model.failures import Incomplete
from annotator.model.study import Study
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import clone_folder

UPSTREAMS = """\
schema: 1
upstreams:
  one: {title: One, git: https://example.org/one.git, licence: MIT, pin: {release: v1, date: "2026-10-23"}}
  two: {title: Two, git: https://example.org/two.git, licence: MIT, pin: {release: v1, date: "2026-10-23"}}
"""
ONE = {"one/a.py": "x = 1\n", "one/b.py": "x = 2\n", "setup.py": "x = 3\n"}
TWO = {"two/a.py": "x = 1\n", "two/b.py": "x = 2\n", "setup.py": "x = 3\n"}


def question(number: int, upstream: str, *paths: str) -> str:
    anchors = "".join(
        f'  - {{id: q{number:02}-{at}, target: {path}, note: {{en: "N"}}}}\n'
        for at, path in enumerate(paths)
    )
    return (
        f"schema: 1\nid: q{number:02}\nnumber: {number}\nupstream: {upstream}\n"
        f'title: {{en: "T"}}\nquestion: {{en: "Q?"}}\nanchors:\n{anchors}'
    )


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Study]:
    def study(**paths: tuple[str, ...]) -> Study:
        folder = tmp_path / "study" / "anchors"
        (folder / "route").mkdir(parents=True)
        (folder / "upstreams.yaml").write_text(UPSTREAMS, encoding="utf-8")
        for number, (name, files) in enumerate(paths.items(), start=1):
            text = question(number, name, *files)
            (folder / "route" / f"{number:02}-{name}.yaml").write_text(text, encoding="utf-8")
        return annotator.load(folder).study

    return study


@pytest.mark.parametrize(
    ("one", "two", "tree", "read_as"),
    [
        (("one/a.py", "setup.py"), ("two/a.py", "setup.py"), ONE, {"one"}),
        (("one/a.py", "setup.py"), ("two/a.py", "setup.py"), TWO, {"two"}),
        (("one/a.py", "one/b.py"), ("two/a.py",), {"one/a.py": "x = 1\n"}, {"one"}),
        (("one/a.py",), (), TWO, {"one", "two"}),
        (("one/a.py",), ("two/a.py",), {"other.py": "x = 1\n"}, {"one", "two"}),
        (("setup.py",), ("setup.py",), ONE, {"one", "two"}),
    ],
    ids=["the-one", "the-other", "half-of-it-moved", "no-anchors-yet", "nothing-known", "alike"],
)
def test_a_clone_is_of_the_upstream_whose_files_it_has(
    one: tuple[str, ...],
    two: tuple[str, ...],
    tree: dict[str, str],
    read_as: set[str],
    make: Callable[..., Study],
    make_repository: Callable[..., Path],
    tmp_path: Path,
) -> None:
    study = make(**{name: paths for name, paths in (("one", one), ("two", two)) if paths})
    with Workspace(tmp_path / "cache", make_repository(tree), study) as workspace:
        found = set()
        for name in ("one", "two"):
            try:
                workspace.revision(name, "HEAD")
            except Incomplete:
                continue
            found.add(name)
    assert found == read_as


def test_a_check_with_a_clone_says_nothing_wrong_of_another_project(
    make: Callable[..., Study], make_repository: Callable[..., Path], tmp_path: Path
) -> None:
    make(one=("one/a.py",), two=("two/a.py",))
    report = annotator.check(tmp_path / "study", repo=make_repository(ONE))
    assert [(one.upstream, one.resolution.outcome.value) for one in report.anchors] == [
        ("one", "ok"),
        ("two", "skipped"),
    ]
    assert report.exit_code == 3


@pytest.mark.parametrize(
    ("given", "commit", "upstreams", "said"),
    [
        ((ONE,), "v1", ("one",), ""),
        ((ONE,), "v2", ("one",), "has no v2"),
        ((TWO,), "v1", ("one",), "is taken for another upstream's"),
        ((TWO,), "v1", ("one", "two"), ""),
    ],
    ids=["it-was-read", "ref-unknown", "another-project", "one-of-several-projects"],
)
def test_a_given_clone_that_is_not_read_is_told(
    given: tuple[dict[str, str], ...],
    commit: str,
    upstreams: tuple[str, ...],
    said: str,
    make: Callable[..., Study],
    make_repository: Callable[..., Path],
    tmp_path: Path,
) -> None:
    synced = clone_folder("one")
    make(one=("one/a.py", "one/b.py"), two=("two/a.py", "two/b.py"))
    shutil.copytree(make_repository(ONE, ONE), synced)
    repo = make_repository(*given)
    report = annotator.check(tmp_path / "study", repo=repo, commit=commit, upstreams=upstreams)
    warnings = [line for line in report.warnings if "was read from" in line]
    assert warnings == ([f"one was read from {synced}: {repo} {said}"] if said else [])
