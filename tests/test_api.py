"""The Python interface: its examples are run, and importing it is light."""

import doctest
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import annotator
from annotator import api

V1 = """\
def area(width, height):
    return width * height


class Shape:
    def scale(self, factor):
        return factor
"""
V2 = """\
SCALE = 1


def area(width, height, scale=SCALE):
    return width * height * scale


class Shape:
    def scale(self, factor):
        return factor
"""
UPSTREAMS = """\
schema: 1
upstreams:
  project:
    title: Project
    git: /nowhere/project
    licence: MIT
    pin: {release: v1, date: "2026-10-23"}
"""
QUESTION = """\
schema: 1
id: q01
number: 1
upstream: project
title: {zh: "面积", en: "Areas"}
question: {zh: "怎么算？", en: "How are areas computed?"}
anchors:
  - {id: q01-area, target: "shapes.py::area", note: {en: "Width by height."}, reason: {en: "Why."}}
  - {id: q01-scale, target: "shapes.py::Shape.scale", note: {en: "Scales."}, reason: {en: "Why."}}
"""


@pytest.fixture
def here(
    make_repository: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A folder with a study `notes` and the repository `project` that it is about."""
    made = make_repository(
        {"shapes.py": V1},
        {"shapes.py": V2},
        {"geometry.py": V2},
        subjects={2: "Areas can be scaled", 3: "Move geometry"},
    )
    made.rename(tmp_path / "project")
    route = tmp_path / "notes" / "anchors" / "route"
    route.mkdir(parents=True)
    (route.parent / "upstreams.yaml").write_text(UPSTREAMS, encoding="utf-8")
    (route / "01-areas.yaml").write_text(QUESTION, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["load", "check", "trace", "where", "where_batch"])
def test_examples_say_what_happens(name: str, here: Path) -> None:
    function = getattr(api, name)
    examples = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    assert examples[0].examples, f"{name} has no examples"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in examples:
        example.globs["annotator"] = annotator
        assert runner.run(example).failed == 0


def test_every_promised_name_is_there() -> None:
    for name in annotator.__all__:
        assert getattr(annotator, name) is not None
    assert set(annotator.__all__) <= set(dir(annotator))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = annotator.nothing  # type: ignore[attr-defined]


def test_importing_loads_nothing_else() -> None:
    said = _python(
        "import annotator; print(sorted(m for m in sys.modules if m[:9] == 'annotator'))"
    )
    assert said == "['annotator', 'annotator.model', 'annotator.model.version']"


def test_a_check_whose_report_stands_loads_neither_the_resolver_nor_the_models() -> None:
    said = _python(
        "import annotator.api, annotator.tasks.standing;"
        " print('libcst' in sys.modules, 'pydantic' in sys.modules)"
    )
    assert said == "False False"


def _python(code: str) -> str:
    """What a fresh interpreter prints."""
    root = Path(annotator.__file__).parents[1]
    command = [sys.executable, "-c", f"import sys; {code}"]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_loaded_study_is_not_read_again(here: Path) -> None:
    notes = annotator.load("notes")
    (here / "notes" / "anchors" / "route" / "01-areas.yaml").write_text("broken: [1", "utf-8")
    assert annotator.check(notes, repo="project", commit="v1").exit_code == 0
    with pytest.raises(annotator.UserMistake, match="not properly closed"):
        annotator.check("notes", repo="project")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: annotator.check("notes", repo="project", question=9), "no question 9"),
        (lambda: annotator.check("notes", upstreams=["other"]), "no upstream 'other'"),
        (lambda: annotator.where("shapes.py::", study="notes"), "no symbol behind"),
        (lambda: annotator.where("a.py::f", repo="project", start="v9"), "'v9' is no commit"),
    ],
    ids=["question", "upstream", "target", "ref"],
)
def test_mistakes_are_told(call: Callable[[], object], said: str, here: Path) -> None:
    with pytest.raises(annotator.UserMistake, match=said):
        call()


def test_without_source_it_is_incomplete(here: Path) -> None:
    with pytest.raises(annotator.Incomplete, match="no source of project"):
        annotator.check("notes")
