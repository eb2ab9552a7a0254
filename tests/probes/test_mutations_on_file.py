"""The planted mistakes are well formed and name checks that exist."""

from importlib import import_module

import pytest

from annotator.probes.contract import Probe
from bench.probe_mutations import MUTATIONS, Mutation, mutations

ON_FILE = list(mutations())


@pytest.mark.parametrize("mutation", ON_FILE, ids=lambda each: f"{each.probe}-{each.id}")
def test_a_mistake_names_checks_of_its_probe(mutation: Mutation) -> None:
    probe: Probe = import_module(
        f"annotator.probes.catalogue.{mutation.probe.replace('-', '_')}"
    ).PROBE
    assert set(mutation.refutes) <= {check.id for check in probe.checks}
    assert mutation.refutes
    assert mutation.old != mutation.new


@pytest.mark.parametrize("name", ["block-allocation", "scheduler"])
def test_every_check_can_be_refuted(name: str) -> None:
    probe: Probe = import_module(f"annotator.probes.catalogue.{name.replace('-', '_')}").PROBE
    # Refuted by these mistakes as well as by others: see the bench's own output.
    beside = {"hands-out-head", "window-hit-needs-window", "no-leak", "never-raises"}
    aimed_at = {check for each in ON_FILE if each.probe == name for check in each.refutes}
    missing = {check.id for check in probe.checks} - aimed_at - beside
    assert missing <= {"all-finish", "drafts-use-budget"}


def test_a_mistake_needs_the_text_it_replaces() -> None:
    assert MUTATIONS.is_dir()
    with pytest.raises(ValueError, match="does not hold the text"):
        ON_FILE[0].planted("something else")
    assert ON_FILE[0].planted(f"a {ON_FILE[0].old} b") == f"a {ON_FILE[0].new} b"
