"""CodeTour files and Web Annotations: valid, at the right lines, and harmless."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from annotator.cli.app import run
from annotator.model.anchor import Anchor
from annotator.reading.codetour import Stop, line_pattern, tour
from annotator.tasks.views import pinned_view

HERE = Path(__file__).parent


def schema(name):
    return Draft202012Validator(json.loads((HERE / name).read_text(encoding="utf-8")))


CODETOUR = schema("codetour.schema.json")
ANNOTATIONS = schema("webannotation.schema.json")


@pytest.fixture
def options(folder, upstream):
    return ["--study", str(folder), "--repo", str(upstream)]


def tours(folder):
    files = sorted(folder.glob("*.tour"))
    return {file.name: json.loads(file.read_text(encoding="utf-8")) for file in files}


def test_there_is_one_valid_tour_a_question(options, tmp_path):
    assert run(["export", "codetour", "-o", str(tmp_path / "t"), "--lang", "zh", *options]) == 0
    made = tours(tmp_path / "t")
    assert list(made) == ["01-q01.tour", "02-q02.tour"]
    for data in made.values():
        CODETOUR.validate(data)
    first, second = made.values()
    assert first["title"] == "1 - 题"
    assert first["nextTour"] == second["title"] == "2 - 第二题"
    assert [step.get("title") for step in first["steps"]] == [
        *("题", "q01-guide", "q01-touch", "q01-append")
    ]


@pytest.mark.parametrize(("commit", "shift"), [("v1", 0), ("v2", 2)])
def test_a_tour_is_true_at_its_commit(options, upstream, tmp_path, commit, shift):
    run(["export", "codetour", "-o", str(tmp_path), "--commit", commit, *options])
    data = tours(tmp_path)["01-q01.tour"]
    known = subprocess.check_output(["git", "-C", upstream, "rev-parse", commit], text=True)
    assert data["ref"] == known.strip()
    steps = {step["title"]: step for step in data["steps"][1:]}
    assert steps["q01-touch"]["line"] == 5 + shift
    assert steps["q01-append"]["line"] == 14 + shift
    assert steps["q01-append"]["selection"]["end"] == {"line": 14 + shift, "character": 36}
    for step in steps.values():
        show = ["git", "-C", upstream, "show", f"{commit}:{step['file']}"]
        text = subprocess.check_output(show, text=True)
        found = re.search(step["pattern"], text, re.MULTILINE)
        assert text.count("\n", 0, found.start()) + 1 == step["line"]


def test_what_codetour_would_run_is_made_inert(study, workspace):
    placed = study.anchors[1]
    evil = "see [this](command:workbench.action.terminal.new)\n>> rm -rf /\n  >> again\nCOMMAND:x"
    data = placed.anchor.model_dump() | {"note": {"en": evil, "zh": evil}}
    anchor = Anchor.model_validate(data)
    stop = Stop(anchor, pinned_view(workspace, study, placed))
    step = tour(study.questions[0], [stop], None, "en")["steps"][1]
    assert not re.search(r"command:", step["description"], re.IGNORECASE)
    assert not re.search(r"^\s*>>\s", step["description"], re.MULTILINE)


@given(st.lists(st.sampled_from(["", "x = 1", "  return (a|b)*[c]", "\tif $y^2: {", "a\\b/c.?"])))
def test_a_pattern_first_fits_at_its_own_line_or_at_equal_text(lines):
    text = "\n".join(lines)
    for line in range(1, len(lines) + 1):
        found = re.search(line_pattern(lines, line), text, re.MULTILINE)
        at = text.count("\n", 0, found.start()) + 1
        assert lines[at - 1] == lines[line - 1]


def test_a_pattern_takes_in_more_lines_where_one_is_not_enough():
    lines = ["def f():", "    pass", "def f():", "    return 1"]
    assert line_pattern(lines, 3) == r"^def f\(\):\r?\n    return 1\r?$"


def test_web_annotations_are_valid_and_say_everything(options, tmp_path):
    file = tmp_path / "notes.jsonld"
    assert run(["export", "webannotation", "-o", str(file), *options]) == 0
    data = json.loads(file.read_text(encoding="utf-8"))
    ANNOTATIONS.validate(data)
    assert data["total"] == len(data["first"]["items"]) == 4
    assert len({item["id"] for item in data["first"]["items"]}) == 4
    touch = data["first"]["items"][1]
    assert [(body["purpose"], body.get("language")) for body in touch["body"]] == [
        *(("commenting", "zh"), ("commenting", "en"), ("assessing", "zh"), ("assessing", "en")),
        ("tagging", None),
    ]
    assert touch["target"]["selector"]["value"] == "line=4,9", "lines are counted from 0"
    quote = data["first"]["items"][2]["target"]["selector"]["refinedBy"]
    assert quote["exact"] == "            self.free.append(block)"
    assert quote["prefix"].endswith("        if block.refs == 0:\n")


def test_the_same_anchor_has_the_same_id_at_every_commit(options, tmp_path):
    ids = []
    for commit in ("v1", "v2"):
        file = tmp_path / commit
        run(["export", "webannotation", "-o", str(file), "--commit", commit, *options])
        data = json.loads(file.read_text(encoding="utf-8"))
        ids.append([item["id"] for item in data["first"]["items"]])
    assert ids[0] == ids[1]


def test_an_anchor_that_is_gone_is_left_out_and_named(folder, make_repository, tmp_path, capsys):
    from tests.reading.conftest import FIRST

    repository = make_repository(FIRST, {"docs/guide.md": FIRST["docs/guide.md"]})
    options = ["--study", str(folder), "--repo", str(repository), "--commit", "v2"]
    assert run(["export", "codetour", "-o", str(tmp_path / "t"), *options]) == 0
    assert list(tours(tmp_path / "t")) == ["01-q01.tour"]
    assert "q01-touch is left out: gone" in capsys.readouterr().err
