"""Plants mistakes in upstream's code and shows that the probes notice each.

    python -m bench.probe_mutations --python PROBE_ENVIRONMENT/bin/python --tree v0.33.0=FOLDER [--probe NAME] [ID ...]

FOLDER holds an extracted release. The mistakes are plain data, one file a probe, in tests/probes/mutations.
Exit code 1 if a mistake goes unnoticed, or no longer fits the text it is to be planted in.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
MUTATIONS = ROOT / "tests" / "probes" / "mutations"


class Mutation(NamedTuple):
    """A mistake to plant.

    Attributes:
        id: its name.
        probe: the probe that must notice.
        what: the mistake in words.
        file: path in the tree.
        old: text that stands there; the first occurrence is replaced.
        new: what replaces it.
        refutes: checks of which at least one must be refuted.
        trees: the releases that it fits; all if empty.
    """

    id: str
    probe: str
    what: str
    file: str
    old: str
    new: str
    refutes: tuple[str, ...]
    trees: tuple[str, ...] = ()

    def planted(self, text: str) -> str:
        """A file's text with the mistake in it.

        Raises:
            ValueError: if the old text is not there.
        """
        if self.old not in text:
            raise ValueError(f"{self.id}: {self.file} does not hold the text to replace")
        return text.replace(self.old, self.new, 1)


def mutations(probe: str | None = None) -> Iterator[Mutation]:
    """All mistakes that are on file, or those for one probe."""
    for path in sorted(MUTATIONS.glob("*.yaml")):
        if probe in (None, path.stem):
            for each in YAML(typ="safe").load(path.read_text(encoding="utf-8")):
                refutes, trees = tuple(each.pop("refutes")), tuple(each.pop("trees", ()))
                yield Mutation(probe=path.stem, refutes=refutes, trees=trees, **each)


def run_probe(
    python: str,
    probe: str,
    tree: Path | None,
    options: dict[str, Any],
    *,
    tier: str = "source",
    device: str = "cpu",
    variables: dict[str, str] | None = None,
    seconds: float = 600,
) -> dict[str, Any]:
    """Runs a probe in a process of its own.

    Args:
        python: interpreter of a probe environment.
        probe: its name.
        tree: folder with upstream's package; that of the environment if None.
        options: of the probe, as `examples`.
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
                    "options": options,
                    "own_network": False,
                    "own_mounts": False,
                }
            ),
            encoding="utf-8",
        )
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(each) for each in (tree, ROOT) if each]),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HF_HUB_OFFLINE": "1",
            "HOME": name,
            "VLLM_LOGGING_LEVEL": "ERROR",
            **(variables or {}),
        }
        ended = subprocess.run(
            [python, "-s", "-m", "annotator.probes.child", str(request)],
            env=environment,
            cwd=folder / "work",
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        result = folder / "result.json"
        if not result.exists():
            return {"reason": ended.stderr[-500:] or "no result", "verdicts": {}}
        answer: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return answer


def main() -> int:
    """Plants every mistake in a copy of every tree; prints who noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", required=True)
    parser.add_argument("--tree", action="append", required=True, metavar="RELEASE=FOLDER")
    parser.add_argument("--probe")
    parser.add_argument(
        "--examples", type=int, help="sequences of each kind; the probe's own number if not given"
    )
    parser.add_argument(
        "--tier", default="source", help="engine: the tree is the release of the installed wheel"
    )
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    unnoticed = 0
    for release, folder in (each.split("=", 1) for each in options.tree):
        with tempfile.TemporaryDirectory(prefix="mutated-") as name:
            copy = Path(name)
            shutil.copytree(Path(folder) / "vllm", copy / "vllm")
            for mutation in mutations(options.probe):
                if (options.ids and mutation.id not in options.ids) or release not in (
                    mutation.trees or (release,)
                ):
                    continue
                unnoticed += not _noticed(mutation, release, copy, options)
    return int(unnoticed > 0)


def _noticed(mutation: Mutation, release: str, copy: Path, options: argparse.Namespace) -> bool:
    path = copy / mutation.file
    original = path.read_text(encoding="utf-8")
    path.write_text(mutation.planted(original), encoding="utf-8")
    started = time.monotonic()
    try:
        chosen = {"examples": options.examples} if options.examples else {}
        result = run_probe(options.python, mutation.probe, copy, chosen, tier=options.tier)
    finally:
        path.write_text(original, encoding="utf-8")
    refuted = {
        check: said for check, (verdict, said) in result["verdicts"].items() if verdict == "refuted"
    }
    hit = [check for check in mutation.refutes if check in refuted]
    word = "noticed" if hit else "UNNOTICED"
    print(
        f"{release} {mutation.probe} {mutation.id}: {word} in {time.monotonic() - started:.0f} s",
        flush=True,
    )
    for check in hit[:1]:
        print(f"    {check}: {refuted[check]}", flush=True)
    others = sorted(refuted.keys() - set(hit[:1]))
    if others:
        print(f"    also: {', '.join(others)}", flush=True)
    if result["reason"]:
        print(f"    error: {result['reason']}", flush=True)
    return bool(hit)


if __name__ == "__main__":
    sys.exit(main())
