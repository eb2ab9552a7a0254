"""Runs one probe and writes down what it saw. Standard library only; runs in the probe's interpreter.

The request and the result are JSON files in the child's own folder. Whatever happens on standard output and standard
error is upstream's chatter; its tail is shown if the run fails.
"""

import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from annotator.probes.contract import CannotAdapt, Context, Probe
from annotator.probes.isolation import isolate

RESULT = "result.json"


def main() -> None:
    """Follows the request named on the command line, and leaves without waiting for upstream's threads."""
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    reached = isolate(
        request["folder"],
        own_network=request["own_network"],
        own_mounts=request["own_mounts"],
    )
    result = _observe(request)
    result["isolation"] = reached
    target = Path(request["folder"]) / RESULT
    draft = target.with_suffix(".tmp")
    draft.write_text(json.dumps(result, allow_nan=False), encoding="utf-8")
    os.replace(draft, target)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _observe(request: dict[str, Any]) -> dict[str, Any]:
    context = Context(
        tier=request["tier"],
        device=request["device"],
        seed=request["seed"],
        folder=request["work"],
        options=request["options"],
    )
    reason = ""
    try:
        probe: Probe = import_module(request["module"]).PROBE
        probe.observe(context)
        json.dumps(context.observations, allow_nan=False)
    except (
        BaseException
    ) as error:  # upstream may raise anything, SystemExit and KeyboardInterrupt too
        traceback.print_exc()
        context.observations = {}
        reason = _reason(error)
    return {
        "reason": reason,
        "observations": context.observations,
        "verdicts": {check: list(said) for check, said in context.verdicts.items()},
        "adaptations": context.adaptations,
        "versions": {**_versions(request["modules"]), **context.versions},
    }


def _reason(error: BaseException) -> str:
    if isinstance(error, CannotAdapt):
        return f"the probe does not fit this version: {error}"
    if isinstance(error, SystemExit):
        return f"upstream called sys.exit({error.code!r})"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500]


def _versions(modules: list[str]) -> dict[str, str]:
    """Versions of what was loaded."""
    known = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in modules:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            known[name] = str(version)
    return known


if __name__ == "__main__":
    main()
