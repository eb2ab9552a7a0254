"""`griffe check` between two trees: what it says about one symbol. Both are read statically, never imported."""

import logging
from collections.abc import Iterable
from pathlib import Path

import griffe

from annotator.resolve.snapshot import Snapshot
from bench.accuracy.answers import Answer
from bench.accuracy.baselines import Pair
from bench.accuracy.rows import Row
from bench.git import export_tree

_CHANGES = {
    griffe.BreakageKind.OBJECT_REMOVED: "deleted",
    griffe.BreakageKind.ATTRIBUTE_CHANGED_VALUE: "value",
    griffe.BreakageKind.CLASS_REMOVED_BASE: "bases",
}
"""Kinds of breakage in annot's words; all others are about parameters, returns and types."""


class GriffeCheck:
    """Loads each package once, and compares the row's module in both trees.

    It can be asked about public names of Python packages only. A name that is still imported where it was
    defined is followed to its definition. What griffe has no complaint about counts as ok.

    Args:
        folder: folder to write trees into.
    """

    def __init__(self, folder: Path) -> None:
        logging.getLogger("griffe").setLevel(
            logging.CRITICAL
        )  # it tells of each name it cannot resolve
        self._folder = folder
        self._packages: dict[tuple[str, str], griffe.Module] = {}

    def __call__(self, row: Row, pair: Pair) -> Answer | None:
        """Answers one row."""
        package, *modules = row.from_path.removesuffix(".py").removesuffix("/__init__").split("/")
        if row.lang != "python" or f"{package}/__init__.py" not in pair.old.files:
            return None
        old = _member(self._package(pair.old, package), modules)
        names = row.from_symbol.split(".")
        before = _member(old, names) if old else None
        if old is None or before is None or not _is_checked(before, len(names)):
            return None
        new = _member(self._package(pair.new, package), modules)
        after = _member(new, names) if new else None
        if new is None or after is None:
            return Answer("gone", changes=frozenset({"deleted"}))
        if after.is_alias:
            try:
                after = after.final_target  # type: ignore[union-attr]
            except griffe.GriffeError:
                return Answer("ok", f"{row.from_path}::{row.from_symbol}", frozenset())
        changes = set()
        for breakage in griffe.find_breaking_changes(old, new):
            if breakage.obj.path in {before.path, after.path}:
                changes.add(_CHANGES.get(breakage.kind, "signature"))
            elif breakage.obj.path.startswith((f"{before.path}.", f"{after.path}.")):
                changes.add("body")
        place = f"{self._path_of(pair.new, after)}::{_name_in_module(after)}"
        return Answer("changed" if changes else "ok", place, frozenset(changes))

    def _package(self, snapshot: Snapshot, name: str) -> griffe.Module:
        key = (snapshot.commit, name)
        if key not in self._packages:
            folder = self._folder / snapshot.commit
            export_tree(snapshot.repository.git_dir, snapshot.commit, name, folder)
            loader = griffe.GriffeLoader(search_paths=[folder], allow_inspection=False)
            package = loader.load(name)
            assert isinstance(package, griffe.Module)
            self._packages[key] = package
        return self._packages[key]

    def _path_of(self, snapshot: Snapshot, found: griffe.Object | griffe.Alias) -> str:
        file = found.filepath
        assert isinstance(file, Path)
        return file.relative_to(self._folder / snapshot.commit).as_posix()


def _member(
    parent: griffe.Object | griffe.Alias, names: Iterable[str]
) -> griffe.Object | griffe.Alias | None:
    found = parent
    for name in names:
        if name not in found.members:
            return None
        found = found.members[name]
    return found


def _is_checked(found: griffe.Object | griffe.Alias, depth: int) -> bool:
    """Whether griffe looks at an object: it is public, and so is every class around it."""
    here: griffe.Object | griffe.Alias | None = found
    for _ in range(depth):
        if here is None or here.is_alias or not here.is_public:
            return False
        here = here.parent
    return True


def _name_in_module(found: griffe.Object | griffe.Alias) -> str:
    return found.path.removeprefix(f"{found.module.path}.")
