"""The planted mistakes are well formed and name checks that exist; a few of them are planted, and noticed."""

from collections import Counter
from pathlib import Path

import pytest

from annotator.model.failures import UserMistake
from annotator.probes.environments import Environment, find_environments
from annotator.probes.known import load_probe
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from bench.probe_mutations.cases import CASES, Mutation, TextGone, mutations
from bench.probe_mutations.planting import Nursery, Outcome

ON_FILE = list(mutations())
PLANTED = ("hash-without-parent", "hash-without-extra-keys")


@pytest.mark.parametrize("mutation", ON_FILE, ids=lambda each: f"{each.probe}-{each.id}")
def test_a_mistake_names_checks_of_its_probe(mutation: Mutation) -> None:
    probe = load_probe(mutation.probe)
    assert set(mutation.refutes) <= {check.id for check in probe.checks}
    assert mutation.refutes
    assert mutation.old != mutation.new
    assert mutation.tier in probe.tiers


def test_names_of_mistakes_are_unique_within_a_probe() -> None:
    counted = Counter((each.probe, each.id) for each in ON_FILE)
    assert max(counted.values()) == 1
    assert {each.probe for each in ON_FILE} == {path.stem for path in CASES.glob("*.yaml")}


def test_a_mistake_needs_the_text_it_replaces() -> None:
    with pytest.raises(TextGone, match="no longer holds the text"):
        ON_FILE[0].planted("something else")
    assert ON_FILE[0].planted(f"a {ON_FILE[0].old} b") == f"a {ON_FILE[0].new} b"
