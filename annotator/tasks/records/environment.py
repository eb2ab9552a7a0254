"""What a Python environment says about itself: versions and commits of programs, PyTorch, CUDA, NCCL."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotator.model.experiment import Software
from annotator.model.failures import Incomplete, UserMistake
from annotator.model.record import NOT_USED
from annotator.tasks.records.found import Found

_SECONDS = 180.0

_QUESTION = r"""
import importlib.metadata as metadata, json, platform, re, sys
asked, answer = json.loads(sys.argv[1]), {"python": platform.python_version(), "packages": {}}
for name in asked:
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        continue
    known = {"version": package.version, "commit": ""}
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    known["commit"] = origin.get("vcs_info", {}).get("commit_id", "")
    local = re.search(r"\+g([0-9a-f]{7,40})\b", package.version)
    for file in package.files or ():
        if known["commit"]:
            break
        if file.name in ("_version.py", "commit_id.py") and len(file.parts) == 2:
            text = file.locate().read_text(encoding="utf-8", errors="replace")
            found = re.search(r"commit_id\s*=\s*['\"]g?([0-9a-f]{7,40})['\"]", text)
            known["commit"] = found[1] if found else ""
    known["commit"] = known["commit"] or (local[1] if local else "")
    answer["packages"][name] = known
try:
    import torch
    answer["torch"] = {"version": torch.__version__, "cuda": torch.version.cuda or ""}
    if torch.cuda.is_available():
        answer["torch"]["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
except Exception as error:
    answer["torch_error"] = repr(error)
print(json.dumps(answer))
"""
"""Runs under the other interpreter, which has none of our packages: standard library, and torch if it is there."""


def environment_facts(python: str, software: Mapping[str, Software]) -> Iterator[Found]:
    """What the environment of an interpreter says.

    Args:
        python: the interpreter that runs the experiment.
        software: the programs to look for.

    Raises:
        UserMistake: if it is no interpreter.
        Incomplete: if it does not answer.
    """
    packages = [package for one in software.values() for package in one.packages]
    yield from facts_from(_ask(python, packages), software)


def facts_from(answer: Mapping[str, Any], software: Mapping[str, Software]) -> Iterator[Found]:
    """Facts from an environment's answer. A program that is not installed there took no part."""
    where = "the Python environment"
    if not answer["packages"] and "torch" not in answer:
        return  # not the environment of any experiment
    yield Found("system.python", answer["python"], where)
    for name, one in software.items():
        known = next((answer["packages"][p] for p in one.packages if p in answer["packages"]), None)
        if known is None:
            if one.packages:
                yield Found(f"software.{name}.release", NOT_USED, f"not installed in {where}")
            continue
        yield Found(f"software.{name}.release", known["version"], where)
        yield Found(f"software.{name}.commit", known["commit"], where)
    torch = answer.get("torch", {})
    for key, fact in (("version", "pytorch"), ("cuda", "cuda"), ("nccl", "nccl")):
        yield Found(f"system.{fact}", torch.get(key, ""), "PyTorch")


def _ask(python: str, packages: list[str]) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [python, "-I", "-c", _QUESTION, json.dumps(packages)],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
            cwd=Path.home(),
        )
    except OSError as error:
        raise UserMistake(f"{python} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise Incomplete(f"{python} did not answer within {_SECONDS:g} s") from error
    lines = done.stdout.strip().splitlines()
    try:
        answer: dict[str, Any] = json.loads(lines[-1] if lines else "")
    except ValueError as error:
        raise Incomplete(
            f"{python} did not say what is installed: {done.stderr.strip()[-300:]}",
            hint="name the interpreter of the experiment with --python",
        ) from error
    return answer
