"""Runs the probes that need an engine on a GPU, and compares what they saw with what they see on a CPU.

    python -m bench.probes_gpu --python GPU_ENVIRONMENT/bin/python [--out FILE] [--compare FILE] [--minutes 8]

The environment holds upstream's CUDA wheel (and lmcache for the probes of the cache). Everything is run within the
time given: what no longer fits is left out and named. One JSON file is written, as complete as the time allowed, and
after each run. `--device cpu` runs the same on a CPU: that makes the file to compare with (bench/probes-cpu.json).

Exit code 1 if a check was refuted or a run failed, 3 if not everything could be run.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.probe_child import ROOT, run_probe

CPU = ROOT / "bench" / "probes-cpu.json"


class Planned(NamedTuple):
    """One run.

    Attributes:
        probe: its name.
        variant: what is special about it; empty for nothing.
        variables: environment variables that make it so.
        least: seconds without which it is not started.
    """

    probe: str
    variant: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    least: float = 45

    @property
    def title(self) -> str:
        """How it is shown."""
        return f"{self.probe} ({self.variant})" if self.variant else self.probe


ON_GPU = (
    Planned("engine"),
    Planned("connector-hooks"),
    Planned("metrics"),
    Planned("connector-hooks", "model runner V1", (("VLLM_USE_V2_MODEL_RUNNER", "0"),)),
    Planned("engine", "kernels that do not depend on the batch", (("VLLM_BATCH_INVARIANT", "1"),)),
)
"""The most telling first. The engine probe runs with and without CUDA graphs itself."""

ON_CPU = (Planned("engine"), Planned("connector-hooks"), Planned("metrics"))

EXPECTED_ON_GPU: dict[tuple[str, str], dict[str, Any]] = {
    ("engine", ""): {"block-size": 16, "attention-backend": "FlashAttentionImpl", "runner": "V2"},
    ("connector-hooks", "model runner V1"): {"runner": "V1"},
}
"""What makes a run one of the intended kind, by probe and variant. None of it was seen on a GPU yet."""


def main() -> int:
    """Runs what there is time for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", required=True)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--out", type=Path, default=Path("probes-gpu.json"))
    parser.add_argument("--compare", type=Path, default=CPU)
    parser.add_argument("--minutes", type=float, default=8)
    options = parser.parse_args()
    deadline = time.monotonic() + 60 * options.minutes
    report: dict[str, Any] = {"device": options.device, "runs": [], "left-out": []}
    for planned in ON_GPU if options.device == "cuda" else ON_CPU:
        left = deadline - time.monotonic() - 5
        if left < planned.least:
            report["left-out"].append(planned.title)
            continue
        report["runs"].append(_run(planned, options, left))
        _write(options.out, report)
    _write(options.out, report)
    if options.device == "cuda" and options.compare.exists():
        print("\n".join(compared(json.loads(options.compare.read_text(encoding="utf-8")), report)))
    for title in report["left-out"]:
        print(f"not run, no time was left: {title}")
    bad = [run for run in report["runs"] if run["reason"] or run["refuted"] or run["unexpected"]]
    return 1 if bad else 3 if report["left-out"] else 0


def _run(planned: Planned, options: argparse.Namespace, left: float) -> dict[str, Any]:
    started = time.monotonic()
    result = run_probe(
        options.python,
        planned.probe,
        None,
        {},
        tier="engine",
        device=options.device,
        variables=dict(planned.variables),
        seconds=left,
    )
    verdicts = result["verdicts"]
    observations = result.get("observations", {})
    refuted = {check: said for check, (verdict, said) in verdicts.items() if verdict == "refuted"}
    expected = EXPECTED_ON_GPU.get((planned.probe, planned.variant), {})
    run = {
        "probe": planned.probe,
        "variant": planned.variant,
        "seconds": round(time.monotonic() - started, 1),
        "reason": result["reason"],
        "versions": result.get("versions", {}),
        "refuted": refuted,
        "confirmed": sorted(c for c, (verdict, _) in verdicts.items() if verdict == "confirmed"),
        "unexpected": {
            key: observations.get(key)
            for key, value in expected.items()
            if options.device == "cuda" and observations.get(key) != value
        },
        "observations": observations,
    }
    print(f"{planned.title}: {_outcome(run)}, {run['seconds']} s", flush=True)
    for check, said in refuted.items():
        print(f"    refuted {check}: {said}")
    for key, value in run["unexpected"].items():
        print(f"    expected {key} to be {expected[key]!r}, not {value!r}")
    return run


def _outcome(run: dict[str, Any]) -> str:
    if run["reason"]:
        return f"error: {run['reason']}"
    return f"{len(run['confirmed'])} confirmed, {len(run['refuted'])} refuted"


def compared(cpu: dict[str, Any], gpu: dict[str, Any]) -> Iterator[str]:
    """Lines that tell what was seen differently on the two devices.

    Keys are compared without the version of the model runner, which is another on each.
    """
    on_cpu = {run["probe"]: run for run in cpu["runs"]}
    for run in gpu["runs"]:
        other = on_cpu.get(run["probe"])
        title = f"{run['probe']} ({run['variant']})" if run["variant"] else run["probe"]
        if other is None or run["reason"] or other["reason"]:
            yield f"{title}: nothing to compare"
            continue
        mine, theirs = _plain(run["observations"]), _plain(other["observations"])
        differing = [
            key for key in sorted(mine.keys() | theirs.keys()) if mine.get(key) != theirs.get(key)
        ]
        yield f"{title}: {len(differing)} of {len(mine.keys() | theirs.keys())} observations differ from the CPU's"
        for key in differing:
            yield f"    {key}: CPU {json.dumps(theirs.get(key))}, GPU {json.dumps(mine.get(key))}"


def _plain(observations: dict[str, Any]) -> dict[str, Any]:
    return {re.sub(r"\.V[12]\.", ".", key): value for key, value in observations.items()}


def _write(path: Path, report: dict[str, Any]) -> None:
    path.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
