"""Files that other tools read: their schemas hold, and what they run is there."""

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from annotator.cli.app import app

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GITLAB = ROOT / "templates" / "annot.gitlab-ci.yml"
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
_UNTRUSTED = re.compile(r"\$\{\{\s*(?:github\.event|inputs\.|steps\.)")


def schema(name: str):
    text = files("check_jsonschema").joinpath(f"builtin_schemas/vendor/{name}.json").read_text()
    loaded = json.loads(text)
    return jsonschema.validators.validator_for(loaded)(loaded)


def document(path: Path) -> dict:
    # GitHub's `on` is YAML 1.1's True.
    loaded = yaml.safe_load(path.read_text("utf-8"))
    return {"on" if key is True else key: value for key, value in loaded.items()}


def test_the_action_is_valid() -> None:
    schema("github-actions").validate(document(ROOT / "action.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_valid(path: Path) -> None:
    schema("github-workflows").validate(document(path))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_give_the_action_inputs_that_it_has(path: Path) -> None:
    inputs = document(ROOT / "action.yml")["inputs"]
    steps = [step for job in document(path)["jobs"].values() for step in job.get("steps", ())]
    own = [step for step in steps if step.get("uses") in {"./", "./.annot"}]
    assert own or path.stem == "ci"
    for step in own:
        assert step.get("with", {}).keys() <= inputs.keys()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_text_from_outside_is_expanded_into_a_shell(path: Path) -> None:
    for job in document(path)["jobs"].values():
        for step in job.get("steps", ()):
            assert not _UNTRUSTED.search(step.get("run", ""))


@pytest.mark.parametrize("path", [ROOT / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_other_peoples_actions_are_pinned(path: Path) -> None:
    for use in re.findall(r"^\s+(?:- )?uses: (\S+)", path.read_text("utf-8"), re.MULTILINE):
        name, _, ref = use.partition("@")
        first_party = name.startswith("./") or name.startswith("github/")
        assert first_party or re.fullmatch("[0-9a-f]{40}", ref), use


def gitlab_job() -> dict:
    _, jobs = yaml.safe_load_all(GITLAB.read_text("utf-8"))
    return jobs


def test_the_gitlab_template_is_valid_and_uses_only_inputs_that_it_has() -> None:
    schema("gitlab-ci").validate(gitlab_job())
    spec, _ = yaml.safe_load_all(GITLAB.read_text("utf-8"))
    used = set(re.findall(r"\$\[\[ inputs\.([\w-]+) \]\]", GITLAB.read_text("utf-8")))
    assert used == set(spec["spec"]["inputs"])


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({}, 1),
        ({"ANNOT_GATE": "false"}, 77),
        ({"ANNOT_FAIL_ON": "gone"}, 0),
        ({"ANNOT_COMMIT": "v9"}, 2),
        ({"ANNOT_UPSTREAMS": "demo"}, 1),
    ],
    ids=str,
)
def test_the_gitlab_job_runs(
    variables: dict[str, str], code: int, project: Path, tmp_path: Path
) -> None:
    [script] = gitlab_job()["annot"]["script"]
    annot = tmp_path / "annot"
    annot.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m annotator "$@"\n', "utf-8")
    annot.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "ANNOT_STUDY": "",
        "ANNOT_UPSTREAMS": "",
        "ANNOT_COMMIT": "HEAD",
        "ANNOT_SYNC": "git",
        "ANNOT_FAIL_ON": "warning",
        "ANNOT_DEBT": "",
        "ANNOT_GATE": "true",
        **variables,
    }
    script = script.replace("/tmp/annot/bin/annot", str(annot))
    done = subprocess.run(
        ["sh", "-c", script], cwd=project, env=environment, capture_output=True, check=False
    )
    assert done.returncode == code, done.stderr
    if code in {1, 77}:
        [issue, _] = json.loads((project / "gl-code-quality-report.json").read_text("utf-8"))
        assert issue["location"]["path"] == "anchors/route/01-q.yaml"


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_hooks_name_commands_and_options_that_there_are(hook: dict) -> None:
    words = [*hook["entry"].split()[1:], "--help"]
    shown = CliRunner().invoke(app, words, prog_name="annot")
    assert shown.exit_code == 0, shown.output
    for option in hook.get("args", ()):
        assert option in shown.output


def test_hooks_run_in_pre_commit(project: Path, tmp_path: Path) -> None:
    """Real pre-commit, with annot from this environment instead of one that it installs."""
    [lint] = [hook for hook in HOOKS if hook["id"] == "annot-lint"]
    hook = lint | {"language": "system"}
    config = project / ".pre-commit-config.yaml"
    config.write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hook]}]}), "utf-8")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "annot").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m annotator "$@"\n', "utf-8")
    (bin_ / "annot").chmod(0o755)

    def pre_commit() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files"],
            cwd=project,
            env={
                **os.environ,
                "PATH": os.pathsep.join((str(bin_), os.environ["PATH"])),
                "PYTHONPATH": str(ROOT),
                "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    passed = pre_commit()
    assert passed.returncode == 0, passed.stdout
    assert "Passed" in passed.stdout
    file = project / "anchors" / "route" / "01-q.yaml"
    file.write_text(file.read_text("utf-8") + "nots: 1\n", "utf-8")
    failed = pre_commit()
    assert failed.returncode == 1
    assert "unknown key 'nots'" in failed.stdout
