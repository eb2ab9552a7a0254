"""Results as findings: where they stand, when they fail, and that nothing that failed looks green."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.model.probe import (
    CheckVerdict,
    ClaimResult,
    ObservationDrift,
    ProbeReport,
    ProbeRun,
    ProbeStatus,
    Verdict,
)
from annotator.model.report import AnchorResult, CheckReport
from annotator.model.resolution import Candidate, Change, Place, Resolution
from annotator.model.study import Study
from annotator.model.words import ChangeKind, FailOn, Outcome, Severity, Watch
from annotator.probes.known import load_probe, probe_names
from annotator.store.study_loader import load_study
from annotator.tasks.findings import check_findings, probe_findings, project_root, spot_in
from annotator.tasks.findings.spots import Mending, mended_target

PROBE = load_probe(probe_names()[0])
CHECK = PROBE.checks[0]
ANCHORS = f"""\
  - id: q01-f
    target: "a.py::f"
    note: {{zh: "记", en: "Note"}}
    claims:
      - {{id: q01-f-claim, text: {{zh: "句", en: "It is so."}}, probe: {PROBE.name}, check: {CHECK.id}}}
  - {{note: {{zh: "前面有中文"}}, id: q01-g, target: a.md#Old title}}
"""
OLD = Place(path="a.py", symbol="f", start=1, end=2, blob="a" * 40)
NEW = Place(path="b.py", symbol="f", start=3, end=4, blob="b" * 40)


@pytest.fixture
def folder(make_study: Callable[[str], Path]) -> Path:
    return make_study(ANCHORS) / "anchors"


@pytest.fixture
def study(folder: Path) -> Study:
    return load_study(folder, probe_names())


def result(resolution: Resolution, **more: object) -> AnchorResult:
    plain = {
        "id": "q01-f",
        "owner": "q01",
        "upstream": "demo",
        "target": "a.py::f",
        "watch": Watch.BODY,
        "file": "route/01-q.yaml",
        "line": 8,
        "baseline": "v1",
        "resolution": resolution,
    }
    return AnchorResult(**(plain | more))  # type: ignore[arg-type]


def report(*results: AnchorResult, fail_on: tuple[FailOn, ...] = (FailOn.WARNING,)) -> CheckReport:
    return CheckReport(version="1", upstreams=(), groups=(), anchors=results, fail_on=fail_on)


class TestProjectRoot:
    @pytest.mark.parametrize("kind", ["folder", "file"], ids=["repository", "worktree"])
    def test_it_is_the_git_repository_around_the_notes(self, kind: str, tmp_path: Path) -> None:
        notes = tmp_path / "docs" / "study" / "anchors"
        notes.mkdir(parents=True)
        if kind == "folder":
            (tmp_path / ".git").mkdir()
        else:
            (tmp_path / ".git").write_text("gitdir: elsewhere", "utf-8")
        assert project_root(notes) == tmp_path
        assert spot_in(notes, "route/a.yaml", 3).file == "docs/study/anchors/route/a.yaml"

    def test_without_git_it_is_the_folder_around_the_study(self, folder: Path) -> None:
        assert project_root(folder) == folder.parent
        assert spot_in(folder, "route/a.yaml", 3).file == "anchors/route/a.yaml"


class TestCheck:
    @pytest.mark.parametrize("outcome", Outcome)
    def test_every_anchor_is_a_finding_of_its_outcome(
        self, outcome: Outcome, study: Study, folder: Path
    ) -> None:
        checked = report(result(Resolution(outcome=outcome, old=OLD, new=NEW, reason="why")))
        [found] = check_findings(checked, study, folder)
        assert found.rule.id == f"anchor-{outcome.value}"
        assert found.is_ok == (outcome is Outcome.OK)
        assert found.fails == (outcome in {Outcome.CHANGED, Outcome.GONE, Outcome.AMBIGUOUS})
        assert found.spot is not None
        assert (found.spot.file, found.spot.line) == ("anchors/route/01-q.yaml", 8)

    def test_quiet_changes_are_not_told(self, study: Study, folder: Path) -> None:
        changes = (Change(kind=ChangeKind.COMMENTS), Change(kind=ChangeKind.BODY, detail="+1 line"))
        checked = report(result(Resolution(outcome=Outcome.CHANGED, new=NEW, changes=changes)))
        [found] = check_findings(checked, study, folder)
        assert found.detail == "body: +1 line"

    def test_what_is_gone_names_its_candidates(self, study: Study, folder: Path) -> None:
        near = Candidate(path="x.py", symbol="g", start=1, end=2, score=0.4, reason="alike")
        checked = report(result(Resolution(outcome=Outcome.GONE, old=OLD, candidates=(near,))))
        [found] = check_findings(checked, study, folder)
        assert found.detail == "x.py::g? 0.40 alike"
        assert found.place == OLD

    @pytest.mark.parametrize(
        ("status", "outcome", "fails"),
        [
            (ProbeStatus.CONFIRMED, Outcome.OK, False),
            (ProbeStatus.REFUTED, Outcome.CHANGED, True),
            (ProbeStatus.ERROR, Outcome.ERROR, False),
            (ProbeStatus.SKIPPED, Outcome.SKIPPED, False),
        ],
    )
    def test_a_claim_is_a_finding_at_its_own_line(
        self, status: ProbeStatus, outcome: Outcome, fails: bool, study: Study, folder: Path
    ) -> None:
        claim = ClaimResult(
            id="q01-f-claim", probe=PROBE.name, check=CHECK.id, status=status, evidence="seen"
        )
        anchor = Outcome.CHANGED if status is ProbeStatus.REFUTED else Outcome.OK
        checked = report(result(Resolution(outcome=anchor, new=OLD), claims=(claim,)))
        _, found = check_findings(checked, study, folder)
        assert (found.subject, found.outcome, found.fails) == ("q01-f-claim", outcome, fails)
        assert found.spot is not None
        assert found.spot.line == 12


class TestIds:
    CHANGED = Resolution(outcome=Outcome.CHANGED, new=NEW, state="s1")

    @pytest.mark.parametrize(
        ("other", "same"),
        [
            ({"new": Place(path="b.py", symbol="f", start=30, end=41, blob="c" * 40)}, True),
            ({"changes": (Change(kind=ChangeKind.BODY),), "confidence": 0.7}, True),
            ({"state": "s2"}, False),
            ({"new": OLD}, False),
            ({"outcome": Outcome.AMBIGUOUS}, False),
        ],
        ids=["lines and blob", "words and confidence", "state", "path", "outcome"],
    )
    def test_an_id_depends_on_what_the_place_is_now(self, other: dict, same: bool) -> None:
        plain = {"outcome": Outcome.CHANGED, "new": NEW, "state": "s1"}
        first, second = result(self.CHANGED), result(Resolution(**(plain | other)))
        assert (first.finding == second.finding) is same

    def test_anchors_never_share_one(self) -> None:
        assert result(self.CHANGED).finding != result(self.CHANGED, id="q01-g").finding


class TestMending:
    def test_only_the_target_is_replaced(self, folder: Path) -> None:
        suggestion = Mending(folder).suggestion("route/01-q.yaml", "q01-f", NEW)
        assert suggestion is not None
        assert (suggestion.lead, suggestion.old, suggestion.new) == (
            "    target: ",
            '"a.py::f"',
            '"b.py::f"',
        )

    def test_columns_count_characters(self, folder: Path) -> None:
        suggestion = Mending(folder).suggestion("route/01-q.yaml", "q01-g", NEW)
        assert suggestion is not None
        line = (
            (folder / "route/01-q.yaml").read_text("utf-8").splitlines()[suggestion.spot.line - 1]
        )
        spot = suggestion.spot
        assert line[spot.column - 1 : spot.end_column - 1] == "a.md#Old title"

    @pytest.mark.parametrize(
        ("file", "anchor"),
        [("route/01-q.yaml", "nobody"), ("route/none.yaml", "q01-f"), ("upstreams.yaml", "q01-f")],
    )
    def test_what_is_not_there_has_no_correction(
        self, file: str, anchor: str, folder: Path
    ) -> None:
        assert Mending(folder).suggestion(file, anchor, NEW) is None

    @pytest.mark.parametrize(
        ("target", "symbol", "mended"),
        [
            ("a.py::f", "C.f", "b.py::C.f"),
            ("a.md#Old", "A > New", "b.py#A > New"),
            ("a.py", "", "b.py"),
        ],
    )
    def test_the_form_of_the_target_stays(self, target: str, symbol: str, mended: str) -> None:
        new = Place(path="b.py", symbol=symbol, start=1, end=1, blob="")
        assert mended_target(target, new) == mended


def probe_run(status: ProbeStatus, *verdicts: Verdict, reason: str = "") -> ProbeRun:
    return ProbeRun(
        probe=PROBE.name,
        version=1,
        upstream="demo",
        commit="c" * 40,
        label="v2",
        tier="source",
        status=status,
        verdicts=tuple(
            CheckVerdict(check=check.id, verdict=verdict, evidence="seen")
            for check, verdict in zip(PROBE.checks, verdicts, strict=False)
        ),
        reason=reason,
        seconds=4.0,
    )


class TestProbe:
    def findings(self, *runs: ProbeRun, study: Study, folder: Path, **more: object):
        probed = ProbeReport(version="1", labels=("v2",), runs=runs, **more)  # type: ignore[arg-type]
        return probe_findings(probed, study, folder)

    @pytest.mark.parametrize(
        ("verdict", "outcome", "fails"),
        [
            (Verdict.CONFIRMED, Outcome.OK, False),
            (Verdict.REFUTED, Outcome.CHANGED, True),
            (Verdict.NOT_APPLICABLE, Outcome.OK, False),
        ],
    )
    def test_a_check_is_a_finding_at_the_claim_that_names_it(
        self, verdict: Verdict, outcome: Outcome, fails: bool, study: Study, folder: Path
    ) -> None:
        run = probe_run(ProbeStatus.CONFIRMED, verdict)
        [found] = self.findings(run, study=study, folder=folder)
        assert (found.subject, found.outcome, found.fails) == (CHECK.id, outcome, fails)
        assert found.spot is not None
        assert found.spot.line == 12
        assert found.seconds == 4.0

    @pytest.mark.parametrize("status", [ProbeStatus.ERROR, ProbeStatus.SKIPPED])
    def test_a_run_that_could_not_be_made_is_incomplete(
        self, status: ProbeStatus, study: Study, folder: Path
    ) -> None:
        [found] = self.findings(probe_run(status, reason="no torch"), study=study, folder=folder)
        assert found.is_incomplete
        assert found.severity is Severity.ERROR
        assert found.detail == "no torch"
        assert found.spot is not None
        assert found.spot.file == "anchors/upstreams.yaml", "no claim names the whole probe"

    @pytest.mark.parametrize("gate", [True, False])
    def test_a_difference_fails_only_at_the_gate(
        self, gate: bool, study: Study, folder: Path
    ) -> None:
        drift = ObservationDrift(
            probe=PROBE.name,
            tier="source",
            key="a.b",
            change="changed",
            old_label="v1",
            new_label="v2",
            old=1,
            new=[2],
        )
        [found] = self.findings(study=study, folder=folder, drifts=(drift,), gate=gate)
        assert found.fails is gate
        assert found.severity is (Severity.WARNING if gate else Severity.NOTE)
        assert found.detail == "1 → [2]"

    def test_without_a_study_a_finding_has_no_place(self) -> None:
        run = probe_run(ProbeStatus.REFUTED, Verdict.REFUTED)
        probed = ProbeReport(version="1", labels=("v2",), runs=(run,))
        [found] = probe_findings(probed, None, None)
        assert found.spot is None
