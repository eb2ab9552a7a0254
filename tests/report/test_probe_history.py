"""The table of what turns from commit to commit."""

import io
from typing import Any

import pytest
from rich.console import Console

from annotator.model.probe import CheckVerdict, ProbeReport, ProbeRun, ProbeStatus, Verdict
from annotator.report.probes import print_probes

STEPS = [{"calls": [f"hook{number}" for number in range(60)]}]
ONE_MORE = [{"calls": ["hook0", "hook1", "new", *(f"hook{number}" for number in range(2, 60))]}]


def run_at(label: str, verdict: Verdict = Verdict.CONFIRMED, **more: Any) -> ProbeRun:
    known: dict[str, Any] = {
        **{"probe": "apc-hash", "version": 1, "upstream": "demo", "commit": "0" * 40},
        **{"label": label, "tier": "source", "status": ProbeStatus.CONFIRMED},
        "verdicts": (CheckVerdict(check="group-in-key", verdict=verdict, evidence="keys seen"),),
    }
    return ProbeRun(**known | more)


def shown(*runs: ProbeRun, width: int = 80) -> str:
    labels = tuple(dict.fromkeys(run.label for run in runs))
    console = Console(width=width, file=io.StringIO())
    print_probes(console, ProbeReport(version="0", labels=labels, runs=runs), language="en")
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def rows(*values: Any, width: int = 120) -> list[list[str]]:
    """Words of the table's rows of one observation, seen at v1, v2 and so on; `...` where it is not there."""
    runs = [
        run_at(f"v{number}", observations={} if value is ... else {"key": value})
        for number, value in enumerate(values, 1)
    ]
    lines = shown(*runs, width=width).splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith("key")), len(lines))
    end = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    return [line.split() for line in lines[start:end]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([1, 1, 1], [], id="the-same-everywhere"),
        pytest.param([1, 1, 2, 2], [["key", "v1", "1"], ["v3", "2"]], id="turns"),
        pytest.param([1, 2, 1], [["key", "v1", "1"], ["v2", "2"], ["v3", "1"]], id="turns-back"),
        pytest.param([..., "a"], [["key", "v1", "–"], ["v2", "a"]], id="comes"),
        pytest.param([True, ...], [["key", "v1", "true"], ["v2", "–"]], id="goes"),
        pytest.param(
            [["a" * 32, "b" * 64], "c" * 40],
            [["key", "v1", '["aaaaaaaa…",', '"bbbbbbbb…"]'], ["v2", "cccccccc…"]],
            id="digests-are-cut",
        ),
        pytest.param([None, ...], [["key", "v1", "null"], ["v2", "–"]], id="null-is-a-value"),
        pytest.param(
            [STEPS, STEPS, ONE_MORE], [["key", "v3", "hook1"], ["+", "new"], ["hook2"]], id="long"
        ),
        pytest.param(
            [STEPS * 3, ONE_MORE * 3],
            [["key", "v2", "hook1"], ["+", "new"], ["hook2"]],
            id="the-same-difference-once",
        ),
    ],
)
def test_a_row_for_every_value_with_the_commit_it_begins_at(
    values: list[Any], expected: list[list[str]]
) -> None:
    assert rows(*values) == expected


def test_a_long_difference_is_cut_and_says_so() -> None:
    table = rows([f"a{n}" for n in range(90)], [f"b{n}" for n in range(90)])
    assert table[-1][0] == "⋯"
    assert len(table) < 20


def test_keys_that_turn_alike_stand_together() -> None:
    first = run_at("v1", observations={"a": 1, "b": 1, "c": 1})
    second = run_at("v2", observations={"a": 2, "b": 2, "c": 3})
    lines = [line.split() for line in shown(first, second).splitlines()]
    at = lines.index(["a", "v1", "1"])
    assert lines[at : at + 5] == [
        ["a", "v1", "1"],
        ["b"],
        ["v2", "2"],
        ["c", "v1", "1"],
        ["v2", "3"],
    ]


def test_what_another_tier_does_not_look_at_does_not_turn() -> None:
    table = shown(
        run_at("v1", tier="overlay"),
        run_at("v2", tier="engine", observations={"tensors": "equal"}),
        run_at("v3", tier="overlay"),
    )
    assert "tensors" not in table


def test_a_check_that_a_tier_never_speaks_of_does_not_turn_with_the_tier() -> None:
    table = shown(
        run_at("v1", Verdict.NOT_APPLICABLE, tier="overlay"),
        run_at("v2", Verdict.CONFIRMED, tier="engine"),
        run_at("v3", Verdict.NOT_APPLICABLE, tier="overlay"),
    )
    assert "check" not in table


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        pytest.param([Verdict.CONFIRMED] * 2, [], id="confirmed"),
        pytest.param(
            [Verdict.REFUTED] * 2, ["v1 refuted: keys seen"], id="refuted-is-told-where-it-stays-so"
        ),
        pytest.param(
            [Verdict.REFUTED, Verdict.CONFIRMED],
            ["v1 refuted: keys seen", "v2 confirmed"],
            id="turns",
        ),
        pytest.param([Verdict.NOT_APPLICABLE] * 2, [], id="nothing-of-it-anywhere"),
    ],
)
def test_checks_that_turn_or_are_refuted(verdicts: list[Verdict], expected: list[str]) -> None:
    lines = shown(*(run_at(f"v{n}", verdict) for n, verdict in enumerate(verdicts, 1))).splitlines()
    told = [" ".join(line.split()).removeprefix("check group-in-key ") for line in lines]
    for sentence in expected:
        assert sentence in told
    assert ("check group-in-key" in "\n".join(lines)) is bool(expected)


def test_runs_that_came_to_no_end_say_why() -> None:
    status = ProbeStatus.SKIPPED
    skipped = [
        run_at(label, status=status, verdicts=(), reason="no venv", hint="setup")
        for label in ("v2", "v3")
    ]
    table = " ".join(shown(run_at("v1"), *skipped).split())
    assert "✓ confirmed v1" in table
    assert "- skipped v2 … v3: no venv → setup" in table


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    table = shown(
        run_at("v0.30.0", observations={"a.very." * 9: "x" * 150, "b": STEPS}),
        run_at("v0.31.0", observations={"a.very." * 9: "y" * 150, "b": ONE_MORE}),
        width=width,
    )
    assert max(map(len, table.splitlines())) <= width


def test_names_of_upstream_steer_no_terminal() -> None:
    table = shown(
        run_at("v1", observations={"k\x1b[2J": "a"}),
        run_at("v2", observations={"k\x1b[2J": "\x1b[31m"}),
    )
    assert "\x1b" not in table
