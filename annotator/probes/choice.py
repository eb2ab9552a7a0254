"""Chooses how a probe is run on a commit: under which environment, at which tier, on what device."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from annotator.probes.contract import Probe, Tier
from annotator.probes.environments import Environment, InstalledPackage
from annotator.probes.packages import Package, package_of
from annotator.probes.trees import blob_id

_SAME_SHARE = 0.99
"""Share of its files that an installed package must have in common with a commit to count as made from it."""

Reach = Literal["source", "compiled"]
"""Whether a run does without compiled code or wants it."""


class CannotRun(Exception):
    """Why a probe cannot be run here.

    Attributes:
        hint: what would mend it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.hint = hint


class Choice(NamedTuple):
    """How a probe is run.

    Attributes:
        environment: under which interpreter.
        tier: with which code.
        device: `cpu` or `cuda`.
        installed: the upstream's package there, where compiled code is wanted.
        notes: what the reader should know about it, one sentence each.
    """

    environment: Environment
    tier: Tier
    device: Literal["cpu", "cuda"] = "cpu"
    installed: InstalledPackage | None = None
    notes: tuple[str, ...] = ()


def choose(
    probe: Probe,
    files: Mapping[str, str],
    version: str,
    environments: Sequence[Environment],
    reach: Reach,
    device: str,
) -> Choice:
    """The first environment that fits, and the tier that follows from what it has installed.

    An installed package whose files are the commit's own is run as it is (`engine`). Another one lends its compiled
    files to the commit's tree (`overlay`).

    Args:
        probe: the probe.
        files: path → blob id of the commit's files that it runs.
        version: the commit's version.
        environments: the interpreters at hand.
        reach: whether compiled code is wanted.
        device: `cpu`, `cuda`, or `auto` for a GPU where there is one.

    Raises:
        CannotRun: if none fits.
    """
    if reach == "source":
        if not environments:
            raise CannotRun("there is no environment to run it in", "annot probe setup")
        return Choice(environments[0], "source")
    package = package_of(probe.upstream)
    environment, installed = _with_packages(
        environments, [package, *map(package_of, probe.beside)], device
    )
    runs_on: Literal["cpu", "cuda"] = "cuda" if environment.device == "cuda" else "cpu"
    if "engine" in probe.tiers:
        if package.in_tree:
            different = different_files(files, package.in_tree, installed.folder)
        else:
            different = [] if environment.version(package) == version else None
        if different is not None:
            note = f"the package's own {', '.join(different)} differ from the commit's"
            notes = (note,) if different else ()
            return Choice(environment, "engine", runs_on, installed, notes)
    have = f"{package.name} {environment.version(package)}"
    if "overlay" not in probe.tiers or not package.in_tree:
        hint = f"name an environment that has {package.name} {version} with --python"
        if not package.in_tree:
            hint = f"annot probe {probe.name} --commit v{environment.version(package)}"
        raise CannotRun(f"the environment has {have}, which was not made from this commit", hint)
    notes = (f"the compiled code is that of {have}",)
    return Choice(environment, "overlay", runs_on, installed, notes)


def _with_packages(
    environments: Sequence[Environment], packages: Sequence[Package], device: str
) -> tuple[Environment, InstalledPackage]:
    """The first environment that has them all and runs on the device, with the first of them as it is there."""
    names = " and ".join(package.name for package in packages)
    setup = f"annot probe setup --engine{' --cuda' if device == 'cuda' else ''}"
    having = [
        (environment, installed)
        for environment in environments
        if (installed := environment.installed(packages[0]))
        and all(environment.installed(package) for package in packages)
    ]
    if not having:
        raise CannotRun(f"there is no environment with {names} installed", setup)
    order = ("cuda", "cpu") if device == "auto" else (device,)
    for wanted in order:
        for environment, installed in having:
            if environment.device == wanted:
                return environment, installed
    raise CannotRun(f"no environment has {names} for {' or '.join(order)}", setup)


def different_files(files: Mapping[str, str], in_tree: str, installed: Path) -> list[str] | None:
    """A commit's Python files that are not the same in an installed package; none if too many are not.

    Args:
        files: path → blob id.
        in_tree: the package's folder in the tree.
        installed: the package's folder in an environment.
    """
    ours = {
        path: blob
        for path, blob in files.items()
        if path.startswith(f"{in_tree}/") and path.endswith(".py")
    }
    different = []
    for path, blob in ours.items():
        try:
            copy = (installed / path.removeprefix(f"{in_tree}/")).read_bytes()
        except OSError:
            copy = b""
        if blob_id(copy, len(blob)) != blob:
            different.append(path)
    same = len(ours) - len(different)
    return sorted(different) if ours and same >= _SAME_SHARE * len(ours) else None
