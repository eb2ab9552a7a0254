"""What runs of probes make of the claims of anchors, and of a check as a whole."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from annotator.cli.app import run
from annotator.model.anchor import Anchor, Claim
from annotator.model.probe import (
    CheckVerdict,
    ProbeReport,
    ProbeRun,
    ProbeStatus,
    Verdict,
    observation_drifts,
)
from annotator.model.report import AnchorResult, CheckReport
from annotator.model.resolution import Resolution
from annotator.model.words import ChangeKind, FailOn, Outcome, Watch
from annotator.report.json_report import check_json
from annotator.report.result_schemas import report_schemas
from annotator.report.table import print_check
from annotator.tasks.claims import claim_result, with_claims
from annotator.tasks.probe import drifts_between

CONFIRMED, REFUTED, NOT_APPLICABLE = Verdict


def made_run(
    verdicts: dict[str, Verdict] | None = None,
    *,
    status: ProbeStatus | None = None,
    label: str = "v1",
    tier: str = "source",
    observations: dict[str, object] | None = None,
    reason: str = "",
) -> ProbeRun:
    said = tuple(
        CheckVerdict(check=c, verdict=v, evidence=f"{c} seen") for c, v in (verdicts or {}).items()
    )
    if status is None:
        status = ProbeStatus.CONFIRMED
        if REFUTED in (verdicts or {}).values():
            status = ProbeStatus.REFUTED
    return msgspec.convert(
        {
            **{"probe": "apc-hash", "version": 1, "upstream": "demo", "commit": "0" * 40},
            **{"label": label, "tier": tier, "status": status, "verdicts": said},
            **{"observations": observations or {}, "reason": reason, "hint": "mend it"},
        },
        ProbeRun,
    )


SKIPPED = made_run(status=ProbeStatus.SKIPPED, reason="no environment")
ERROR = made_run(status=ProbeStatus.ERROR, reason="it crashed", tier="engine")


@pytest.mark.parametrize(
    ("runs", "check", "status", "evidence"),
    [
        ([made_run({"a": CONFIRMED})], "a", "confirmed", "a seen"),
        ([made_run({"a": REFUTED})], "a", "refuted", "a seen"),
        ([made_run({"a": NOT_APPLICABLE})], "a", "refuted", "does not apply to this version"),
        (
            [made_run({"a": CONFIRMED}), made_run({"a": REFUTED}, tier="engine")],
            "a",
            "refuted",
            "a seen",
        ),
        (
            [made_run({"a": REFUTED}), made_run({"a": CONFIRMED}, tier="engine")],
            "a",
            "refuted",
            "a seen",
        ),
        ([made_run({"a": NOT_APPLICABLE}), made_run({"a": CONFIRMED})], "a", "confirmed", "a seen"),
        ([made_run({"a": CONFIRMED}), ERROR], "a", "confirmed", "a seen"),
        ([made_run({"b": CONFIRMED}), SKIPPED], "a", "skipped", "no environment"),
        ([SKIPPED, ERROR], "a", "error", "it crashed"),
        ([made_run({"b": CONFIRMED})], "a", "error", "no run speaks of this check"),
        ([], "a", "skipped", "the probe was not run"),
        ([made_run({"a": CONFIRMED, "b": CONFIRMED})], None, "confirmed", "seen"),
        ([made_run({"a": CONFIRMED, "b": REFUTED})], None, "refuted", "b seen"),
    ],
)
def test_what_a_claim_comes_to(
    runs: list[ProbeRun], check: str | None, status: str, evidence: str
) -> None:
    result = claim_result(_claim(check), {"apc-hash": runs})
    assert result is not None
    assert result.status == status
    assert evidence in result.evidence


def test_a_claim_without_a_probe_comes_to_nothing() -> None:
    claim = Claim.model_validate({"id": "c", "text": {"en": "C"}})
    assert claim_result(claim, {}) is None


def _claim(check: str | None = "a") -> Claim:
    return Claim.model_validate(
        {"id": "c", "text": {"en": "C"}, "probe": "apc-hash", "check": check}
    )


def _report(runs: list[ProbeRun], outcome: Outcome = Outcome.OK) -> CheckReport:
    anchor = Anchor.model_validate({"id": "q01-a", "target": "a.py::f", "note": {"en": "N"}})
    anchor = anchor.model_copy(update={"claims": (_claim(),)})
    result = AnchorResult(
        id="q01-a",
        owner="q01",
        number=1,
        upstream="demo",
        target="a.py::f",
        watch=Watch.BODY,
        file="route/01.yaml",
        line=1,
        baseline="v1",
        resolution=Resolution(outcome=outcome),
    )
    return CheckReport(
        version="0",
        upstreams=(),
        groups=(),
        anchors=(with_claims(result, anchor, {"apc-hash": runs}),),
        fail_on=(FailOn.CHANGED, FailOn.GONE),
        probes=tuple(runs),
    )


@pytest.mark.parametrize(
    ("runs", "before", "after", "code"),
    [
        ([made_run({"a": CONFIRMED})], Outcome.OK, Outcome.OK, 0),
        ([made_run({"a": REFUTED})], Outcome.OK, Outcome.CHANGED, 1),
        ([made_run({"a": REFUTED})], Outcome.MOVED, Outcome.CHANGED, 1),
        ([made_run({"a": REFUTED})], Outcome.GONE, Outcome.GONE, 1),
        ([SKIPPED], Outcome.OK, Outcome.OK, 3),
        ([ERROR], Outcome.OK, Outcome.OK, 3),
        ([ERROR], Outcome.CHANGED, Outcome.CHANGED, 3),
        ([made_run({"a": CONFIRMED})], Outcome.CHANGED, Outcome.CHANGED, 1),
    ],
)
def test_what_an_anchor_and_the_check_come_to(
    runs: list[ProbeRun], before: Outcome, after: Outcome, code: int
) -> None:
    report = _report(runs, before)
    assert report.anchors[0].resolution.outcome is after
    assert report.exit_code == code
    data = json.loads(check_json(report))
    jsonschema.Draft202012Validator(report_schemas()["check"]).validate(data)
    assert data["anchors"][0]["claims"][0]["probe"] == "apc-hash"


def test_a_refuted_claim_is_named_as_the_change() -> None:
    [change] = _report([made_run({"a": REFUTED})]).anchors[0].resolution.changes
    assert (change.kind, change.detail) == (ChangeKind.BEHAVIOUR, "c: a seen")


def test_the_table_says_what_was_refuted_and_what_could_not_run() -> None:
    console = Console(width=200, file=io.StringIO())
    print_check(console, _report([made_run({"a": REFUTED}), ERROR]), language="en", show_ok=False)
    shown = _shown(console)
    assert "1 claims: 1 refuted" in shown
    assert "probe apc-hash (engine, v1): it crashed → mend it" in shown


def _shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"k": 1}, {"k": 1}, []),
        ({"k": 1}, {"k": 2}, [("k", "changed", 1, 2)]),
        ({}, {"k": None}, [("k", "added", None, None)]),
        ({"k": [1]}, {}, [("k", "removed", [1], None)]),
    ],
)
def test_behaviour_drift(
    old: dict[str, object], new: dict[str, object], expected: list[object]
) -> None:
    before = made_run({"a": CONFIRMED}, observations=old)
    now = made_run({"a": CONFIRMED}, observations=new, label="v2")
    assert [
        (d.key, d.change, d.old, d.new) for d in observation_drifts("v1", before.observations, now)
    ] == expected


def test_what_only_one_tier_looks_at_is_no_drift() -> None:
    now = made_run({"a": CONFIRMED}, observations={"both": 2, "new": 1}, tier="engine")
    drifts = observation_drifts("v1", {"both": 1, "old": 1}, now, same_tier=False)
    assert [drift.key for drift in drifts] == ["both"]


def test_drift_is_looked_for_between_neighbours_that_ran() -> None:
    runs = [
        made_run({"a": CONFIRMED}, observations={"k": 1}, label="v1"),
        made_run(status=ProbeStatus.ERROR, label="v2"),
        made_run({"a": CONFIRMED}, observations={"k": 2}, label="v3"),
        made_run({"a": CONFIRMED}, observations={"k": 3}, label="v3", tier="overlay"),
        made_run({"a": CONFIRMED}, observations={"k": 3}, label="v4", tier="engine"),
    ]
    assert [(d.old_label, d.new_label) for d in drifts_between(runs)] == [("v1", "v3")]


@pytest.mark.parametrize(
    ("runs", "gate", "code"),
    [
        ([made_run({"a": CONFIRMED})], False, 0),
        ([made_run({"a": REFUTED})], False, 1),
        ([made_run({"a": REFUTED}), SKIPPED], False, 3),
        ([made_run({"a": NOT_APPLICABLE}, status=ProbeStatus.SKIPPED)], False, 0),
        (
            [made_run({"a": CONFIRMED}, observations={"k": n}, label=f"v{n}") for n in (1, 2)],
            False,
            0,
        ),
        (
            [made_run({"a": CONFIRMED}, observations={"k": n}, label=f"v{n}") for n in (1, 2)],
            True,
            1,
        ),
    ],
)
def test_exit_code_of_a_probe_report(runs: list[ProbeRun], gate: bool, code: int) -> None:
    assert _probe_report(runs, gate).exit_code == code


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        pytest.param([made_run({"a": CONFIRMED}), SKIPPED], 0, id="skipped"),
        pytest.param([made_run({"a": REFUTED}), SKIPPED], 1, id="refuted"),
        pytest.param([ERROR, SKIPPED], 3, id="error"),
    ],
)
def test_exit_code_where_skipping_is_allowed(runs: list[ProbeRun], code: int) -> None:
    assert replace(_probe_report(runs), allow_skipped=True).exit_code == code


def _probe_report(runs: list[ProbeRun], gate: bool = False) -> ProbeReport:
    return ProbeReport(
        version="0",
        labels=tuple(dict.fromkeys(r.label for r in runs)),
        runs=tuple(runs),
        drifts=tuple(drifts_between(runs)),
        gate=gate,
    )


ANCHORS = """\
  - id: q01-f
    target: "a.py::f"
    note: {zh: "记", en: "Note on f"}
    claims:
      - {id: q01-c, text: {zh: "断言", en: "Claim"}, probe: PROBE, check: group-in-key}
