"""Runs a probe in a process of its own on code that lies in a folder, without the runner's choices and remembering."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def run_probe(
    python: str | Path,
    probe: str,
    tree: Path | None,
    options: Mapping[str, Any],
    *,
    code: Path = ROOT,
    tier: str = "source",
    device: str = "cpu",
    variables: Mapping[str, str] | None = None,
    seconds: float = 600,
) -> dict[str, Any]:
    """Runs a probe in a process of its own.

    Args:
        python: interpreter of a probe environment.
        probe: its name.
        tree: folder with upstream's package; that of the environment if None.
        options: of the probe, as `examples`.
        code: folder with annot's own package.
        tier: how it runs.
        device: `cpu` or `cuda`.
        variables: further environment variables.
        seconds: time limit.

    Returns:
        What the child wrote down: reason, observations, verdicts.
    """
    with tempfile.TemporaryDirectory(prefix="probe-") as name:
        folder = Path(name)
        (folder / "work").mkdir()
        request = folder / "request.json"
        request.write_text(
            json.dumps(
                {
                    "module": f"annotator.probes.catalogue.{probe.replace('-', '_')}",
                    "modules": [],
                    "folder": name,
                    "work": str(folder / "work"),
                    "tier": tier,
                    "device": device,
                    "seed": 0,
                    "options": dict(options),
                    "own_network": False,
                    "own_mounts": False,
                }
            ),
            encoding="utf-8",
        )
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(each) for each in (tree, code) if each]),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HF_HUB_OFFLINE": "1",
            "HOME": name,
            "VLLM_LOGGING_LEVEL": "ERROR",
            **(variables or {}),
        }
        try:
            ended = subprocess.run(
                [str(python), "-s", "-m", "annotator.probes.child", str(request)],
                env=environment,
                cwd=folder / "work",
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"reason": f"it took longer than {seconds:.0f} seconds", "verdicts": {}}
        result = folder / "result.json"
        if not result.exists():
            return {"reason": ended.stderr[-500:] or "no result", "verdicts": {}}
        answer: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return answer
