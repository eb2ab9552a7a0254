"""`annot check`: every anchor of the study against one commit of each upstream."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from annotator.model.anchor import Anchor
from annotator.model.failures import AnnotError
from annotator.model.history import Step
from annotator.model.lock import Lock, LockEntry
from annotator.model.report import AnchorResult, CheckReport, QuestionTitle, UpstreamCheck
from annotator.model.resolution import Place, Resolution
from annotator.model.review import Accepted
from annotator.model.study import PlacedAnchor, Study
from annotator.model.upstream import Upstream
from annotator.model.version import __version__
from annotator.model.words import DEFAULT_FAIL_ON, DRIFT, FailOn, Outcome
from annotator.model.written import Bilingual
from annotator.tasks.progress import Progress
from annotator.tasks.remembered import Remembered
from annotator.tasks.workspace import Revision, Workspace

if TYPE_CHECKING:  # most checks run no probes
    from annotator.probes.runner import Runner
    from annotator.tasks.probe import Engine


def check(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    locks: Mapping[str, Lock],
    *,
    ref: str = "HEAD",
    question: int | None = None,
    reviewed: bool = False,
    blame: bool = False,
    fail_on: tuple[FailOn, ...] = DEFAULT_FAIL_ON,
    runner: "Runner | None" = None,
    engine: "Engine" = "auto",
    progress: Progress = lambda what, done, total: None,
) -> CheckReport:
    """Checks the anchors that point into the given upstreams.

    Args:
        workspace: open sources.
        study: the study.
        upstreams: the upstreams to check.
        locks: what anchors were at the pin, by upstream.
        ref: commit to check against, in each upstream.
        question: number of the only question to check, if one is given.
        reviewed: whether an anchor with an accepted review is compared with that instead of the pin.
        blame: whether to name the commits that made an anchor drift.
        fail_on: outcomes and severities that make the check fail.
        runner: runs the probes that claims name, if that is wanted.
        engine: whether probes that want compiled code are run.
        progress: told after each anchor.

    Raises:
        UserMistake: if `ref` is unknown.
        Incomplete: if an upstream has no source at hand. A check of several upstreams goes on and reports the
            anchors of the missing one as skipped.
    """
    results: dict[str, AnchorResult] = {}
    checks: list[UpstreamCheck] = []
    warnings: list[str] = []
    for name, upstream in upstreams.items():
        placed = [item for item in study.of_upstream(name) if _wanted(item, study, question)]
        if not placed:
            continue
        try:
            checking = _Checking(workspace, name, upstream, locks.get(name), ref)
        except AnnotError as error:
            if len(upstreams) == 1:
                raise
            reason = error.with_hint
            warnings.append(f"{name} was not checked: {reason}")
            results |= {item.anchor.id: _skipped(item, study, reason) for item in placed}
            continue
        checks.append(checking.describe())
        if len(upstreams) == 1 or workspace.repo_of(name) is not None:
            warnings += workspace.passed_over(name, checking.target)
        warnings += checking.warnings
        for done, item in enumerate(placed):
            progress(name, done, len(placed))
            accepted = study.reviews.get(item.anchor.id) if reviewed else None
            results[item.anchor.id] = checking.check(item, _number(item, study), accepted)
        progress(name, len(placed), len(placed))
        if blame:
            drifted = [item for item in placed if _drifted(results[item.anchor.id])]
            blamed, unseen = checking.blame(drifted, progress)
            warnings += unseen
            for id_, steps in blamed.items():
                results[id_] = replace(results[id_], blame=steps)
        checking.save()
    checked = [item.anchor for item in study.anchors if item.anchor.id in results]
    probed = None
    if runner is not None:
        from annotator.tasks.claims import probe_claims, with_claims  # noqa: PLC0415

        probed = probe_claims(
            workspace, study, locks, runner, checked, ref, engine=engine, progress=progress
        )
        warnings += probed.warnings
        for anchor in checked:
            results[anchor.id] = with_claims(results[anchor.id], anchor, probed.by_probe)
    ordered = [results[anchor.id] for anchor in checked]
    return CheckReport(
        version=__version__,
        upstreams=tuple(checks),
        groups=tuple(_groups(study, {result.owner for result in ordered})),
        anchors=tuple(ordered),
        fail_on=fail_on,
        warnings=tuple(warnings),
        probes=probed.runs if probed else (),
        drifts=probed.drifts if probed else (),
    )


class _Checking:
    """One upstream: its target, its baselines, and the resolvers between them once they are needed.

    Attributes:
        target: the commit that is checked.
        warnings: what is to be said of the upstream as a whole.
    """

    def __init__(
        self, workspace: Workspace, name: str, upstream: Upstream, lock: Lock | None, ref: str
    ) -> None:
        self._workspace = workspace
        self._name = name
        self._upstream = upstream
        self._lock = lock
        self.target = workspace.revision(name, ref)
        self._base = workspace.baseline(name, upstream)
        self._files = self.target.repository.tree(self.target.commit).files
        self._answers: dict[str, Remembered] = {}
        self._compared: dict[str, tuple[Anchor, Revision]] = {}
        self.warnings: list[str] = []
        if lock is None:
            self.warnings.append(f"{name} has no lock; run `annot lock` to record its anchors")

    def check(
        self, item: PlacedAnchor, number: int | None, accepted: Accepted | None
    ) -> AnchorResult:
        """Checks one anchor against the pin, or against what was accepted."""
        anchor, base = item.anchor, self._base
        entry = self._entry(item)
        resolution: Resolution | None
        try:
            if accepted is not None:
                base = self._workspace.revision(self._name, accepted.ref)
                anchor = accepted.applied_to(anchor)
            resolution = self._unchanged(entry) if entry and accepted is None else None
            resolution = resolution or self._resolve(
                anchor, base, entry if accepted is None else None
            )
            if accepted and accepted.decision != "edited" and resolution.outcome in DRIFT:
                # Upstream may have gone back to what was pinned, of which the note is as true.
                at_pin = self._resolve(item.anchor, self._base)
                if at_pin.outcome is Outcome.OK:
                    anchor, base, resolution = item.anchor, self._base, at_pin
            self._compared[anchor.id] = anchor, base
        except AnnotError as error:
            reason = error.with_hint
            resolution = Resolution(outcome=Outcome.ERROR, confidence=0.0, reason=reason)
        web = self._upstream.web
        return AnchorResult(
            id=anchor.id,
            owner=item.owner,
            number=number,
            upstream=self._name,
            target=anchor.target,
            watch=anchor.watches,
            own_severity=anchor.severity,
            file=item.file,
            line=item.line,
            baseline=base.ref,
            sureness=entry.sureness if entry and accepted is None else None,
            resolution=resolution,
            old_link=_link(base, web, resolution.old),
            new_link=_link(self.target, web, resolution.new),
        )

    def _entry(self, item: PlacedAnchor) -> LockEntry | None:
        entry = self._lock.entries.get(item.anchor.id) if self._lock else None
        return entry if entry is not None and entry.target == item.anchor.target else None

    def _unchanged(self, entry: LockEntry) -> Resolution | None:
        """The answer without reading anything, where the file is what the lock recorded."""
        path = entry.target.partition("::")[0].partition("#")[0]
        recorded_here = self._lock is not None and self._lock.recorded_from == self._base.ref
        if not recorded_here or self._files.get(path) != entry.blob:
            return None
        start, end = entry.quote or (entry.start, entry.end)
        place = Place(path=path, symbol=entry.symbol, start=start, end=end, blob=entry.blob)
        return Resolution(
            outcome=Outcome.OK,
            old=place,
            new=place,
            evidence=("the file is the same, byte for byte",),
        )

    def _resolve(
        self, anchor: Anchor, base: Revision, entry: LockEntry | None = None
    ) -> Resolution:
        if base.ref not in self._answers:
            folder = self._workspace.cache_folder
            self._answers[base.ref] = Remembered(folder, base, self.target)
        remembered = self._answers[base.ref]
        resolution = remembered.get(anchor)
        if resolution is None:
            resolver = self._workspace.resolver(base, self.target)
            of_base = self._lock is not None and self._lock.recorded_from == base.ref
            recorded = entry if of_base else None
            resolution = resolver.resolve_with_state(
                anchor.place, anchor.watches, anchor.quote, recorded
            )
            remembered.put(anchor, resolution)
        return resolution

    def blame(
        self, drifted: list[PlacedAnchor], progress: Progress
    ) -> tuple[dict[str, tuple[Step, ...]], list[str]]:
        """The commits that made anchors drift since their baseline, and why some cannot be named."""
        from annotator.tasks.trace import Traced, Tracing  # noqa: PLC0415 - loads the resolver

        compared = [self._compared[item.anchor.id] for item in drifted]
        tracings: dict[str, Tracing] = {}
        blamed: dict[str, tuple[Step, ...]] = {}
        problems: list[str] = []
        for base in dict.fromkeys(base for _, base in compared):
            try:
                tracing = Tracing(self._workspace, self._upstream, self._name, base, self.target)
                tracing.load(anchor.place.path for anchor, other in compared if other == base)
            except AnnotError as error:
                problems.append(f"no commits can be named since {base.label}: {error.with_hint}")
            else:
                tracings[base.ref] = tracing
        for done, (anchor, base) in enumerate(compared):
            progress(f"{self._name}, commits", done, len(drifted))
            if base.ref not in tracings:
                continue
            traced = Traced(anchor.id, anchor.place, anchor.watches, anchor.quote)
            try:
                blamed[anchor.id] = tracings[base.ref].blame(traced)
            except AnnotError as error:
                problems.append(f"{anchor.id}: no commit can be named: {error}")
        return blamed, problems

    def save(self) -> None:
        """Remembers the answers for later checks."""
        for answers in self._answers.values():
            answers.save()

    def describe(self) -> UpstreamCheck:
        pin = self._upstream.pin
        pinned = pin.commit or pin.release or ""
        exact = self._base.ref == pinned
        note = (
            ""
            if exact
            else f"the pin {pinned[:12]} is not at hand; its stand-in {self._base.ref} was compared"
        )
        return UpstreamCheck(
            name=self._name,
            requested=self.target.ref,
            commit=self.target.commit,
            label=self.target.label,
            source=_written(self.target.repository.path),
            pin=pinned,
            baseline=self._base.ref,
            baseline_source=_written(self._base.repository.path),
            exact=exact,
            note=note,
        )


def _drifted(result: AnchorResult) -> bool:
    return result.resolution.outcome in DRIFT


def _written(path: Path) -> str:
    """A path of this machine as a report can hold it: it may have bytes that are not UTF-8."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _link(revision: Revision, web: str, place: Place | None) -> str:
    return revision.permalink(web, place.path, place.start, place.end) if place else ""


def _number(item: PlacedAnchor, study: Study) -> int | None:
    return next((q.number for q in study.questions if q.id == item.owner), None)


def _wanted(item: PlacedAnchor, study: Study, question: int | None) -> bool:
    return question is None or _number(item, study) == question


def _skipped(item: PlacedAnchor, study: Study, reason: str) -> AnchorResult:
    return AnchorResult(
        id=item.anchor.id,
        owner=item.owner,
        number=_number(item, study),
        upstream=item.upstream,
        target=item.anchor.target,
        watch=item.anchor.watches,
        own_severity=item.anchor.severity,
        file=item.file,
        line=item.line,
        baseline="",
        resolution=Resolution(outcome=Outcome.SKIPPED, confidence=0.0, reason=reason),
    )


def _groups(study: Study, owners: set[str]) -> Iterable[QuestionTitle]:
    def title(id_: str, number: int | None, text: Bilingual) -> QuestionTitle:
        return QuestionTitle(id=id_, number=number, zh=text.zh or "", en=text.en or "")

    for question in study.questions:
        if question.id in owners:
            yield title(question.id, question.number, question.title)
    for _, resource in study.resources:
        if resource.id in owners:
            yield title(resource.id, None, resource.title)
