"""A report stands while nothing that it was made from is different, and not a moment longer."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import annotator
from annotator.model.report import CheckReport

OLD = "def area(w, h):\n    return w * h\n"
NEW = "def area(w, h):\n    return w * h * 2\n"


class Resolved(Exception):
    """The check was not spared."""


@pytest.fixture
def project(make_repository: Callable[..., Path]) -> Path:
    return make_repository({"shapes.py": OLD}, {"shapes.py": NEW})


@pytest.fixture
def notes(make_study: Callable[[str], Path]) -> Path:
    return make_study(
        "- id: q01-area\n  target: shapes.py::area\n  note: {en: Areas., zh: 面积。}\n"
    )


@pytest.fixture
def again(
    project: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., CheckReport]:
    """The same check once more, in which nothing may be resolved."""
    first = annotator.check(notes, repo=project)

    def resolve(*_: Any, **__: Any) -> None:
        raise Resolved

    def check(**changed: Any) -> CheckReport:
        with monkeypatch.context() as patched:
            patched.setattr("annotator.tasks.check.check", resolve)
            report = annotator.check(**{"study": notes, "repo": project, **changed})
        assert report == first
        return report

    return check


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def test_an_equal_check_is_spared(again: Callable[..., CheckReport]) -> None:
    assert again().exit_code == 1


def test_a_file_that_no_check_reads_changes_nothing(
    again: Callable[..., CheckReport], notes: Path
) -> None:
    (notes / "README.md").write_text("Words.\n")
    again()


WHAT_ENDS_IT: dict[str, Callable[[Path, Path], object]] = {
    "a branch moved": lambda project, _: git(project, "update-ref", "refs/heads/main", "v1"),
    "HEAD names another branch": lambda project, _: git(
        project, "symbolic-ref", "HEAD", "refs/tags/v1"
    ),
    "a tag came": lambda project, _: git(project, "tag", "v9", "v1"),
    "a tag went": lambda project, _: git(project, "tag", "-d", "v1"),
    "history was cut off": lambda project, _: (project / "shallow").write_text("0" * 40 + "\n"),
    "an anchor file changed": lambda _, notes: _append(notes / "anchors", "route/*.yaml"),
    "the upstreams changed": lambda _, notes: _append(notes / "anchors", "upstreams.yaml"),
    "a lock came": lambda _, notes: _new(notes / "anchors" / "locks" / "demo.json"),
    "a review came": lambda _, notes: _new(notes / "anchors" / "reviews" / "demo" / "a.yaml"),
}


def _append(folder: Path, pattern: str) -> None:
    (path,) = folder.glob(pattern)
    path.write_text(path.read_text(encoding="utf-8") + "# a remark\n", encoding="utf-8")


def _new(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")


@pytest.mark.parametrize("change", WHAT_ENDS_IT.values(), ids=WHAT_ENDS_IT)
def test_it_stands_no_longer(
    again: Callable[..., CheckReport],
    project: Path,
    notes: Path,
    change: Callable[[Path, Path], object],
) -> None:
    change(project, notes)
    with pytest.raises((Resolved, annotator.AnnotError)):
        again()


ANOTHER_QUESTION: dict[str, dict[str, object]] = {
    "another commit": {"commit": "v1"},
    "another gate": {"fail_on": ()},
    "with the commits behind it": {"blame": True},
    "another baseline": {"baseline": "pin"},
    "one question": {"question": 1},
}


@pytest.mark.parametrize("changed", ANOTHER_QUESTION.values(), ids=ANOTHER_QUESTION)
def test_another_question_gets_no_old_answer(
    again: Callable[..., CheckReport], changed: dict[str, object]
) -> None:
    with pytest.raises(Resolved):
        again(**changed)


def test_a_damaged_memory_costs_time_only(project: Path, notes: Path, tmp_path: Path) -> None:
    import os

    first = annotator.check(notes, repo=project)
    for file in Path(os.environ["ANNOT_CACHE_DIR"]).glob("reports.sqlite*"):
        file.write_bytes(b"not a database")
    assert annotator.check(notes, repo=project) == first
