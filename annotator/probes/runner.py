"""Runs one probe on one commit and says what became of it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from annotator.model.failures import AnnotError
from annotator.model.probe import ProbeRun, ProbeStatus
from annotator.probes.child import RESULT
from annotator.probes.choice import CannotRun, Choice, Reach, choose
from annotator.probes.contract import Probe, Tier
from annotator.probes.environments import Environment
from annotator.probes.known import module_name
from annotator.probes.own_code import code_of
from annotator.probes.packages import PACKAGES, package_of
from annotator.probes.results import Memory, result_key
from annotator.probes.sandbox import Ended, Limits, Sandbox, child_environment, namespaces
from annotator.probes.seen import (
    Seen,
    lacking_library,
    lacking_module,
    read_seen,
    status_of,
    verdicts_of,
)
from annotator.probes.trees import (
    files_under,
    lay_out,
    make_up_version,
    overlay_compiled,
    version_of,
)
from annotator.upstream.repository import Repository

SEED = 0
_GPU_SECONDS, _GPU_MEGABYTES = 180, 16_000
"""What CUDA's libraries and compilers take on top of what a probe is allowed."""
_MODEL_RUNNER = "model runner"
_FOLDERS = ("code", "tree", "work", "home", "tmp")


class Source(NamedTuple):
    """A commit to run a probe on.

    Attributes:
        repository: where it is, none for an installed release that needs nothing of the tree.
        commit: its full id there, empty without a repository.
        label: tag or short id.
    """

    repository: Repository | None
    commit: str
    label: str


