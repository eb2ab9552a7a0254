"""How a study and its upstreams stand: files, source at hand, pin, lock, drift that is known."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from annotator.model.diagnosis import Condition, State
from annotator.model.failures import AnnotError
from annotator.model.lock import Lock
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.model.words import DRIFT
from annotator.probes.known import probe_names
from annotator.store.lock_file import read_lock
from annotator.store.problems import ProblemsFound, shown
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.tasks.lint import Level, lint
from annotator.tasks.remembered import Remembered
from annotator.tasks.review.queue import short_ref
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.sources import Source

OLD_SOURCE = 30
"""Days after which the newest source at hand is worth an update."""


def study_state(study_dir: Path | None) -> tuple[Study | None, Path | None, list[Condition]]:
    """The study and its folder, where they can be read, and how its files stand."""
    section = "study"
    try:
        folder, origin = find_study(study_dir)
    except AnnotError as error:
        told = Condition(
            section=section, name="folder", state="attention", text=str(error), mend=error.hint
        )
        return None, None, [told]
    where = {"given": "named", "found": "found upward from here", "shipped": "came with annot"}
    found = [
        Condition(
            section=section, name="folder", state="ok", text=f"{shown(folder)} ({where[origin]})"
        )
    ]
    try:
        study = load_study(folder, probe_names())
    except ProblemsFound as wrong:
        first, *rest = wrong.problems
        more = f" (and {len(rest)} more)" if rest else ""
        found.append(
            Condition(
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
            Condition(
                section=section, name="files", state="attention", text=str(error), mend=error.hint
            )
        )
        return None, folder, found
    levels = [finding.level for finding in lint(study)]
    errors, warnings = levels.count(Level.ERROR), levels.count(Level.WARNING)
    found.append(
        Condition(
            section=section,
            name="files",
            state="attention" if errors else "note" if warnings else "ok",
            text=f"{len(study.questions)} questions, {len(study.anchors)} anchors;"
            f" {errors} errors, {warnings} warnings",
            mend="annot lint" if errors or warnings else "",
        )
    )
    return study, folder, found


def upstream_state(
    workspace: Workspace, folder: Path, study: Study, name: str, upstream: Upstream
) -> Iterator[Condition]:
    """What is at hand of an upstream, and whether pin and lock go with it."""

    def condition(what: str, state: State, text: str, mend: str = "") -> Condition:
        return Condition(section=name, name=what, state=state, text=text, mend=mend)

    try:
        sources = workspace.sources(name).describe()
    except AnnotError as error:
        yield condition("source", "attention", str(error), error.hint)
        return
    if not sources:
        yield condition("source", "attention", "none on this machine", f"annot sync {name}")
    for source in sources:
        yield _source(name, source)
    yield from _pin(workspace, name, upstream, bool(sources))
    try:
        lock = read_lock(folder, name)
    except AnnotError as error:
        yield condition("lock", "attention", str(error), error.hint)
    else:
        state, text = _lock(lock, study, name, upstream)
        mend = "" if state == "ok" else f"annot lock --upstream {name}"
        yield condition("lock", state, text, mend)
    if sources:
        yield _drift(workspace, study, name, upstream)


def _source(name: str, source: Source) -> Condition:
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
    return Condition(
        section=name,
        name="source",
        state="note" if old else "ok",
        text=f"{', '.join([extent, *limits])}; newest {tag or source.head[:12]} of {head.date[:10]},"
        f" {days} days ago; {repository.path}",
        mend=f"annot sync {name}" if old else "",
    )


def _pin(
    workspace: Workspace, name: str, upstream: Upstream, any_source: bool
) -> Iterator[Condition]:
    pinned = upstream.pin.commit or upstream.pin.release or ""
    try:
        base = workspace.baseline(name, upstream)
    except AnnotError as error:
        if any_source:
            yield Condition(
                section=name, name="pin", state="attention", text=str(error), mend=error.hint
            )
        return
    exact = base.ref == pinned
    stand_in = "" if exact else f" is not at hand; its stand-in {base.ref} is compared"
    yield Condition(
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
    return "ok", f"fresh, from {short_ref(lock.recorded_from)}: {counts}{behaviour}"


def _drift(workspace: Workspace, study: Study, name: str, upstream: Upstream) -> Condition:
    """What earlier checks found at the newest commit; nothing is looked up anew."""
    try:
        base, head = workspace.baseline(name, upstream), workspace.revision(name, "HEAD")
    except AnnotError as error:
        return Condition(section=name, name="drift", state="note", text=f"not known: {error}")
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
    return Condition(
        section=name, name="drift", state="note" if mend else "ok", text=text, mend=mend
    )


def _revision(workspace: Workspace, name: str, ref: str) -> Revision | None:
    try:
        return workspace.revision(name, ref)
    except AnnotError:
        return None
