"""`annot doctor`: looks at everything that a check needs, and runs nothing that takes long."""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from packaging.requirements import Requirement

from annotator.model.diagnosis import Diagnosis, Finding, State
from annotator.model.failures import AnnotError
from annotator.model.lock import Lock
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.model.version import __version__
from annotator.model.words import DRIFT
from annotator.probes.environments import KINDS
from annotator.probes.known import probe_names
from annotator.probes.setup import missing_in
from annotator.store.lock_file import read_lock
from annotator.store.problems import ProblemsFound, shown
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.tasks.lint import Level, lint
from annotator.tasks.remembered import Remembered
from annotator.tasks.workspace import Revision, Workspace, chosen_upstreams
from annotator.upstream.git_program import try_git
from annotator.upstream.sources import Source

OLD_SOURCE = 30
"""Days after which the newest source at hand is worth an update."""
_GIT = (2, 30)
_EXTRAS = {
    "site": (("mkdocs", "material", "jinja2", "jieba", "markdown_it"), "pip install 'annot[site]'"),
    "read": (("textual",), "pip install 'annot[read]'"),
}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


def diagnose(workspace: Workspace, study_dir: Path | None) -> Diagnosis:
    """How everything stands that annot works with.

    Args:
        workspace: open sources.
        study_dir: the study that was named, if one was.
    """
    findings = list(_programs())
    study, folder, told = _study(study_dir)
    findings += told
    if study is not None and folder is not None:
        for name, upstream in chosen_upstreams(study).items():
            findings += _upstream(workspace, folder, study, name, upstream)
    findings += [*_cache(workspace.cache_folder), *_probes(workspace.cache_folder), *_extras()]
    return Diagnosis(version=__version__, findings=tuple(findings))


