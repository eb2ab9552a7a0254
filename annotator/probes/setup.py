"""Makes an environment for probes, and says what one lacks."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from packaging.requirements import Requirement

from annotator.model.failures import Incomplete, UserMistake
from annotator.probes.environments import (
    ENGINE_CPU,
    ENGINE_CUDA,
    SOURCE,
    environment_folder,
    inspect_interpreter,
    interpreter_in,
)

_LOCKS = {SOURCE: "probes-source.txt", ENGINE_CPU: "probes-engine-cpu.txt"}
_LOCKS[ENGINE_CUDA] = "probes-engine-cuda.txt"
_TORCH = {SOURCE: "torch==2.13.0", ENGINE_CPU: "torch==2.13.0"}
"""Installed first, with what its build needs, and pinned by version only: every index has builds of its own."""

_PYTHON = ((3, 11), (3, 14))
"""The versions of Python that the pinned packages are there for: from the first, below the second."""


def kind_of(*, cpu: bool, engine: bool) -> str:
    """The environment that is meant.

    Raises:
        UserMistake: for pure Python on a GPU, which is the same as on the CPU.
    """
    if engine:
        return ENGINE_CPU if cpu else ENGINE_CUDA
    if not cpu:
        raise UserMistake(
            "pure Python probes do not use a GPU",
            hint="make an environment with an engine: annot probe setup --engine --cuda",
        )
    return SOURCE


def set_up(cache: Path, kind: str, *, base: Path | None, tell: Callable[[str], None]) -> None:
    """Makes an environment, or brings it to the pinned versions.

    Args:
        cache: the cache folder.
        kind: which environment.
        base: interpreter to make it with, annot's own by default.
        tell: told what is being done.

    Raises:
        UserMistake: if the interpreter is not one that the packages are there for.
        Incomplete: if packages cannot be had.
    """
    lock = lock_file(kind)
    folder = environment_folder(cache, kind)
    python = interpreter_in(folder)
    if not python.exists():
        made_with = base or Path(sys.executable)
        _check_version(made_with)
        tell(f"making {folder}")
        shutil.rmtree(folder, ignore_errors=True)
        _run([str(made_with), "-m", "venv", str(folder)], "the environment could not be made")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if kind in _TORCH:
        tell(f"installing {_TORCH[kind]}")
        _run([*pip, _TORCH[kind]], "torch could not be installed", _WHERE_FROM)
    tell(f"installing {len(pinned(lock))} packages from {lock.name}; this takes minutes")
    # The lock names every package, so nothing has to be resolved.
    from_lock = ["--no-deps", "--require-hashes", "--requirement", str(lock)]
    _run([*pip, *from_lock], "packages could not be installed", _WHERE_FROM)


def missing_in(cache: Path, kind: str) -> list[str]:
    """What an environment made by `set_up` lacks, a line each with what mends it."""
    python = interpreter_in(environment_folder(cache, kind))
    command = f"annot probe setup{_OPTIONS[kind]}"
    if not python.exists():
        return [f"there is no {kind} environment → {command}"]
    there = inspect_interpreter(python)
    have = there.about.distributions
    lines = []
    wanted = pinned(lock_file(kind))
    if kind in _TORCH:
        wanted["torch"] = _TORCH[kind].partition("==")[2]
    for name, version in wanted.items():
        found = have.get(name)
        if found is None:
            lines.append(f"{name} {version} is missing → {command}")
        elif found.partition("+")[0] != version.partition("+")[0]:
            lines.append(f"{name} is {found}, not {version} → {command}")
    if kind == ENGINE_CUDA and not there.about.gpus:
        lines.append("the CUDA driver sees no GPU → install NVIDIA's driver, or use --cpu")
    return lines


_WHERE_FROM = (
    "pip takes packages from where it is configured to look; builds of torch for the CPU may need another index"
    " (PIP_EXTRA_INDEX_URL) or a folder (PIP_FIND_LINKS)"
)
_OPTIONS = {SOURCE: "", ENGINE_CPU: " --engine", ENGINE_CUDA: " --engine --cuda"}


def pinned(lock: Path) -> dict[str, str]:
    """Name → version of what a lock file installs on this system."""
    text = re.sub(r"\\\n\s*", " ", lock.read_text(encoding="utf-8"))
    versions: dict[str, str] = {}
    for line in text.splitlines():
        plain = line.partition(" --hash")[0].strip()
        if not plain or plain.startswith(("#", "-")):
            continue
        requirement = Requirement(plain)
        if requirement.marker is None or requirement.marker.evaluate():
            name = re.sub(r"[-_.]+", "-", requirement.name).lower()
            versions[name] = str(requirement.specifier).removeprefix("==")
    return versions


def lock_file(kind: str) -> Path:
    """The lock file of an environment: inside the installed package, or in the source checkout.

    Raises:
        Incomplete: if it is in neither.
    """
    package = Path(str(files("annotator")))
    for folder in (package / "_requirements", package.parent / "requirements"):
        if (folder / _LOCKS[kind]).is_file():
            return folder / _LOCKS[kind]
    raise Incomplete(f"{_LOCKS[kind]} is missing", hint="install annot again")


def _check_version(python: Path) -> None:
    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(
            [str(python), "-I", "-c", code], capture_output=True, text=True, check=True
        )
        version = tuple(map(int, done.stdout.split()))
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise UserMistake(f"{python} is no Python interpreter") from error
    oldest, too_new = _PYTHON
    if not oldest <= version < too_new:
        raise UserMistake(
            f"{python} is Python {version[0]}.{version[1]}; the pinned packages are for"
            f" {oldest[0]}.{oldest[1]} to {too_new[0]}.{too_new[1] - 1}",
            hint="name another one with --with-python",
        )


def _run(command: list[str], failure: str, hint: str = "") -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = [line for line in done.stderr.splitlines() if line.strip()][-3:]
        raise Incomplete(f"{failure}: {' '.join(last)}", hint=hint)
