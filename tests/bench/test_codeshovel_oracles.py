"""How a hand-made history is read and put next to annot's, on a real repository with a merge."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.codeshovel.comparing import Compared, compare
from bench.codeshovel.oracles import Oracle, read_oracles

PLAIN = "def f(a):\n    b = a + 1\n    c = b * 2\n    return c\n"


def write_oracle(folder: Path, start: str, changes: dict[str, str]) -> Oracle:
    data = {
        "repositoryName": "demo",
        "filePath": "m.py",
        "functionName": "g",
        "functionStartLine": 1,
        "startCommitName": start,
        "expectedResult": changes,
    }
    (folder / "demo.json").write_text(json.dumps(data), encoding="utf-8")
    (oracle,) = read_oracles(folder)
    return oracle


def test_kinds_of_an_oracle_are_read_one_by_one(tmp_path: Path) -> None:
    kinds = {"c": "Ymultichange(Yrename,Yparametermetachange)", "a": "Yintroduced"}

    oracle = write_oracle(tmp_path, "c", kinds)

    assert oracle.changes == {"c": {"renamed", "signature"}}
    assert oracle.introduced == "a"


@pytest.fixture
def compared(tmp_path: Path) -> tuple[Compared, dict[str, str]]:
    """A function that is added, edited twice on a branch, requoted, and renamed."""
    folder = tmp_path / "clone"
    commits: dict[str, str] = {}

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
        command = ["git", "-C", str(folder), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(name: str, text: str) -> None:
        (folder / "m.py").write_text(text, encoding="utf-8")
        git("add", "m.py")
        git("commit", "-q", "-m", name)
        commits[name] = git("rev-parse", "HEAD")

    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    commit("add", PLAIN)
    git("checkout", "-q", "-b", "topic")
    commit("edit", PLAIN.replace("+ 1", "+ 3"))
    second = PLAIN.replace("+ 1", "+ 3").replace("a)", "a, d='x')")
    commit("widen", second)
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    commits["merge"] = git("rev-parse", "HEAD")
    commit("quotes", second.replace("'", '"'))
    commit("rename", second.replace("'", '"').replace("def f", "def g"))
    oracle = write_oracle(
        tmp_path,
        commits["rename"],
        {
            commits["rename"]: "Yrename",
            commits["quotes"]: "Yparametermetachange",
            commits["widen"]: "Yparameterchange",
            commits["edit"]: "Ybodychange",
            commits["add"]: "Yintroduced",
        },
    )
    return compare(oracle, folder / ".git"), commits


def test_commits_of_a_branch_are_their_merge_and_other_quotes_are_layout(
    compared: tuple[Compared, dict[str, str]],
) -> None:
    found, commits = compared
    merged = {commits["merge"]: {"body", "signature"}}
    renamed = {commits["rename"]: {"renamed"}}

    assert found.introduced == "m.py::f"
    assert found.arrived
    assert found.truth == {**merged, commits["quotes"]: {"signature"}, **renamed}
    assert found.annot == {**merged, **renamed}
    assert found.with_layout.keys() == found.truth.keys()
    assert found.line_log == found.truth.keys()
