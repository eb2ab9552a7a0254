"""The diagram of hooks, from observations of any shape."""

import pytest

from annotator.model.probe import ProbeRun, ProbeStatus
from annotator.site_pages.hook_picture import Call, Step, hook_recordings, hook_sequence_svg

CALLS = ["scheduler ask", "worker load", "model attention 0"]
STEP = {"times": 1, "calls": CALLS}


def run(label: str = "v1", tier: str = "source", probe: str = "connector-hooks", **seen: object):
    observations = {key.replace("__", "."): value for key, value in seen.items()}
    return ProbeRun(
        probe=probe,
        version=1,
        upstream="demo",
        commit="0",
        label=label,
        tier=tier,
        status=ProbeStatus.CONFIRMED,
        observations={key.replace("_", "-"): value for key, value in observations.items()},
    )


def described(*runs: ProbeRun) -> list[tuple[str, str, str, str]]:
    found = hook_recordings(runs)
    return [(each.scenario, each.runner, each.label, each.tier) for each in found]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([run(probe="other", order__V1__no_load=[STEP])], [], id="another-probe"),
        pytest.param(
            [run(order__V1__abort=[STEP], order__V1__sync_load=[STEP], order__V1__new=[STEP])],
            [(name, "V1", "v1", "source") for name in ("sync-load", "abort", "new")],
            id="known-scenarios-in-reading-order-then-others",
        ),
        pytest.param(
            [run(order__V1__no_load=[STEP], order__V2__no_load=[STEP])],
            [("no-load", "V1", "v1", "source")],
            id="the-first-runner",
        ),
        pytest.param(
            [run("v1", order__V1__no_load=[STEP]), run("v2", order__V1__no_load=[STEP])],
            [("no-load", "V1", "v2", "source")],
            id="the-last-commit",
        ),
        pytest.param(
            [
                run("v1", order__V1__no_load=[STEP]),
                run("v2", tier="engine", engine__V1__no_load__steps=[STEP]),
            ],
            [("no-load", "V1", "v1", "source")],
            id="the-source-tier-before-the-engine",
        ),
        pytest.param(
            [run(tier="engine", engine__V1__no_load__steps=[STEP])],
            [("no-load", "V1", "v1", "engine")],
            id="an-engine-alone",
        ),
        pytest.param([run(order__V1__setup=CALLS)], [], id="a-list-that-is-no-steps"),
        pytest.param([run(order__V1__no_load="text")], [], id="text"),
        pytest.param([run(order__V1__no_load={"times": 1})], [], id="a-mapping"),
        pytest.param([run(start_load_kv__V1__no_load=[STEP])], [], id="another-key"),
    ],
)
def test_what_is_drawn(runs, expected) -> None:
    assert described(*runs) == expected


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (STEP, Step(1, (Call("scheduler", "ask"), Call("worker", "load"), Call("model", "attention 0")))),
        ({"times": 3, "calls": []}, Step(3, ())),
        ({"times": "x", "calls": ["alone"]}, Step(1, (Call("alone", ""),))),
        ({"times": -1, "calls": "ab"}, Step(1, ())),
        ({}, Step(1, ())),
    ],
)  # fmt: skip
def test_steps(written, read) -> None:
    (recording,) = hook_recordings([run(order__V1__no_load=[written])])
    assert recording.steps == (read,)


def drawn(*calls: str, times: int = 1) -> str:
    (recording,) = hook_recordings(
        [run(order__V1__no_load=[{"times": times, "calls": list(calls)}, {"calls": list(calls)}])]
    )
    return str(hook_sequence_svg(recording, "step {number}", "label"))


def test_equal_steps_are_one_frame() -> None:
    picture = drawn("scheduler ask", times=3)
    assert "step 1–3" in picture
    assert "step 4" in picture


def test_events_stand_across_all_sides() -> None:
    assert drawn("event arrived").count('class="event"') == 2


def test_names_are_text() -> None:
    assert "<script" not in drawn("worker <script>", 'x" onload="a', "<b> c")


def test_a_recording_without_end_is_cut() -> None:
    assert len(drawn(*["worker " + "x" * 500] * 5000)) < 120_000
