"""action.yml: its steps are run, offline, with the annot of this checkout."""

import json
import os
from pathlib import Path

import pytest
from action_runner import ActionRunner, Ran, commands_in
from junitparser import JUnitXml

ROOT = Path(__file__).parents[2]


@pytest.fixture
def runner(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ActionRunner:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    annot = bin_ / "annot"
    annot.write_text('#!/bin/sh\nexec python -m annotator "$@"\n', "utf-8")
    annot.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(bin_), os.environ["PATH"])))
    return ActionRunner(ROOT, project, tmp_path / "temp")


def run(runner: ActionRunner, **inputs: str) -> Ran:
    return runner.run(**{"annot": "installed", "sync": "git"} | inputs)


def test_drift_fails_the_job_and_is_annotated_at_its_line(
    runner: ActionRunner, project: Path
) -> None:
    ran = run(runner)
    assert ran.code == 1, ran.output
    check = ran.outputs["check"]
    assert (check["exit-code"], check["drifted"], check["failing"]) == ("1", "2", "1")
    assert check["moved"] == "1"
    [warning, notice] = [c for c in commands_in(ran.output) if "01-q.yaml" in c]
    assert warning.startswith("::warning file=anchors/route/01-q.yaml,line=8,")
    assert notice.startswith("::notice file=anchors/route/01-q.yaml,line=9,")
    assert "q01-f" in ran.summary
    assert JUnitXml.fromfile(str(project / "annot.xml")).failures == 1
    assert json.loads((project / "annot.sarif").read_text("utf-8"))["version"] == "2.1.0"
    assert json.loads(Path(check["report"]).read_text("utf-8"))["exit_code"] == 1
    assert "q01-g" in Path(check["markdown"]).read_text("utf-8")


def test_upstream_cannot_give_the_runner_commands(runner: ActionRunner) -> None:
    ran = run(runner, history="true")
    assert "::error::taken over" in ran.output, "or this test shows nothing"
    kinds = {command.split()[0] for command in commands_in(ran.output)}
    assert kinds <= {"::warning", "::notice"}
    assert not any(command.startswith("::error::") for command in commands_in(ran.output))


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"gate": "false"}, 0),
        ({"fail-on": "gone"}, 0),
        ({"commit": "v1"}, 0),
        ({"commit": "v9", "gate": "false"}, 2),
        ({"upstreams": "demo"}, 1),
        ({"formats": "nonsense=x"}, 2),
        ({"debt": "debt.yaml"}, 2),
    ],
    ids=lambda value: (
        " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else ""
    ),
)
def test_exit_code(inputs: dict[str, str], code: int, runner: ActionRunner) -> None:
    ran = run(runner, **inputs)
    assert ran.code == code, ran.output


TAKE_OVER = "$(touch taken) `touch taken` ; touch taken #' ; touch taken ; '\" ; touch taken ; \""


@pytest.mark.parametrize("name", ["study", "upstreams", "commit", "fail-on", "debt", "formats"])
def test_inputs_are_never_read_as_code(name: str, runner: ActionRunner, project: Path) -> None:
    ran = run(runner, **{name: TAKE_OVER})
    assert ran.code in {1, 2, 3}, ran.output
    assert not (project / "taken").exists()


def test_plain_notes_are_checked_too(runner: ActionRunner, project: Path) -> None:
    (project / "my notes.md").write_text(
        "See [f](https://example.org/demo/blob/v1/a.py#L1-L2).\n", "utf-8"
    )
    ran = run(runner, notes="my notes.md\n", fail_on="changed")
    assert ran.code == 1
    assert ran.outputs["notes"] == {"exit-code": "1"}
    assert any("file=my notes.md,line=1" in command for command in commands_in(ran.output))
    assert ran.summary.count("## annot") == 2


def test_a_check_that_could_not_be_made_is_an_error_in_the_log(runner: ActionRunner) -> None:
    ran = run(runner, sync="none", gate="false")
    assert ran.code == 3
    [command] = commands_in(ran.output)
    assert command.startswith("::error title=annot check::The check did not come to its end")


def test_code_scanning_is_given_the_file_that_was_written(runner: ActionRunner) -> None:
    ran = run(runner, upload_sarif="true", formats="junit=a.xml\n  sarif=my drift.sarif\n")
    assert ran.outputs["sarif"] == {"file": "my drift.sarif"}
    assert ran.used[-1] == "github/codeql-action/upload-sarif"


def test_nothing_is_uploaded_when_the_check_is_incomplete(runner: ActionRunner) -> None:
    assert (
        "github/codeql-action/upload-sarif"
        not in run(runner, upload_sarif="true", sync="none").used
    )
