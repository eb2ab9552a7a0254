"""`--format`, `--fail-on`, `--debt`, `--quiet` of `annot check`, as a team's CI uses them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from junitparser import JUnitXml

from annotator.cli.app import run
from annotator.cli.check_command import command
from annotator.store.study_loader import load_study

FUNCTION = "def {name}({parameters}):\n    total = {value}\n    return total + len(str({value}))\n"


def tree(**values: str) -> dict[str, str]:
    """A module `a.py` with a function a keyword: its name and what it computes."""
    parts = [FUNCTION.format(name=n, parameters="a", value=v) for n, v in values.items()]
    return {"a.py": "\n\n".join(parts)}


PINNED = tree(f="a", g="a * 2", h="a - 7")
DRIFTED = tree(f="a", g="a * 3", h="a - 7")
DRIFTED_ON = tree(f="a", g="a * 4", h="a - 7")
SHIFTED = {"a.py": "# a comment above\n\n\n" + DRIFTED["a.py"]}
MOVED = {"a.py": tree(f="a", g="a * 2")["a.py"], "b.py": tree(h="a - 7")["a.py"]}
ANCHORS = """\
  - {id: q01-f, target: "a.py::f", note: {zh: "记", en: "Note on f"}}
  - {id: q01-g, target: "a.py::g", note: {zh: "记", en: "Note on g"}}
  - {note: {zh: "这里说明", en: "Note"}, id: q01-h, target: a.py::h}
"""

Check = Callable[..., int]


@pytest.fixture
def folder(make_study: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with notes about the demo upstream; it is the working folder."""
    folder = make_study(ANCHORS)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def check(folder: Path, make_repository: Callable[..., Path]) -> Check:
    """Runs `annot check` on one of the upstream's commits v1 to v5."""
    repo = make_repository(PINNED, DRIFTED, DRIFTED_ON, SHIFTED, MOVED)
    return lambda ref, *options: run(["check", "--repo", str(repo), "--commit", ref, *options])


