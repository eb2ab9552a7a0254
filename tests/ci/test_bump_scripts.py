"""The scripts of the upstream-bump workflow: real git, and a `gh` that keeps issues in a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ci_git import git

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / ".github" / "scripts"

GH = '''\
#!{python}
"""As much of gh as the scripts use, over a JSON file."""
import json, os, sys
from pathlib import Path

store = Path(os.environ["GH_STORE"])
state = json.loads(store.read_text("utf-8")) if store.exists() else {{"issues": [], "prs": [], "log": []}}
args = sys.argv[1:]
state["log"].append(args)
option = lambda name: args[args.index(name) + 1] if name in args else None
body = lambda: Path(option("--body-file")).read_text("utf-8")

if args[:2] == ["issue", "list"]:
    shown = [i for i in state["issues"] if i["open"] and i["label"] == option("--label")]
    print(json.dumps(shown))
elif args[:2] == ["issue", "create"]:
    state["issues"].append({{"number": len(state["issues"]) + 1, "title": option("--title"), "body": body(), "label": option("--label"), "open": True}})
elif args[:2] == ["issue", "edit"]:
    state["issues"][int(args[2]) - 1]["body"] = body()
elif args[:2] == ["issue", "close"]:
    state["issues"][int(args[2]) - 1]["open"] = False
elif args[:2] == ["pr", "list"]:
    for number, each in enumerate(state["prs"], 1):
        if each["head"] == option("--head"):
            print(number)
elif args[:2] == ["pr", "create"]:
    state["prs"].append({{"head": option("--head"), "base": option("--base"), "title": option("--title"), "body": body()}})
elif args[:2] != ["label", "create"]:
    sys.exit(f"unknown: {{args}}")
store.write_text(json.dumps(state), "utf-8")
'''


class Gh:
    def __init__(self, folder: Path) -> None:
        self._store = folder / "gh.json"
        bin_ = folder / "ghbin"
        bin_.mkdir()
        for name, text in {
            "gh": GH.format(python=sys.executable),
            "annot": '#!/bin/sh\nexec "$PYTHON" -m annotator "$@"\n',
        }.items():
            (bin_ / name).write_text(text, "utf-8")
            (bin_ / name).chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": os.pathsep.join((str(bin_), os.environ["PATH"])),
            "PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
            "GH_STORE": str(self._store),
        }

    def run(self, script: str, folder: Path, **environment: str) -> str:
        done = subprocess.run(
            ["bash", str(SCRIPTS / script)],
            cwd=folder,
            env=self._environment | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def __getitem__(self, kind: str) -> list:
        return json.loads(self._store.read_text("utf-8"))[kind]


@pytest.fixture
def gh(tmp_path: Path) -> Gh:
    return Gh(tmp_path)


class TestIssue:
    @pytest.fixture
    def report(self, gh: Gh, tmp_path: Path):
        def report(code: int, text: str | None) -> None:
            markdown = tmp_path / "check.md"
            markdown.unlink(missing_ok=True)
            if text is not None:
                markdown.write_text(text, "utf-8")
            gh.run(
                "report-issue.sh",
                tmp_path,
                MARKER="upstream-bump",
                TITLE="Drift",
                LABEL="annot",
                EXIT_CODE=str(code),
                MARKDOWN=str(markdown),
                RUN_URL="https://ci.example/1",
            )

        return report

    def test_one_issue_is_made_kept_up_to_date_and_closed(self, gh: Gh, report) -> None:
        report(0, "nothing")
        assert gh["issues"] == []
        report(1, "first")
        report(1, "second")
        [issue] = gh["issues"]
        assert issue["body"].startswith("<!-- annot: upstream-bump -->\nsecond")
        assert "https://ci.example/1" in issue["body"]
        report(0, "nothing")
        assert [issue["open"] for issue in gh["issues"]] == [False]
        report(1, "third")
        assert [issue["open"] for issue in gh["issues"]] == [False, True]

    def test_an_incomplete_check_is_told_and_closes_nothing(self, gh: Gh, report) -> None:
        report(1, "first")
        report(3, None)
        [issue] = gh["issues"]
        assert issue["open"]
        assert "did not come to its end (exit code 3)" in issue["body"]

    def test_a_long_report_is_cut_at_a_whole_character(self, gh: Gh, report) -> None:
        report(1, "字" * 40_000)
        [issue] = gh["issues"]
        assert len(issue["body"].encode()) < 65_536
        assert "…" in issue["body"]


def test_what_only_moved_becomes_one_pull_request(gh: Gh, project: Path, tmp_path: Path) -> None:
    markdown = tmp_path / "check.md"
    markdown.write_text("report", "utf-8")
    environment = {
        "STUDY": "",
        "UPSTREAMS": "demo",
        "COMMIT": "v2",
        "BRANCH": "annot/moved",
        "TITLE": "Citations follow",
        "MARKDOWN": str(markdown),
    }
    subprocess.run(
        [sys.executable, "-m", "annotator", "sync", "--from", "git"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    gh.run("propose-mends.sh", project, **environment)
    assert git(project, "log", "-1", "--format=%s", "origin/annot/moved") == "Citations follow"
    changed = git(project, "diff", "--name-only", "origin/main", "origin/annot/moved").splitlines()
    assert [name for name in changed if "q01-g" in name] == changed
    assert changed
    git(project, "switch", "-q", "main")
    gh.run("propose-mends.sh", project, **environment)
    [pull_request] = gh["prs"]
    assert (pull_request["head"], pull_request["base"]) == ("annot/moved", "main")
