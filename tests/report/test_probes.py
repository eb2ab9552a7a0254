"""Runs of probes on one commit, as they are printed."""

import io

import pytest
from rich.console import Console

from annotator.model.probe import CheckVerdict, ProbeReport, ProbeRun, ProbeStatus, Verdict
from annotator.report.probes import print_probes


def run(status: ProbeStatus, *verdicts: tuple[str, Verdict, str], **fields: str) -> ProbeRun:
    return ProbeRun(
        probe="mooncake",
        version=1,
        upstream="mooncake",
        commit="",
        label="v1",
        tier="engine",
        device="cpu",
        status=status,
        verdicts=tuple(CheckVerdict(check=c, verdict=v, evidence=e) for c, v, e in verdicts),
        **fields,
    )


OK = ("two-planes", Verdict.CONFIRMED, "as it should be")
NO = ("lease-protects", Verdict.REFUTED, "after ['put']: [bold]gone[/bold]")


@pytest.mark.parametrize(
    ("runs", "ending"),
    [
        pytest.param([run(ProbeStatus.CONFIRMED, OK)], ["1 runs: 1 confirmed"], id="all well"),
        pytest.param(
            [run(ProbeStatus.REFUTED, NO, OK)],
            [
                "refuted: mooncake on mooncake v1, lease-protects: after ['put']: [bold]gone[/bold]",
                "1 runs: 1 refuted",
            ],
            id="refuted",
        ),
        pytest.param(
            [run(ProbeStatus.ERROR, reason="MemoryError: no"), run(ProbeStatus.CONFIRMED, OK)],
            ["error: mooncake on mooncake v1: MemoryError: no", "2 runs: 1 confirmed, 1 error"],
            id="failed",
        ),
    ],
)
def test_what_is_wrong_stands_at_the_end(runs: list[ProbeRun], ending: list[str]) -> None:
    console = Console(file=io.StringIO(), width=200)
    print_probes(console, ProbeReport(version="1", labels=("v1",), runs=tuple(runs)), language="en")
    assert isinstance(console.file, io.StringIO)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert lines[-len(ending) :] == ending
    assert not any(line.startswith(("refuted:", "error:")) for line in lines[: -len(ending)])
