"""Sessions, records and experiments of a study: what is wrong in them, with file and line."""

from pathlib import Path

import pytest

from annotator.cli.app import run
from annotator.probes.known import probe_names
from annotator.store.entry_files import read_entry_files
from annotator.store.study_loader import load_study
from annotator.tasks.lint import lint
from annotator.tasks.lint.entries import entry_findings

SESSION = """\
schema: 1
id: 2026-12-05-q01
date: "2026-12-05"
minutes: 60
questions: [1]
at: {demo: v1}
plan:
  - {anchor: take, minutes: 30}
"""
OUTCOME = """\
outcome:
  closed: "2026-12-06"
  read: [take]
  disputed:
    - {claim: head-first}
"""
EXPERIMENTS = """\
schema: 1
software:
  engine: {title: Engine, upstream: demo}
flags:
  - {fact: parallel.tp, flags: ["--tp"]}
compatibility:
  - when: {engine: ">=1"}
    needs: {system.python: ">=3.11"}
    note: {zh: "旧", en: "Too old"}
    source: README.md
"""
RECORD = """\
schema: 1
name: first
date: "2026-12-05"
software:
  engine: {release: "1.0"}
model: {}
gpu: {}
system: {}
attention: {}
parallel: {}
connector: {}
blocks: {}
host: {}
network: {}
workload: {}
runs: {}
"""
ANCHOR = """\
  - id: take
    target: pool.py::take
    note: {zh: "取", en: "Takes"}
    claims:
      - id: head-first
        text: {zh: "从头取", en: "From the head."}
"""


@pytest.fixture
def study(make_study):
    """A study with one closed session, a record and experiments.yaml, some texts replaced: (file, old, new)."""

    def make(*changes: tuple[str, str, str], anchor: str = ANCHOR) -> Path:
        texts = {
            "sessions/2026-12-05-q01.yaml": SESSION,
            "records/first.yaml": RECORD,
            "experiments.yaml": EXPERIMENTS,
        }
        for name, old, new in changes:
            assert not old or texts[name].count(old) == 1
            texts[name] = texts[name].replace(old, new) if old else new
        folder: Path = make_study(anchor) / "anchors"
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    return make


def told(folder: Path) -> list[str]:
    found = entry_findings(load_study(folder), read_entry_files(folder))
    return [f"{one.file}:{one.line}: {one.level}: {one.message}" for one in found]


def test_sound_files_have_no_findings(study):
    assert told(study(("sessions/2026-12-05-q01.yaml", SESSION, SESSION + OUTCOME))) == []


S, R, E = "sessions/2026-12-05-q01.yaml", "records/first.yaml", "experiments.yaml"


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        pytest.param((S, "[1]", "[2]"), f"{S}:5: error: there is no question number '2'", id="question"),
        pytest.param((S, "demo: v1", "dmo: v1"), f"{S}:6: error: there is no upstream 'dmo'; did you mean 'demo'?", id="upstream"),
        pytest.param((S, "anchor: take", "anchor: tke"), f"{S}:8: error: there is no anchor 'tke'; did you mean 'take'?", id="anchor"),
        pytest.param((S, SESSION, SESSION + OUTCOME.replace("[take]", "[gone]")), f"{S}:11: warning: there is no anchor 'gone'", id="read-of-a-closed-session"),
        pytest.param((S, SESSION, SESSION + OUTCOME.replace("head-first", "head-frst")), f"{S}:13: warning: there is no claim 'head-frst'; did you mean 'head-first'?", id="disputed-claim"),
        pytest.param((R, "engine:", "engin:"), f"{R}:5: error: there is no program 'engin'; did you mean 'engine'?", id="program-of-a-record"),
        pytest.param((E, "upstream: demo", "upstream: other"), f"{E}:3: error: there is no upstream 'other'", id="upstream-of-a-program"),
        pytest.param((E, "parallel.tp", "parallel.tpp"), f"{E}:5: error: there is no fact 'parallel.tpp'; did you mean 'parallel.tp'?", id="fact-of-a-flag"),
        pytest.param((E, "{engine: ", "{engines: "), f"{E}:7: error: there is no program 'engines'; did you mean 'engine'?", id="program-of-a-rule"),
        pytest.param((E, "system.python", "system.pythons"), f"{E}:8: error: there is no fact 'system.pythons'; did you mean 'system.python'?", id="fact-of-a-rule"),
        pytest.param(("sessions/again.yaml", "", SESSION), "sessions/again.yaml:2: error: the session '2026-12-05-q01' is in sessions/2026-12-05-q01.yaml already", id="session-twice"),
        pytest.param(("records/again.yaml", "", RECORD), "records/first.yaml:2: error: the record 'first' is in records/again.yaml already", id="record-twice"),
    ],
)  # fmt: skip
def test_names_that_lead_nowhere(study, change, finding):
    assert told(study(change)) == [finding]


def test_the_command_tells_mistakes_of_all_files_in_one_run(study, capsys):
    folder = study(
        (S, "minutes: 60", "minute: 60"),
        (R, 'date: "2026-12-05"', "date: today"),
        (E, "schema: 1", "schema: 2"),
        anchor=ANCHOR.replace("note:", "notes:"),
    )
    assert run(["lint", "--no-source", "--study", str(folder)]) == 2
    said = "".join(capsys.readouterr())
    for place in ("route/01-q.yaml:10", f"{S}:4", f"{R}:3", f"{E}:1"):
        assert place in said


def test_the_command_fails_for_a_name_that_leads_nowhere(study, capsys):
    folder = study((S, "anchor: take", "anchor: tke"))
    assert run(["lint", "--no-source", "--study", str(folder)]) == 2
    said = "".join(capsys.readouterr())
    assert f"{S}:8: error: there is no anchor 'tke'" in said


@pytest.mark.parametrize(
    ("named", "findings"),
    [
        ("probe: block-allocation\n        check: no-leak", []),
        ("probe: block-allocation\n        check: no-leek", [
            "route/01-q.yaml:12: the probe block-allocation has no check 'no-leek'; did you mean 'no-leak'?"]),
        ("check: no-leak", ["route/01-q.yaml:12: the claim head-first names the check 'no-leak' and no probe"]),
        ("probe: block-allocation", []),
    ],
    ids=["known", "unknown", "no-probe", "no-check"],
)  # fmt: skip
def test_a_claim_names_a_check_that_its_probe_has(make_study, named, findings):
    folder = make_study(f"{ANCHOR}        {named}\n") / "anchors"
    found = [one for one in lint(load_study(folder, probe_names())) if one.rule == "check"]
    assert [f"{one.file}:{one.line}: {one.message}" for one in found] == findings
    assert all(one.level == "error" for one in found)
