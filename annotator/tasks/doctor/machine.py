"""How this machine stands: programs, packages, the cache, probe environments, extras."""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from packaging.requirements import Requirement

from annotator.model.diagnosis import Condition, State
from annotator.model.failures import AnnotError
from annotator.probes.environments import KINDS
from annotator.probes.setup import missing_in
from annotator.upstream.git_program import try_git

_GIT = (2, 30)
_EXTRAS = {
    "site": (("mkdocs", "material", "jinja2", "jieba", "markdown_it"), "pip install 'annot[site]'"),
    "read": (("textual",), "pip install 'annot[read]'"),
}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


def programs() -> Iterator[Condition]:
    """Python, the packages that annot needs, and git."""
    section = "programs"
    python = platform.python_version()
    state: State = "ok" if sys.version_info >= (3, 11) else "attention"
    yield Condition(section=section, name="Python", state=state, text=f"{python}, {sys.executable}")
    wrong = list(_wrong_dependencies())
    yield Condition(
        section=section,
        name="dependencies",
        state="attention" if wrong else "ok",
        text="; ".join(wrong) or "all there",
        mend="pip install annot" if wrong else "",
    )
    try:
        said = try_git(["--version"]).stdout.decode("utf-8", "replace").strip()
    except AnnotError as error:
        yield Condition(
            section=section, name="git", state="attention", text=str(error), mend=error.hint
        )
        return
    found = re.search(r"(\d+)\.(\d+)", said)
    old = found is None or (int(found[1]), int(found[2])) < _GIT
    yield Condition(
        section=section,
        name="git",
        state="attention" if old else "ok",
        text=said.removeprefix("git version "),
        mend="install git 2.30 or newer" if old else "",
    )


def _wrong_dependencies() -> Iterator[str]:
    """Packages that annot needs and that are missing or too old; nothing where it runs uninstalled."""
    try:
        wanted = importlib.metadata.requires("annot") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for requirement in map(Requirement, wanted):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            yield f"{requirement.name} is missing"
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            yield f"{requirement.name} is {version}, not {requirement.specifier}"


def cache(folder: Path) -> Iterator[Condition]:
    """Where the cache is and how large its parts are."""
    parts: Mapping[str, Iterable[Path]] = {
        "source": [folder / "sources"],
        "outlines": folder.glob("outlines.sqlite3*"),
        "answers": [
            path
            for name in ("answers", "reports", "histories")
            for path in folder.glob(f"{name}.sqlite*")
        ],
        "words": folder.glob("words.sqlite*"),
        "probe environments": [folder / "probes"],
    }
    sizes = {what: sum(map(_size, paths)) for what, paths in parts.items()}
    total = _size(folder)
    named = ", ".join(f"{what} {size / 1e6:.0f} MB" for what, size in sizes.items() if size)
    yield Condition(
        section="cache",
        name="folder",
        state="ok",
        text=f"{folder}: {total / 1e6:.0f} MB ({named or 'empty'}); safe to delete",
    )


def _size(path: Path) -> int:
    """Bytes of a file or of everything in a folder; links are not followed."""
    if not path.is_dir() or path.is_symlink():
        return path.lstat().st_size if path.exists() else 0
    total = 0
    for entry in os.scandir(path):
        total += (
            _size(Path(entry.path))
            if entry.is_dir(follow_symlinks=False)
            else entry.stat(follow_symlinks=False).st_size
        )
    return total


def probes(cache_folder: Path) -> Iterator[Condition]:
    """What each environment for probes lacks."""
    for kind in KINDS:
        try:
            lacking = missing_in(cache_folder, kind)
        except AnnotError as error:
            lacking = [f"{error} → {error.hint}"]
        text, _, mend = (lacking[0] if lacking else "all pinned versions are there").partition(
            " → "
        )
        more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        yield Condition(
            section="probes",
            name=kind,
            state="note" if lacking else "ok",
            text=text + more,
            mend=mend,
        )


def extras() -> Iterator[Condition]:
    """What is there beyond checks: the site, the reader, a browser for tests."""
    for name, (modules, mend) in _EXTRAS.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        yield Condition(
            section="extras",
            name=name,
            state="note" if missing else "ok",
            text=f"without {', '.join(missing)}" if missing else "installed",
            mend=mend if missing else "",
        )
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    yield Condition(
        section="extras",
        name="browser",
        state="ok" if browser else "note",
        text=browser or "no Chromium on the path: tests of the site skip what they look at in it",
    )