def _programs() -> Iterator[Finding]:
    section = "programs"
    python = platform.python_version()
    state: State = "ok" if sys.version_info >= (3, 11) else "attention"
    yield Finding(section=section, name="Python", state=state, text=f"{python}, {sys.executable}")
    wrong = list(_wrong_dependencies())
    yield Finding(
        section=section,
        name="dependencies",
        state="attention" if wrong else "ok",
        text="; ".join(wrong) or "all there",
        mend="pip install annot" if wrong else "",
    )
    try:
        said = try_git(["--version"]).stdout.decode("utf-8", "replace").strip()
    except AnnotError as error:
        yield Finding(
            section=section, name="git", state="attention", text=str(error), mend=error.hint
        )
        return
    found = re.search(r"(\d+)\.(\d+)", said)
    old = found is None or (int(found[1]), int(found[2])) < _GIT
    yield Finding(
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


def _study(study_dir: Path | None) -> tuple[Study | None, Path | None, list[Finding]]:
    section = "study"
    try:
        folder, origin = find_study(study_dir)
    except AnnotError as error:
        told = Finding(
            section=section, name="folder", state="attention", text=str(error), mend=error.hint
        )
        return None, None, [told]
    where = {"given": "named", "found": "found upward from here", "shipped": "came with annot"}
    found = [
        Finding(
            section=section, name="folder", state="ok", text=f"{shown(folder)} ({where[origin]})"
        )
    ]
    try:
        study = load_study(folder, probe_names())
    except ProblemsFound as wrong:
        first, *rest = wrong.problems
        more = f" (and {len(rest)} more)" if rest else ""
        found.append(
            Finding(
                section=section,
                name="files",
                state="attention",
                text=f"{first}{more}",
                mend="annot lint",
            )
        )
        return None, folder, found
    except AnnotError as error:
        found.append(
            Finding(
                section=section, name="files", state="attention", text=str(error), mend=error.hint
            )
        )
        return None, folder, found
    levels = [finding.level for finding in lint(study)]
    errors, warnings = levels.count(Level.ERROR), levels.count(Level.WARNING)
    found.append(
        Finding(
            section=section,
            name="files",
            state="attention" if errors else "note" if warnings else "ok",
            text=f"{len(study.questions)} questions, {len(study.anchors)} anchors;"
            f" {errors} errors, {warnings} warnings",
            mend="annot lint" if errors or warnings else "",
        )
    )
    return study, folder, found


def _upstream(
    workspace: Workspace, folder: Path, study: Study, name: str, upstream: Upstream
) -> Iterator[Finding]:
    def finding(what: str, state: State, text: str, mend: str = "") -> Finding:
        return Finding(section=name, name=what, state=state, text=text, mend=mend)

    try:
        sources = workspace.sources(name).describe()
    except AnnotError as error:
        yield finding("source", "attention", str(error), error.hint)
        return
    if not sources:
        yield finding("source", "attention", "none on this machine", f"annot sync {name}")
    for source in sources:
        yield _source(name, source)
    yield from _pin(workspace, name, upstream, bool(sources))
    try:
        lock = read_lock(folder, name)
    except AnnotError as error:
        yield finding("lock", "attention", str(error), error.hint)
    else:
        state, text = _lock(lock, study, name, upstream)
        mend = "" if state == "ok" else f"annot lock --upstream {name}"
        yield finding("lock", state, text, mend)
    if sources:
        yield _drift(workspace, study, name, upstream)


def _source(name: str, source: Source) -> Finding:
    """What is at hand, and how old the newest of it is."""
    repository = source.repository
    head = repository.commit(source.head)
    tag = next((tag for tag, commit in repository.tags().items() if commit == source.head), "")
    days = (datetime.now(UTC) - datetime.fromisoformat(head.date)).days
    limits = [
        word
        for word, is_so in (("shallow", repository.is_shallow), ("partial", repository.is_partial))
        if is_so
    ]
    extent = f"{len(repository.tags())} releases" if source.kind == "releases" else source.kind
    old = days > OLD_SOURCE
    return Finding(
        section=name,
        name="source",
        state="note" if old else "ok",
        text=f"{', '.join([extent, *limits])}; newest {tag or source.head[:12]} of {head.date[:10]},"
        f" {days} days ago; {repository.path}",
        mend=f"annot sync {name}" if old else "",
    )


def _pin(
    workspace: Workspace, name: str, upstream: Upstream, any_source: bool
) -> Iterator[Finding]:
    pinned = upstream.pin.commit or upstream.pin.release or ""
    try:
        base = workspace.baseline(name, upstream)
    except AnnotError as error:
        if any_source:
            yield Finding(
                section=name, name="pin", state="attention", text=str(error), mend=error.hint
            )
        return
    exact = base.ref == pinned
    stand_in = "" if exact else f" is not at hand; its stand-in {base.ref} is compared"
    yield Finding(
        section=name,
        name="pin",
        state="ok" if exact else "note",
        text=f"{pinned[:12]} of {upstream.pin.date}{stand_in or ', at hand'}",
        mend="" if exact else f"annot sync {name} --from git, then annot lock --upstream {name}",
    )


def _lock(lock: Lock | None, study: Study, name: str, upstream: Upstream) -> tuple[State, str]:
    """Whether the lock speaks of the anchors as they are written now."""
    if lock is None:
        return "attention", "none: unchanged files cannot be told without reading them"
    targets = {placed.anchor.id: placed.anchor.target for placed in study.of_upstream(name)}
    stale = [
        f"{count} {what}"
        for count, what in (
            (len(targets.keys() - lock.entries.keys()), "anchors not in it"),
            (len(lock.entries.keys() - targets.keys()), "of anchors that are no more"),
            (
                sum(
                    entry.target != targets.get(id_, entry.target)
                    for id_, entry in lock.entries.items()
                ),
                "of other targets",
            ),
        )
        if count
    ]
    if lock.pin != (upstream.pin.commit or upstream.pin.release):
        stale.append(f"of another pin, {lock.pin[:12]}")
    if stale:
        return "attention", f"stale: {', '.join(stale)}"
    levels = [entry.sureness.value for entry in lock.entries.values()]
    counts = ", ".join(f"{levels.count(level)} {level}" for level in sorted(set(levels)))
    behaviour = f"; {len(lock.behaviour)} probes recorded" if lock.behaviour else ""
    return "ok", f"fresh, from {lock.recorded_from}: {counts}{behaviour}"


def _drift(workspace: Workspace, study: Study, name: str, upstream: Upstream) -> Finding:
    """What earlier checks found at the newest commit; nothing is looked up anew."""
    try:
        base, head = workspace.baseline(name, upstream), workspace.revision(name, "HEAD")
    except AnnotError as error:
        return Finding(section=name, name="drift", state="note", text=f"not known: {error}")
    answers: dict[str, Remembered] = {}
    known = drifted = 0
    for placed in study.of_upstream(name):
        accepted = study.reviews.get(placed.anchor.id)
        anchor, since = placed.anchor, base
        if accepted is not None:
            anchor = accepted.applied_to(anchor)
            since = _revision(workspace, name, accepted.ref) or base
        if since.ref not in answers:
            answers[since.ref] = Remembered(workspace.cache_folder, since, head)
        resolution = answers[since.ref].get(anchor)
        known += resolution is not None
        drifted += resolution is not None and resolution.outcome in DRIFT
    if not known and base.commit != head.commit:
        text, mend = f"{head.label} was not checked yet", "annot check"
    else:
        text = f"{drifted} anchors to review at {head.label}, as far as it was checked"
        mend = f"annot review --upstream {name}" if drifted else ""
    return Finding(section=name, name="drift", state="note" if mend else "ok", text=text, mend=mend)


def _revision(workspace: Workspace, name: str, ref: str) -> Revision | None:
    try:
        return workspace.revision(name, ref)
    except AnnotError:
        return None


def _cache(folder: Path) -> Iterator[Finding]:
    parts: Mapping[str, Iterable[Path]] = {
        "source": [folder / "sources"],
        "outlines": folder.glob("outlines.sqlite3*"),
        "answers": folder.glob("answers.sqlite*"),
        "probe environments": [folder / "probes"],
    }
    sizes = {what: sum(map(_size, paths)) for what, paths in parts.items()}
    total = _size(folder)
    named = ", ".join(f"{what} {size / 1e6:.0f} MB" for what, size in sizes.items() if size)
    yield Finding(
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


def _probes(cache: Path) -> Iterator[Finding]:
    for kind in KINDS:
        try:
            lacking = missing_in(cache, kind)
        except AnnotError as error:
            lacking = [f"{error} → {error.hint}"]
        text, _, mend = (lacking[0] if lacking else "all pinned versions are there").partition(
            " → "
        )
        more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        yield Finding(
            section="probes",
            name=kind,
            state="note" if lacking else "ok",
            text=text + more,
            mend=mend,
        )


def _extras() -> Iterator[Finding]:
    for name, (modules, mend) in _EXTRAS.items():
        missing = [module for module in modules if importlib.util.find_spec(module) is None]
        yield Finding(
            section="extras",
            name=name,
            state="note" if missing else "ok",
            text=f"without {', '.join(missing)}" if missing else "installed",
            mend=mend if missing else "",
        )
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    yield Finding(
        section="extras",
        name="browser",
        state="ok" if browser else "note",
        text=browser or "no Chromium on the path: tests of the site skip what they look at in it",
    )
