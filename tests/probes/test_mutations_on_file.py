"""The planted mistakes are well formed and name checks that exist; a few of them are planted, and noticed."""

from collections import Counter
from pathlib import Path

import pytest

from annotator.probes.environments import find_environments
from annotator.probes.known import load_probe, probe_names
from annotator.store.study_loader import load_study
from annotator.tasks.workspace import Workspace
from bench.probe_mutations.cases import CASES, Mutation, TextGone, mutations
from bench.probe_mutations.planting import Nursery, Outcome

ON_FILE = list(mutations())
PLANTED = ("load-test", "arrivals-as-drawn")
"""A mistake whose probe needs little of upstream, to be planted in the tests."""


@pytest.mark.parametrize("mutation", ON_FILE, ids=lambda each: f"{each.probe}-{each.id}")
def test_a_mistake_names_checks_of_its_probe(mutation: Mutation) -> None:
    probe = load_probe(mutation.probe)
    assert set(mutation.refutes) <= {check.id for check in probe.checks}
    assert mutation.refutes
    assert mutation.old != mutation.new
    assert mutation.tier in probe.tiers


def test_names_of_mistakes_are_unique_within_a_release() -> None:
    counted = Counter((each.probe, each.release, each.id) for each in ON_FILE)
    assert max(counted.values()) == 1
    assert {each.probe for each in ON_FILE} == {path.stem for path in CASES.glob("*.yaml")}


def test_every_check_that_a_claim_relies_on_can_be_refuted() -> None:
    study = load_study(Path(__file__).parents[2] / "anchors", probe_names())
    claims = [claim for placed in study.anchors for claim in placed.anchor.claims]
    relied_on = {(claim.probe, claim.check) for claim in claims if claim.probe}
    assert relied_on <= {(each.probe, check) for each in ON_FILE for check in each.refutes}


def test_a_mistake_needs_the_text_it_replaces() -> None:
    with pytest.raises(TextGone, match="no longer holds the text"):
        ON_FILE[0].planted("something else")
    assert ON_FILE[0].planted(f"a {ON_FILE[0].old} b") == f"a {ON_FILE[0].new} b"


def test_what_cannot_be_planted_is_told_apart(real_source: Path) -> None:
    mistake = next(each for each in ON_FILE if (each.probe, each.id) == PLANTED)
    with Workspace(real_source) as workspace:
        (found,) = Nursery(workspace, [], 1).plant([mistake])
    assert (found.outcome, found.said) == (Outcome.SKIPPED, "no interpreter is at hand")


@pytest.mark.upstream
def test_a_planted_mistake_is_noticed(real_source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environments = find_environments(real_source)
    if not environments:
        pytest.skip("no probe interpreter: name one in ANNOT_PROBE_PYTHON")
    monkeypatch.setenv("ANNOT_CACHE_DIR", str(real_source))
    mistake = next(each for each in ON_FILE if (each.probe, each.id) == PLANTED)
    gone = mistake._replace(id="gone", old="no such text in this file")
    with Workspace(real_source) as workspace:
        planted = Nursery(workspace, environments, 1).plant([mistake, gone])
        found = {one.mutation.id: one for one in planted}
    assert found[mistake.id].outcome is Outcome.CAUGHT, found[mistake.id].said
    assert found[mistake.id].said.startswith("arrivals-rescaled: ")
    assert found["gone"].outcome is Outcome.TEXT_GONE
