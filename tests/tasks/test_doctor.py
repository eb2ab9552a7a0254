"""`annot doctor`: how things stand, and the command that mends each."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.app import run
from annotator.store.whole_change import JOURNAL

TREE = {"a.py": "def f(a):\n    return a\n"}
AFTER = {"a.py": "def f(a):\n    return a + 1\n"}
ANCHORS = '  - {id: q01-f, target: "a.py::f", note: {zh: "记", en: "Note"}}\n'


@pytest.fixture
def folder(make_study: Callable[[str], Path]) -> Path:
    return make_study(ANCHORS)


@pytest.fixture
def repo(make_repository: Callable[..., Path]) -> list[str]:
    return ["--repo", str(make_repository(TREE, AFTER))]


def examined(folder, capsys, *options):
    code = run(["doctor", "--study", str(folder), "--format", "json", *options])
    report = json.loads(capsys.readouterr().out)
    assert report["exit_code"] == code
    return code, {(one["section"], one["name"]): one for one in report["conditions"]}


def test_without_source_it_says_how_to_get_it(folder, capsys):
    code, found = examined(folder, capsys)
    assert code == 3
    assert found["demo", "source"]["state"] == "attention"
    assert found["demo", "source"]["mend"] == "annot sync demo"
    assert found["programs", "git"]["state"] == "ok"


def test_a_lock_is_missing_then_fresh_then_stale(folder, repo, capsys):
    _, found = examined(folder, capsys, *repo)
    assert (found["demo", "lock"]["state"], found["demo", "lock"]["mend"]) == ("attention", "annot lock --upstream demo")  # fmt: skip
    run(["lock", "--study", str(folder), *repo])
    capsys.readouterr()
    _, found = examined(folder, capsys, *repo)
    assert found["demo", "lock"]["text"] == "fresh, from v1: 1 exact"
    question = folder / "anchors/route/01-q.yaml"
    question.write_text(
        question.read_text(encoding="utf-8").replace("a.py::f", "a.py"), encoding="utf-8"
    )
    _, found = examined(folder, capsys, *repo)
    assert found["demo", "lock"]["text"] == "stale: 1 of other targets"


def test_drift_is_told_as_far_as_it_is_known(folder, repo, capsys):
    _, found = examined(folder, capsys, *repo)
    assert "not checked yet" in found["demo", "drift"]["text"]
    run(["check", "--study", str(folder), *repo])
    capsys.readouterr()
    _, found = examined(folder, capsys, *repo)
    assert found["demo", "drift"]["text"].startswith("1 anchors to review")
    assert found["demo", "drift"]["mend"] == "annot review --upstream demo"
    run(["accept", "q01-f", "--by", "me", "--reason", "x", "--study", str(folder), *repo])
    run(["check", "--study", str(folder), *repo])
    capsys.readouterr()
    _, found = examined(folder, capsys, *repo)
    assert found["demo", "drift"]["text"].startswith("0 anchors to review")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("route/01-q.yaml", "id: [", "01-q.yaml:2:1:"),
        (JOURNAL, "{}", "interrupted"),
    ],
    ids=["broken-file", "unfinished-change"],
)
def test_a_study_that_cannot_be_read_is_told_and_the_rest_goes_on(
    folder, capsys, name, text, complaint
):
    (folder / "anchors" / name).write_text(text, encoding="utf-8")
    code, found = examined(folder, capsys)
    assert code == 3
    assert complaint in found["study", "files"]["text"]
    assert found["cache", "folder"]["state"] == "ok"
    assert found["probes", "source"]["mend"] == "annot probe setup"


def test_one_screen_for_people(folder, repo, capsys):
    run(["lock", "--study", str(folder), *repo])
    capsys.readouterr()
    run(["doctor", "--study", str(folder), *repo])
    shown = capsys.readouterr().out
    for word in ("programs", "study", "demo", "cache", "probes", "extras"):
        assert f"\n{word} " in f"\n{shown}"
    assert max(map(len, shown.splitlines())) <= 80
