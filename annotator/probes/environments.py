"""The interpreters that probes can run under: where they are and what they have."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from annotator.model.failures import UserMistake
from annotator.probes import inspection
from annotator.probes.packages import PACKAGES, Package

PYTHON_VARIABLE = "ANNOT_PROBE_PYTHON"
SOURCE, ENGINE_CPU, ENGINE_CUDA = "source", "engine-cpu", "engine-cuda"
KINDS = (SOURCE, ENGINE_CPU, ENGINE_CUDA)
"""Environments that `annot probe setup` makes."""

_INSPECTION_SECONDS = 60


class InstalledPackage(BaseModel):
    """A package of an environment.

    Attributes:
        folder: where it is.
        compiled: its compiled files, below that.
    """

    model_config = ConfigDict(frozen=True)

    folder: Path
    compiled: tuple[str, ...]


class _About(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    python: str
    machine: str
    distributions: dict[str, str]
    packages: dict[str, InstalledPackage | None]
    gpus: int


class Environment(NamedTuple):
    """One interpreter and what it has installed.

    Attributes:
        python: path of the interpreter.
        about: what it says about itself.
    """

    python: Path
    about: _About

    @property
    def fingerprint(self) -> str:
        """The same for environments with the same versions of everything."""
        about = self.about.model_dump_json(exclude={"packages"})
        return hashlib.blake2b(about.encode(), digest_size=12).hexdigest()

    @property
    def built_for_cuda(self) -> bool:
        """Whether its torch needs a GPU to be of use for an engine."""
        known = self.about.distributions
        has_libraries = any(name.startswith("nvidia-cuda-runtime") for name in known)
        return "torch" in known and "+cpu" not in known["torch"] and has_libraries

    @property
    def device(self) -> str:
        """What an engine runs on here: `cuda`, `cpu`, or empty if it wants a GPU and there is none."""
        if not self.built_for_cuda:
            return "cpu"
        return "cuda" if self.about.gpus else ""

    def installed(self, package: Package) -> InstalledPackage | None:
        """The package as it is installed here, if it is."""
        if not any(name in self.about.distributions for name in package.distributions):
            return None
        return self.about.packages.get(package.name)

    def version(self, package: Package) -> str:
        """The installed version of a package, or an empty string."""
        known = self.about.distributions
        return next((known[name] for name in package.distributions if name in known), "")


def environment_folder(cache: Path, kind: str) -> Path:
    """Where an environment made by `annot probe setup` is."""
    return cache / "probes" / kind


def interpreter_in(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def find_environments(cache: Path, given: Sequence[Path] = ()) -> list[Environment]:
    """The given interpreters, else those that `ANNOT_PROBE_PYTHON` names, else those that setup made.

    Raises:
        UserMistake: if a given or named interpreter is none.
    """
    named = os.environ.get(PYTHON_VARIABLE, "")
    chosen = list(given) or [Path(part) for part in named.split(os.pathsep) if part]
    if chosen:
        return [inspect_interpreter(python) for python in chosen]
    made = (interpreter_in(environment_folder(cache, kind)) for kind in KINDS)
    return [inspect_interpreter(python) for python in made if python.exists()]


def inspect_interpreter(python: Path, packages: Iterable[str] = tuple(PACKAGES)) -> Environment:
    """What an interpreter has installed.

    Raises:
        UserMistake: if it does not run, or is too old.
    """
    path = Path(
        os.path.abspath(python.expanduser())
    )  # a link must stay: it is what makes it a venv
    try:
        done = subprocess.run(
            [str(path), "-I", str(inspection.__file__), *packages],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSPECTION_SECONDS,
            check=False,
        )
        about = _About.model_validate(json.loads(done.stdout.splitlines()[-1]))
    except (OSError, subprocess.TimeoutExpired, IndexError, ValueError, ValidationError) as error:
        raise UserMistake(
            f"{python} is no Python interpreter that probes can run under: {type(error).__name__}",
            hint="name one with --python or ANNOT_PROBE_PYTHON, or run `annot probe setup`",
        ) from error
    return Environment(path, about)
