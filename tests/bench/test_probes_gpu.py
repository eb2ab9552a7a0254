"""What the GPU's run says about its differences from the CPU's."""

import pytest

from bench.probes_gpu import EXPECTED_ON_GPU, ON_GPU, compared


def report(observations, *, probe="engine", variant="", reason=""):
    run = {"probe": probe, "variant": variant, "reason": reason, "observations": observations}
    return {"runs": [run]}


@pytest.mark.parametrize(
    ("cpu", "gpu", "lines"),
    [
        ({"a": 1}, {"a": 1}, ["engine: 0 of 1 observations differ from the CPU's"]),
        (
            {"a": 1, "b": [2]},
            {"a": 1, "b": [3]},
            ["engine: 1 of 2 observations differ from the CPU's", "    b: CPU [2], GPU [3]"],
        ),
        (
            {"order.V1.x": 1},
            {"order.V2.x": 2},
            ["engine: 1 of 1 observations differ from the CPU's", "    order.x: CPU 1, GPU 2"],
        ),
        (
            {},
            {"a": 1},
            ["engine: 1 of 1 observations differ from the CPU's", "    a: CPU null, GPU 1"],
        ),
    ],
    ids=["the same", "another value", "another runner", "seen on one only"],
)
def test_differences(cpu, gpu, lines):
    assert list(compared(report(cpu), report(gpu))) == lines


@pytest.mark.parametrize(
    ("cpu", "gpu"),
    [
        (report({}, probe="metrics"), report({})),
        (report({}), report({}, reason="it broke")),
        (report({}, reason="it broke"), report({})),
    ],
    ids=["not run on the CPU", "failed on the GPU", "failed on the CPU"],
)
def test_nothing_is_compared_with_nothing(cpu, gpu):
    assert list(compared(cpu, gpu)) == ["engine: nothing to compare"]


def test_every_expectation_belongs_to_a_planned_run():
    assert set(EXPECTED_ON_GPU) <= {(planned.probe, planned.variant) for planned in ON_GPU}
