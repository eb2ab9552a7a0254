"""Temporary trees with one mistake in them, and what the probe says of each."""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from annotator.model.failures import Incomplete
from annotator.probes.environments import Environment
from annotator.probes.known import load_probe
from annotator.probes.packages import PACKAGES, Package, package_of
from annotator.probes.trees import (
    files_under,
    lay_out,
    make_up_version,
    overlay_compiled,
    version_of,
)
from annotator.tasks.workspace import Workspace
from bench.probe_child import ROOT, run_probe
from bench.probe_mutations.cases import Mutation, TextGone

FEW = 30
"""Generated sequences in a first run. Only what these do not show is run again with as many as the probe makes."""


class Outcome(StrEnum):
    """What became of a mistake. Everything but `caught` and `skipped` counts as a failure of the suite."""

    CAUGHT = "caught"
    MISSED = "missed"
    TEXT_GONE = "text gone"
    REFUTED_ANYWAY = "refuted anyway"
    NO_RESULT = "no result"
    SKIPPED = "skipped"


class Found(NamedTuple):
    """What became of one mistake.

    Attributes:
        mutation: the mistake.
        outcome: what became of it.
        said: the evidence of the check that caught it, or why there is none.
        others: other checks that were refuted as well.
        seconds: how long it took.
    """

    mutation: Mutation
    outcome: Outcome
    said: str = ""
    others: tuple[str, ...] = ()
    seconds: float = 0


class _Bed(NamedTuple):
    """Copies to plant in, and what runs them.

    Attributes:
        python: the interpreter.
        tree: upstream's package; none if what is installed is run as it is.
        code: our own package.
    """

    python: Path
    tree: Path | None
    code: Path

    def file(self, mutation: Mutation) -> Path:
        """Where a mistake is planted."""
        return (self.code if mutation.in_model or self.tree is None else self.tree) / mutation.file


