"""A probe of a made-up upstream `demo`, for this process and for worker processes, which take nothing of a test along."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotator.probes import own_code
from annotator.probes.contract import Check, Probe
from annotator.probes.environments import Environment, inspect_interpreter

CODE = b"""
from annotator.probes.contract import Check, Probe

def observe(context):
    import demo.behave
    demo.behave.run(context)

PROBE = Probe(
    name="demo", zh="", en="", upstream="demo", tiers=("source", "overlay"), paths=("demo",),
    checks=(Check("good", "", ""),), version=1, observe=observe,
)
"""

DEMO = Probe(
    name="demo",
    zh="\u8bd5",
    en="A trial",
    upstream="demo",
    tiers=("source", "overlay"),
    checks=(Check("good", "\u597d", "It is good"),),
    paths=("demo",),
    seconds=60,
    megabytes=2000,
    version=1,
    observe=lambda context: None,
)

_ORIGINAL = own_code.code_of


def code(name: str) -> dict[str, bytes]:
    """What the child of the demo probe is given."""
    shared = {path: text for path, text in _ORIGINAL("apc-hash").items() if path.count("/") <= 2}
    folder = {"annotator/probes/catalogue/__init__.py": b""}
    return {**shared, **folder, "annotator/probes/catalogue/demo.py": CODE}


REPLACED: Mapping[str, Any] = {
    "annotator.probes.runner.code_of": code,
    "annotator.tasks.probe_part.code_of": code,
    "annotator.tasks.probe_part.load_probe": lambda name: DEMO,
    "annotator.tasks.probe.load_probe": lambda name: DEMO,
    "annotator.tasks.probe.probe_names": lambda: ("demo",),
    "annotator.probes.known.probe_names": lambda: ("demo",),
    "annotator.report.probes.load_probe": lambda name: DEMO,
}


def install() -> None:
    """Makes `demo` the only probe of this process."""
    from importlib import import_module

    for name, value in REPLACED.items():
        module, _, attribute = name.rpartition(".")
        setattr(import_module(module), attribute, value)


class Worker:
    """A Dask worker that is a machine of its own: with its own cache and the demo probe.

    As a plugin it is set up again in a worker that takes the place of a killed one.
    """

    name = "demo-probe"

    def __init__(self, folder: Path, *, environment: bool = True) -> None:
        self._folder = folder
        self._environment = environment

    def setup(self, worker: Any) -> None:
        """Sets up a worker process."""
        install()
        os.environ["ANNOT_CACHE_DIR"] = str(self._folder / f"machine-{worker.name}")
        os.environ["ANNOT_PROBE_PYTHON"] = sys.executable if self._environment else ""
        if "GPU" in worker.state.total_resources:
            from annotator.tasks import probe_part

            probe_part.find_environments = lambda cache, given: [_with_gpu(self._folder)]


def _with_gpu(folder: Path) -> Environment:
    """This interpreter, as if it had a GPU and the upstream installed for it."""
    here = inspect_interpreter(Path(sys.executable))
    installed = folder / "installed"
    installed.mkdir(exist_ok=True)
    about = here.about.model_copy(
        update={
            "distributions": {"demo": "1.0", "torch": "2.0", "nvidia-cuda-runtime": "13"},
            "packages": {"demo": {"folder": installed, "compiled": ()}},
            "gpus": 1,
        }
    )
    return Environment(here.python, type(about).model_validate(about.model_dump()))