def written(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def fingerprints(path: Path) -> dict[str, str]:
    return {
        issue["description"].split(":")[0]: issue["fingerprint"]
        for issue in json.loads(written(path))
    }


class TestFormat:
    def test_several_at_once(
        self, check: Check, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        options = [f"--format={name}=out.{name}" for name in ("sarif", "junit", "markdown", "json")]
        assert check("v2", "--format", "table", *options) == 1
        assert "~ changed" in capsys.readouterr().out
        run_ = json.loads(written(folder / "out.sarif"))["runs"][0]
        [result] = run_["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "anchors/route/01-q.yaml"
        lines = written(folder / "anchors/route/01-q.yaml").splitlines()
        assert "q01-g" in lines[place["region"]["startLine"] - 1]
        assert JUnitXml.fromfile(str(folder / "out.junit")).failures == 1
        assert "q01-g" in written(folder / "out.markdown")

    def test_files_alone_leave_the_terminal_empty(
        self, check: Check, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert check("v2", "--format", "sarif=out.sarif") == 1
        assert capsys.readouterr().out == ""

    def test_output_names_the_file_of_the_format_without_one(
        self, check: Check, folder: Path
    ) -> None:
        check("v2", "--format", "rdjson", "--format", "gitlab=cq.json", "-o", "rd.json")
        assert "diagnostics" in json.loads(written(folder / "rd.json"))
        assert isinstance(json.loads(written(folder / "cq.json")), list)

    def test_ids_are_the_same_in_all_outputs(self, check: Check, folder: Path) -> None:
        check("v2", "--format=sarif=s", "--format=gitlab=g", "--format=json=j")
        [result] = json.loads(written(folder / "s"))["runs"][0]["results"]
        [issue] = json.loads(written(folder / "g"))
        anchor = json.loads(written(folder / "j"))["anchors"][1]
        assert (
            result["partialFingerprints"]["annotFinding/v1"]
            == issue["fingerprint"]
            == anchor["finding"]
        )

    def test_an_id_stays_until_the_place_changes_again(self, check: Check, folder: Path) -> None:
        for ref in ("v2", "v3", "v4"):
            check(ref, f"--format=gitlab={ref}")
        drifted, drifted_on, shifted = (fingerprints(folder / ref) for ref in ("v2", "v3", "v4"))
        assert drifted["q01-g"] == shifted["q01-g"], "only its lines moved"
        assert drifted["q01-g"] != drifted_on["q01-g"]

    def test_a_suggestion_makes_the_study_true_again(self, check: Check, folder: Path) -> None:
        assert check("v5", "--format", "rdjson=rd.json") == 0
        [diagnostic] = json.loads(written(folder / "rd.json"))["diagnostics"]
        [suggestion] = diagnostic["suggestions"]
        file = folder / diagnostic["location"]["path"]
        lines = file.read_bytes().splitlines(keepends=True)
        start, end = suggestion["range"]["start"], suggestion["range"]["end"]
        line = lines[start["line"] - 1]
        mended = line[: start["column"] - 1] + suggestion["text"].encode()
        lines[start["line"] - 1] = mended + line[end["column"] - 1 :]
        file.write_bytes(b"".join(lines))
        anchors = {a.anchor.id: a.anchor.target for a in load_study(folder / "anchors").anchors}
        assert anchors["q01-h"] == "b.py::h"

    def test_summaries_of_several_commands_stand_in_one_file(
        self, check: Check, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
        check("v2", "--format", "github", "--format", "summary")
        check("v3", "--format", "summary")
        assert written(folder / "summary.md").count("## annot check") == 2

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["--format", "yaml"], "'yaml' is none of table, json, sarif"),
            (["--format", "sarif="], "names no file"),
            (["--format", "table", "--format", "sarif"], "table and sarif cannot share"),
            (["--format", "sarif=x", "--format", "junit=x"], "same file"),
            (["--format", "summary"], "there is no GITHUB_STEP_SUMMARY"),
            (["--format", "sarif=no/such/folder/x"], "cannot be written"),
            (["--format", "json=no/such/folder/x"], "cannot be written"),
            (["--update-debt"], "needs --debt FILE"),
            (["--debt", "none.yaml"], "no file of known drift"),
            (["--debt", "no/d.yaml", "--update-debt"], "no/d.yaml cannot be written: No such"),
            (["--fail-on", "changed,soon"], "soon is nothing to fail on"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_mistakes(
        self,
        options: list[str],
        told: str,
        check: Check,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        assert check("v2", *options) == 2
        assert told in " ".join(capsys.readouterr().err.split())

    @pytest.mark.parametrize(
        ("typed", "offered"),
        [("--format=sa", "sarif"), ("--format=j", "junit"), ("--fail-on=gone,ch", "gone,changed")],
    )
    def test_completion(self, typed: str, offered: str) -> None:
        option, _, incomplete = typed.partition("=")
        environment = {
            "_CHECK_COMPLETE": "bash_complete",
            "COMP_WORDS": f"check {option} {incomplete}",
            "COMP_CWORD": "2",
        }
        shown = CliRunner().invoke(command, prog_name="check", env=environment).output
        assert f"plain,{offered}" in shown.splitlines()


class TestFailOn:
    """h moved at v5; g changed at v2. An anchor's own severity goes before the one of the outcome."""

    @pytest.mark.parametrize(
        ("fail_on", "severity", "ref", "code"),
        [
            ("warning", None, "v2", 1),
            ("warning", "note", "v2", 0),
            ("warning", None, "v5", 0),
            ("warning", "error", "v5", 1),
            ("error", None, "v2", 0),
            ("error", "error", "v2", 1),
            ("note", None, "v5", 1),
            ("moved", "note", "v5", 1),
            ("changed", "note", "v2", 1),
            ("gone,error", "warning", "v2", 0),
            ("none", "error", "v2", 0),
        ],
    )
    def test_exit_code(
        self, fail_on: str, severity: str | None, ref: str, code: int, check: Check, folder: Path
    ) -> None:
        file = folder / "anchors/route/01-q.yaml"
        if severity:
            text = written(file).replace("- {", f"- {{severity: {severity}, ")
            file.write_text(text, encoding="utf-8")
        assert check(ref, "--fail-on", fail_on) == code

    def test_severity_is_that_of_the_anchor(self, check: Check, folder: Path) -> None:
        file = folder / "anchors/route/01-q.yaml"
        file.write_text(written(file).replace("- {", "- {severity: error, "), encoding="utf-8")
        check("v2", "--format", "sarif=out.sarif")
        [result] = json.loads(written(folder / "out.sarif"))["runs"][0]["results"]
        assert result["level"] == "error"

    def test_an_unknown_severity_is_a_mistake_in_the_file(
        self, check: Check, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = folder / "anchors/route/01-q.yaml"
        file.write_text(written(file).replace("- {", "- {severity: fatal, ", 1), encoding="utf-8")
        assert check("v2") == 2
        assert "01-q.yaml:8" in capsys.readouterr().err


class TestQuiet:
    def test_nothing_is_printed_while_nothing_fails(
        self, check: Check, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert check("v5", "--quiet") == 0
        assert capsys.readouterr().out == ""

    def test_only_what_fails_is_printed(
        self, check: Check, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert check("v2", "-q") == 1
        shown = capsys.readouterr().out
        assert "q01-g" in shown
        assert "anchors:" not in shown


class TestDebt:
    def test_old_drift_passes_and_new_drift_fails(
        self, check: Check, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert check("v2", "--debt", "debt.yaml", "--update-debt") == 0
        assert check("v2", "--debt", "debt.yaml") == 0
        assert check("v4", "--debt", "debt.yaml") == 0, "its lines moved, nothing more"
        assert "1 of them known" in capsys.readouterr().out
        assert check("v3", "--debt", "debt.yaml") == 1, "it changed again"
        assert "q01-g" in capsys.readouterr().out

    def test_the_file_is_small_and_says_what_it_is(self, check: Check, folder: Path) -> None:
        check("v2", "--debt", "debt.yaml", "--update-debt")
        lines = written(folder / "debt.yaml").splitlines()
        assert lines[0].startswith("# Drift that is known")
        assert len(lines) == 5
        assert lines[-1].startswith('  - {subject: "q01-g", outcome: "changed", finding: "')
        assert lines[-1].endswith('since: "v2"}')

    def test_what_is_over_is_told_and_dropped(
        self, check: Check, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        check("v2", "--debt", "debt.yaml", "--update-debt")
        assert check("v1", "--debt", "debt.yaml") == 0
        assert "known drift is over: q01-g" in capsys.readouterr().out
        check("v1", "--debt", "debt.yaml", "--update-debt")
        assert "known: []" in written(folder / "debt.yaml")

    def test_an_update_keeps_reasons_and_what_was_not_checked(
        self, check: Check, folder: Path
    ) -> None:
        check("v2", "--debt", "debt.yaml", "--update-debt")
        file = folder / "debt.yaml"
        text = written(file).replace('"v2"}', '"v2", reason: "说明：稍后再读"}')
        file.write_text(text, encoding="utf-8")
        check("v4", "--debt", "debt.yaml", "--update-debt")
        assert written(file) == text

    def test_known_drift_is_suppressed_for_code_scanning(self, check: Check, folder: Path) -> None:
        check("v2", "--debt", "d.yaml", "--update-debt", "--format", "sarif=out.sarif")
        [result] = json.loads(written(folder / "out.sarif"))["runs"][0]["results"]
        assert result["suppressions"][0]["justification"] == "known since v2"

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("schema: 1\nknown: [{subject: q01-g}]\n", "debt.yaml:2"),
            (
                "schema: 1\nknown: [{subject: a, outcome: changed, finding: xyz, since: v1}]\n",
                "xyz",
            ),
            ("known: {", "debt.yaml:"),
        ],
    )
    def test_mistakes_in_the_file_are_told_with_their_place(
        self, text: str, told: str, check: Check, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "debt.yaml").write_text(text, encoding="utf-8")
        assert check("v2", "--debt", "debt.yaml") == 2
        assert told in capsys.readouterr().err