"""


def test_check_with_probes_that_cannot_run_is_incomplete(
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = str(make_study(ANCHORS.replace("PROBE", "apc-hash")))
    options = ["--study", study, "--repo", str(make_repository({"a.py": "def f(): pass\n"}))]
    assert run(["check", *options]) == 0
    assert run(["check", *options, "--probes"]) == 3
    shown = capsys.readouterr().out
    assert "1 claims: 1 error" in shown or "1 claims: 1 skipped" in shown


def test_a_claim_that_names_an_unknown_probe_is_a_mistake_in_the_files(
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = str(make_study(ANCHORS.replace("PROBE", "apc-hush")))
    repo = str(make_repository({"a.py": "def f(): pass\n"}))
    assert run(["check", "--study", study, "--repo", repo]) == 2
    assert "apc-hash" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["probe", "nothing"], 2),
        (["probe", "--engine", "gpu", "--device", "cpu"], 2),
        (["probe", "--option", "nonsense"], 2),
        (["probe", "list"], 0),
        (["probe", "--help"], 0),
        (["probe", "setup", "--check"], 3),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_code_of_the_command(arguments: list[str], code: int) -> None:
    assert run(arguments) == code


def test_without_an_environment_probes_are_skipped_visibly(
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANNOT_PROBE_PYTHON", raising=False)
    repo = str(make_repository({"vllm/__init__.py": ""}))
    assert run(["probe", "apc-hash", "--repo", repo]) == 3
    shown = capsys.readouterr().out
    assert "- skipped" in shown
    assert "→ annot probe setup" in shown