class Nursery:
    """Plants mistakes one after the other, in copies that nobody else sees.

    Args:
        workspace: open sources.
        environments: the interpreters at hand.
        examples: generated sequences of each kind; few at first and then the probe's own number if None.
    """

    def __init__(
        self, workspace: Workspace, environments: Sequence[Environment], examples: int | None = None
    ) -> None:
        self._workspace = workspace
        self._environments = environments
        self._examples = [examples] if examples else [FEW, None]

    def plant(self, mutations: Sequence[Mutation]) -> Iterator[Found]:
        """What becomes of each of these mistakes, which are of one probe, one release and one tier."""
        first = mutations[0]
        try:
            python = self._python(first)
            with self._bed(first, python) as bed:
                yield from self._plant_all(mutations, bed)
        except Incomplete as error:
            yield from (Found(each, Outcome.SKIPPED, str(error)) for each in mutations)

    def _plant_all(self, mutations: Sequence[Mutation], bed: _Bed) -> Iterator[Found]:
        before = self._run(mutations[0], bed, self._examples[0])
        unfit = {check for check in before["verdicts"] if _refuted(before, check)}
        for mutation in mutations:
            started = time.monotonic()
            if before["reason"]:
                yield Found(mutation, Outcome.NO_RESULT, before["reason"])
                continue
            found = self._caught(mutation, bed, unfit)
            yield found._replace(seconds=time.monotonic() - started)

    def _caught(self, mutation: Mutation, bed: _Bed, unfit: set[str]) -> Found:
        aimed_at = [check for check in mutation.refutes if check not in unfit]
        if not aimed_at:
            said = f"{', '.join(mutation.refutes)} is refuted without it"
            return Found(mutation, Outcome.REFUTED_ANYWAY, said)
        path = bed.file(mutation)
        if not path.is_file():
            return Found(mutation, Outcome.TEXT_GONE, f"{mutation.release} has no {mutation.file}")
        original = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutation.planted(original), encoding="utf-8")
            for examples in self._examples:
                result = self._run(mutation, bed, examples)
                refuted = {check for check in result["verdicts"] if _refuted(result, check)} - unfit
                hit = next((check for check in aimed_at if check in refuted), None)
                if hit:
                    said = f"{hit}: {result['verdicts'][hit][1]}"
                    return Found(mutation, Outcome.CAUGHT, said, tuple(sorted(refuted - {hit})))
        except TextGone as error:
            return Found(mutation, Outcome.TEXT_GONE, str(error))
        finally:
            path.write_text(original, encoding="utf-8")
        outcome = Outcome.NO_RESULT if result["reason"] else Outcome.MISSED
        return Found(mutation, outcome, result["reason"], tuple(sorted(refuted)))

    def _run(self, mutation: Mutation, bed: _Bed, examples: int | None) -> dict[str, Any]:
        options = {"examples": examples} if examples else {}
        # The copies are nobody else's: their bytecode may stay, which halves the time of all runs but the first.
        variables = {name: value for each in PACKAGES.values() for name, value in each.environment}
        variables["PYTHONDONTWRITEBYTECODE"] = ""
        return run_probe(
            bed.python,
            mutation.probe,
            bed.tree,
            options,
            code=bed.code,
            tier=mutation.tier,
            variables=variables,
        )

    def _python(self, mutation: Mutation) -> Path:
        """The interpreter that can run this.

        Raises:
            Incomplete: if there is none.
        """
        package = _package(mutation)
        fitting = [
            each
            for each in self._environments
            if mutation.tier == "source" or each.installed(package)
        ]
        if not fitting:
            wanted = "" if mutation.tier == "source" else f" with {package.name} installed"
            raise Incomplete(f"no interpreter{wanted} is at hand")
        if mutation.tier == "source":
            return fitting[0].python
        # An engine may be behind the package: the more is installed, the better.
        return max(
            fitting, key=lambda each: sum(map(bool, map(each.installed, PACKAGES.values())))
        ).python

    @contextmanager
    def _bed(self, mutation: Mutation, python: Path) -> Iterator[_Bed]:
        """A copy of upstream's tree, if it has one that can be run, and one of our own code."""
        package = _package(mutation)
        with TemporaryDirectory(prefix="mutated-") as name:
            tree, code = Path(name) / "tree", Path(name) / "code"
            shutil.copytree(ROOT / "annotator" / "probes", code / "annotator" / "probes")
            (code / "annotator" / "__init__.py").touch()
            if package.in_tree:
                self._lay_out(mutation, package, tree, python)
            yield _Bed(python, tree if package.in_tree else None, code)

    def _lay_out(self, mutation: Mutation, package: Package, tree: Path, python: Path) -> None:
        (environment,) = (each for each in self._environments if each.python == python)
        lent = environment.installed(package)
        if mutation.tier == "engine" and lent:
            # What is installed may differ from the release in what its build needs: mistakes go into the former.
            have = environment.version(package)
            if have != version_of(mutation.release, ""):
                raise Incomplete(f"{package.name} {have} is installed, not {mutation.release}")
            _copy_python(lent.folder, tree / package.in_tree)
            return
        upstream = load_probe(mutation.probe).upstream
        source = self._workspace.revision(upstream, mutation.release)
        files = files_under(source.repository, source.commit, [package.in_tree])
        tree.mkdir()
        lay_out(source.repository, files, tree)
        make_up_version(tree, package, version_of(mutation.release, source.commit))
        if mutation.tier == "overlay" and lent:
            overlay_compiled(tree, package, lent.folder, lent.compiled)


def _copy_python(installed: Path, folder: Path) -> None:
    """Copies the Python files of an installed package and links to the others."""

    def copy(source: str, target: str) -> str:
        if source.endswith(".py"):
            return shutil.copyfile(source, target)
        Path(target).symlink_to(source)
        return target

    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(installed, folder, copy_function=copy, ignore=ignored)


def _package(mutation: Mutation) -> Package:
    return package_of(load_probe(mutation.probe).upstream)


def _refuted(result: dict[str, Any], check: str) -> bool:
    return bool(result["verdicts"][check][0] == "refuted")