class Runner:
    """Runs probes under the environments at hand.

    Args:
        environments: the interpreters at hand, the first that fits is used.
        results: earlier results, none to run everything again.
        device: what compiled code is to run on; `auto` is a GPU where there is one.
        options: passed on to the probes.
        limits: what a child may use; time and memory are each probe's own.
    """

    def __init__(
        self,
        environments: Sequence[Environment],
        results: Memory | None,
        *,
        device: str = "auto",
        options: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._environments = environments
        self._results = results
        self._device = device
        self._options = dict(options or {})
        self._limits = limits or Limits()

    def installed_version(self, probe: Probe) -> str:
        """Version of the package of a probe's upstream in the first environment that has it, or an empty string."""
        package = package_of(probe.upstream)
        versions = (environment.version(package) for environment in self._environments)
        return next(filter(None, versions), "")

    def run(
        self, probe: Probe, source: Source, reach: Reach, *, device: str | None = None
    ) -> ProbeRun:
        """Runs a probe on a commit, or finds an earlier run of the same.

        Args:
            probe: the probe.
            source: the commit.
            reach: whether compiled code is wanted.
            device: what that is to run on, if not what all runs do.
        """
        tier: Tier = "source" if reach == "source" else probe.tiers[-1]
        device = device or self._device
        about = _about(probe, source)
        if reach == "compiled" and device == "cuda":  # said of a run that cannot be had, too
            about |= {"device": device}
        try:
            files = _files(probe, source)
            version = version_of(source.label, source.commit)
            choice = choose(probe, files, version, self._environments, reach, device)
            about |= {"device": choice.device}
            tier = choice.tier
            code = code_of(probe.name)
            key = result_key(
                code.items(),
                files,
                probe=[probe.name, probe.version],
                environment=choice.environment.fingerprint,
                run=[choice.tier, choice.device, SEED],
                options=self._options,
            )
            if self._results and (known := self._results.get(key)):
                return replace(known, **about, remembered=True)
            running = _Run(probe, source, choice, files)
            run = running.run(code, self._options, self._limits, about)
        except CannotRun as reason:
            about |= {"status": ProbeStatus.SKIPPED, "reason": str(reason), "hint": reason.hint}
            return ProbeRun(**about, tier=tier)
        except AnnotError as error:
            about |= {"status": ProbeStatus.ERROR, "reason": str(error), "hint": error.hint}
            return ProbeRun(**about, tier=tier)
        if self._results and run.is_complete:
            self._results.put(key, run)
        return run


def _about(probe: Probe, source: Source) -> dict[str, Any]:
    return {
        "probe": probe.name,
        "version": probe.version,
        "upstream": probe.upstream,
        "commit": source.commit,
        "label": source.label,
    }


def _files(probe: Probe, source: Source) -> dict[str, str]:
    """The files that it runs; none where upstream's tree does not hold the Python of its package."""
    if not probe.paths or source.repository is None:
        return {}
    return files_under(source.repository, source.commit, probe.paths)


class _Run:
    """One run, from the child's folder to its result."""

    def __init__(
        self, probe: Probe, source: Source, choice: Choice, files: Mapping[str, str]
    ) -> None:
        self._probe = probe
        self._source = source
        self._choice = choice
        self._files = files
        self._package = package_of(probe.upstream)
        self._version = version_of(source.label, source.commit)

    def run(
        self,
        code: Mapping[str, bytes],
        options: dict[str, Any],
        limits: Limits,
        about: dict[str, Any],
    ) -> ProbeRun:
        """Runs the child in a folder of its own, and reads what it left."""
        on_gpu = self._choice.device == "cuda"
        limits = limits._replace(
            seconds=self._probe.seconds + (_GPU_SECONDS if on_gpu else 0),
            megabytes=self._probe.megabytes + (_GPU_MEGABYTES if on_gpu else 0),
        )
        python = self._choice.environment.python
        with Sandbox() as sandbox:
            folder = sandbox.folder
            request = self._fill(folder, code, options)
            ended = sandbox.run(
                [str(python), "-s", "-m", "annotator.probes.child", str(request)],
                child_environment(
                    folder,
                    python,
                    (folder / "tree", folder / "code"),
                    {name: value for each in PACKAGES.values() for name, value in each.environment},
                    gpu=on_gpu,
                ),
                limits,
                cwd=folder / "work",
                result=folder / RESULT,
            )
        return self._result(ended, read_seen(ended, limits, self._probe), about)

    def _fill(self, folder: Path, code: Mapping[str, bytes], options: dict[str, Any]) -> Path:
        """Puts into the child's folder what it needs; the file that tells it what to do."""
        for name in _FOLDERS:
            (folder / name).mkdir()
        for name, content in code.items():
            (folder / "code" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "code" / name).write_bytes(content)
        self._lay_out(folder / "tree")
        request = folder / "request.json"
        request.write_text(json.dumps(self._request(folder, options)), encoding="utf-8")
        return request

    def _lay_out(self, tree: Path) -> None:
        if self._choice.tier == "engine" or not self._package.in_tree:
            return
        if self._source.repository is not None:
            lay_out(self._source.repository, self._files, tree)
        if not (tree / self._package.in_tree).is_dir():
            return
        lent = self._choice.installed if self._choice.tier == "overlay" else None
        variant = "cpu" if lent and self._choice.device == "cpu" else ""
        make_up_version(tree, self._package, self._version, variant)
        if lent:
            overlay_compiled(tree, self._package, lent.folder, lent.compiled)

    def _request(self, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
        cut_off = namespaces()
        return {
            "module": f"annotator.probes.catalogue.{module_name(self._probe.name)}",
            "modules": ["torch", *PACKAGES, self._package.name],
            "folder": str(folder),
            "work": str(folder / "work"),
            "tier": self._choice.tier,
            "device": self._choice.device,
            "seed": SEED,
            "options": options,
            "own_network": cut_off.network,
            "own_mounts": cut_off.processes,
        }

    def _result(self, ended: Ended, seen: Seen, about: dict[str, Any]) -> ProbeRun:
        known = {
            **about,
            "tier": self._choice.tier,
            "runner": seen.versions.get(_MODEL_RUNNER, ""),
            "adaptations": (*self._choice.notes, *seen.adaptations),
            "versions": self._versions(seen),
            "isolation": _isolation(seen),
            "seconds": ended.seconds,
            "megabytes": ended.megabytes,
        }
        if not seen.reason:
            verdicts = verdicts_of(seen, self._probe)
            status, reason = status_of(verdicts)
            observations = dict(sorted(seen.observations.items()))
            return ProbeRun(
                **known, status=status, reason=reason, verdicts=verdicts, observations=observations
            )
        if lacking := lacking_module(seen.reason, self._package.name):
            reason = f"the environment lacks the module {lacking}"
            hint = f"annot probe setup{'' if self._choice.tier == 'source' else ' --engine'}"
            return ProbeRun(**known, status=ProbeStatus.SKIPPED, reason=reason, hint=hint)
        if library := lacking_library(seen.reason):
            reason = f"this system lacks the shared library {library}"
            hint = "install the system's package that has it"
            return ProbeRun(**known, status=ProbeStatus.SKIPPED, reason=reason, hint=hint)
        status, output = ProbeStatus.ERROR, ended.output
        return ProbeRun(**known, status=status, reason=seen.reason, output=output)

    def _versions(self, seen: Seen) -> dict[str, str]:
        versions = {key: value for key, value in seen.versions.items() if key != _MODEL_RUNNER}
        if seen.versions and self._choice.tier != "engine":
            versions[self._package.name] = self._version
        return versions


def _isolation(seen: Seen) -> dict[str, str]:
    """What the child was kept from, and how."""
    cut_off = namespaces()
    return {
        "network": "cut off, in a namespace of its own" if cut_off.network else "not cut off",
        "processes": "a namespace of its own" if cut_off.processes else "watched",
        "files": "writes only to its folder" if "files" in seen.isolation else "not limited",
    }
