"""Which environment a probe is run under."""

from pathlib import Path

import pytest

from annotator.probes.choice import CannotRun, choose
from annotator.probes.contract import Probe
from annotator.probes.environments import Environment, InstalledPackage
from tests.probes.conftest import make_probe

ONE, BOTH = ("demo",), ("demo", "other")


@pytest.mark.parametrize(
    ("at_hand", "beside", "chosen"),
    [
        pytest.param([ONE, BOTH], (), 0, id="the-first-that-has-the-package"),
        pytest.param([ONE, BOTH], ("other",), 1, id="the-first-that-has-all-packages"),
        pytest.param([(), ONE], (), 1, id="not-one-without-it"),
    ],
)
def test_the_first_environment_that_fits(
    at_hand: list[tuple[str, ...]],
    beside: tuple[str, ...],
    chosen: int,
    this_interpreter: Environment,
) -> None:
    environments = [_with(this_interpreter, names) for names in at_hand]
    choice = choose(_probe(beside), {}, "1.0", environments, "compiled", "cpu")
    assert choice.environment is environments[chosen]
    assert choice.tier == "overlay"


@pytest.mark.parametrize("at_hand", [[], [ONE], [("other",), ONE]])
def test_what_no_environment_has_is_named(
    at_hand: list[tuple[str, ...]], this_interpreter: Environment
) -> None:
    environments = [_with(this_interpreter, names) for names in at_hand]
    with pytest.raises(CannotRun, match="demo and other") as caught:
        choose(_probe(("other",)), {}, "1.0", environments, "compiled", "cpu")
    assert caught.value.hint == "annot probe setup --engine"


def _probe(beside: tuple[str, ...]) -> Probe:
    return make_probe(("overlay",), beside=beside)


def _with(environment: Environment, names: tuple[str, ...]) -> Environment:
    """That environment, as if it had these packages and no others."""
    update = {
        "distributions": dict.fromkeys(names, "1.0"),
        "packages": {name: InstalledPackage(folder=Path(name), compiled=()) for name in names},
    }
    return environment._replace(about=environment.about.model_copy(update=update))
