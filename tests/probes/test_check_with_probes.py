"""`annot check --probes` and `annot lock --probes`, from the study's files to the exit code."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.app import run
from tests.probes.conftest import make_probe

ANCHORS = """\
  - id: q01-f
    target: "demo/behave.py::kept"
    note: {zh: "记", en: "Note"}
    claims:
      - {id: q01-c, text: {zh: "断言", en: "Claim"}, probe: demo, check: good}
"""


def _behave(body: str) -> dict[str, str]:
    text = f"def kept(): pass\n\ndef run(context):\n    {body}\n"
    return {"demo/__init__.py": "", "demo/behave.py": text}


TREES = (
    _behave('context.saw("k", 1); context.verdict("good", True, "seen")'),
    _behave('context.saw("k", 2); context.verdict("good", True, "seen")'),
    _behave('context.saw("k", 2); context.verdict("good", False, "bad")'),
    _behave('raise ValueError("boom")'),
    _behave('context.not_applicable("good", "no such thing")'),
)


@pytest.fixture
def options(
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
    own_code: None,
    scratch: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> list[str]:
    for place in ("probes.known", "tasks.claims"):
        monkeypatch.setattr(f"annotator.{place}.probe_names", lambda: ("demo",))
    for place in ("tasks.claims", "report.probes"):
        monkeypatch.setattr(f"annotator.{place}.load_probe", lambda name: make_probe())
    monkeypatch.setenv("ANNOT_PROBE_PYTHON", sys.executable)
    return ["--study", str(make_study(ANCHORS)), "--repo", str(make_repository(*TREES))]


@pytest.mark.parametrize(
    ("commit", "code", "said"),
    [
        ("v1", 0, ["1 claims: 1 confirmed"]),
        ("v2", 0, ["1 claims: 1 confirmed", "demo k: 1 in v1, 2 in v2"]),
        ("v3", 1, ["~ changed", "behaviour: q01-c: bad", "1 claims: 1 refuted"]),
        ("v4", 3, ["1 claims: 1 error", "probe demo (source, v4): ValueError: boom"]),
        ("v5", 1, ["~ changed", "does not apply to this version: no such thing"]),
    ],
)
def test_what_a_check_comes_to(
    commit: str, code: int, said: list[str], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", *options, "--commit", commit]) == 0, "without probes nothing drifts"
    capsys.readouterr()
    assert run(["check", *options, "--commit", commit, "--probes"]) == code
    shown = " ".join(capsys.readouterr().out.split())
    for sentence in said:
        assert sentence in shown


def test_the_json_has_runs_and_drifts(options: list[str], tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    run(["check", *options, "--commit", "v3", "--probes", "--format", "json", "-o", str(output)])
    report = json.loads(output.read_text(encoding="utf-8"))
    [probed] = report["probes"]
    assert (probed["status"], probed["observations"]) == ("refuted", {"k": 2})
    [drift] = report["drifts"]
    assert (drift["key"], drift["old"], drift["new"]) == ("k", 1, 2)
    [claim] = report["anchors"][0]["claims"]
    assert (claim["id"], claim["status"], claim["tier"]) == ("q01-c", "refuted", "source")


def test_the_lock_keeps_the_behaviour_at_the_baseline(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study" / "anchors" / "locks" / "demo.json"
    assert run(["lock", *options, "--probes"]) == 0
    lock = json.loads(path.read_text(encoding="utf-8"))
    assert lock["behaviour"] == {
        "demo/source": {
            **{"version": 1, "tier": "source", "device": "cpu"},
            **{"verdicts": {"good": "confirmed"}, "observations": {"k": 1}},
        }
    }
    assert run(["lock", *options]) == 0, "recording anchors again keeps it"
    assert json.loads(path.read_text(encoding="utf-8"))["behaviour"] == lock["behaviour"]


@pytest.mark.parametrize(
    ("recorded", "told"),
    [
        pytest.param({}, ["k: 7 in v1", "other: 7 in v1, no longer"], id="comparable"),
        pytest.param({"tier": "overlay"}, ["k: 7 in v1"], id="another-tier"),
        pytest.param({"device": "cuda"}, ["k: 1 in v1"], id="another-device"),
        pytest.param({"version": 2}, ["k: 1 in v1"], id="another-version-of-the-probe"),
    ],
)
def test_behaviour_is_compared_with_what_the_lock_has_or_with_a_run_at_the_baseline(
    recorded: dict[str, object],
    told: list[str],
    options: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "study" / "anchors" / "locks" / "demo.json"
    run(["lock", *options, "--probes"])
    lock = json.loads(path.read_text(encoding="utf-8"))
    lock["behaviour"]["demo/source"] |= {"observations": {"k": 7, "other": 7}} | recorded
    path.write_text(json.dumps(lock), encoding="utf-8")
    capsys.readouterr()
    run(["check", *options, "--commit", "v2", "--probes"])
    shown = " ".join(capsys.readouterr().out.split())
    assert [
        part for part in ("k: 7 in v1", "k: 1 in v1", "other: 7 in v1, no longer") if part in shown
    ] == told


def test_a_lock_without_an_environment_is_incomplete(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ANNOT_PROBE_PYTHON")
    assert run(["lock", *options, "--probes"]) == 3
    assert "demo/source was not recorded" in capsys.readouterr().err
