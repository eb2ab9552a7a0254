"""`annot notes check`: every place that notes point to, against one commit of each upstream."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from annotator.model.failures import AnnotError
from annotator.model.mention import MentionKind, MentionResult, NotesReport, Piece
from annotator.model.report import UpstreamCheck
from annotator.model.resolution import Resolution
from annotator.model.target import Target, TargetError
from annotator.model.upstream import Upstream
from annotator.model.version import __version__
from annotator.model.words import DEFAULT_FAIL_ON, FailOn, Outcome, Watch
from annotator.tasks.notes.branches import resolve_branch_link
from annotator.tasks.notes.corrections import cited_ref, corrections
from annotator.tasks.notes.files import NoteFile
from annotator.tasks.notes.finding import Found, NotesReader
from annotator.tasks.notes.folders import resolve_folder
from annotator.tasks.notes.places import Upstreams, Where, pointed_at, whole_statement
from annotator.tasks.progress import Progress
from annotator.tasks.remembered import Asked, Remembered
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.refs import is_version


def check_notes(
    workspace: Workspace,
    upstreams: Mapping[str, Upstream],
    notes: Sequence[NoteFile],
    *,
    ref: str = "HEAD",
    at: Mapping[str, str] | None = None,
    watch: Watch = Watch.BODY,
    fail_on: tuple[FailOn, ...] = DEFAULT_FAIL_ON,
    fail_on_branch: bool = False,
    pin_branches: bool = False,
    only_links: bool = False,
    progress: Progress = lambda what, done, total: None,
) -> NotesReport:
    """Checks what notes point to.

    Args:
        workspace: open sources.
        upstreams: by name; links into other repositories are only counted.
        notes: the notes.
        ref: commit to check against, in each upstream.
        at: by upstream, the ref that paths and names without a link are read at, whatever the notes say.
        watch: what counts of a definition that a note points at.
        fail_on: what makes the check fail.
        fail_on_branch: whether links by branch do.
        pin_branches: whether links by branch get corrections too, those without line numbers.
        only_links: whether paths and names without a link are left out.
        progress: told after each mention.

    Raises:
        UserMistake: if `ref` is unknown in every upstream.
        Incomplete: if there is no source of any upstream.
    """
    checking = _Checking(workspace, upstreams, ref, watch, pin_branches=pin_branches)
    checking.require_a_target()
    reader = NotesReader(workspace, checking.known, upstreams, at or {}, only_links=only_links)
    found = [item for note in notes for item in reader.find(note)]
    warnings = [*reader.warnings, *reader.unstated(checking.newest)]
    results: dict[int, MentionResult] = {}
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, item in enumerate(found):
        commit = "" if item.where.is_branch else item.where.ref
        groups[item.where.upstream, commit].append(index)
    for indexes in groups.values():
        for index in indexes:
            results[index] = checking.result(found[index])
            progress("notes", len(results), len(found))
        workspace.forget(checking.targets)
        checking.save()
    return NotesReport(
        version=__version__,
        upstreams=tuple(checking.describe()),
        files=tuple(note.name for note in notes),
        results=tuple(results[index] for index in range(len(found))),
        elsewhere=dict(reader.elsewhere.most_common()),
        fail_on=fail_on,
        fail_on_branch=fail_on_branch,
        warnings=tuple(warnings),
    )


class _Checking:
    """One run against one ref of each upstream."""

    def __init__(
        self,
        workspace: Workspace,
        upstreams: Mapping[str, Upstream],
        ref: str,
        watch: Watch,
        *,
        pin_branches: bool,
    ) -> None:
        self._workspace = workspace
        self._upstreams = upstreams
        self._ref = ref
        self._watch = watch
        self._pin_branches = pin_branches
        self.known = Upstreams(workspace, upstreams)
        self._targets: dict[str, Revision | AnnotError] = {}
        self._answers: dict[tuple[Revision, Revision], Remembered] = {}

    def result(self, item: Found) -> MentionResult:
        """Checks one mention."""
        where = item.where
        result = MentionResult(
            file=item.note.name,
            mention=item.mention,
            upstream=where.upstream,
            ref=where.ref,
            path=where.path,
            is_branch=where.is_branch,
            fork=where.fork,
            resolution=Resolution(outcome=Outcome.SKIPPED, confidence=0.0),
        )
        target = self._target(where.upstream)
        if isinstance(target, AnnotError):
            return _unplaced(result, str(target), target.hint)
        try:
            if where.is_branch and not self._knows_branch(where, target):
                branch = f"the branch {where.ref} of {where.fork or where.upstream}"
                return _unplaced(result, f"{branch} is not at hand", "")
            if where.is_branch:
                resolution, base = self._resolve_branch(item, target)
            elif where.revision is None:
                reason, hint = self._missing(where)
                return _unplaced(result, reason, hint)
            else:
                base = where.revision
                resolution = self._resolve(item, base, target)
        except AnnotError as error:
            return _unplaced(result, str(error), error.hint)
        web = self._upstreams[where.upstream].web
        if item.mention.first is None and not (item.symbol or item.mention.fragment):
            resolution = _without_lines(resolution)
        return replace(
            result,
            baseline=base.label,
            resolution=resolution,
            notice=_notice(item),
            new_link=_link(target, web, resolution),
            corrections=self._corrections(item, target, resolution),
        )

    def _corrections(
        self, item: Found, target: Revision, resolution: Resolution
    ) -> tuple[Piece, ...]:
        if item.where.fork or (item.where.is_branch and not self._pin_branches):
            return ()
        ref = cited_ref(target)
        return corrections(item.mention, resolution, ref, by_branch=item.where.is_branch)

    def _resolve(self, item: Found, base: Revision, target: Revision) -> Resolution:
        snapshot = self._workspace.snapshot(base.repository, base.commit)
        mention = item.mention
        if item.symbol and mention.kind is MentionKind.SYMBOL:
            mention = replace(mention, symbol=item.symbol)
        try:
            pointed = pointed_at(
                snapshot, self.known.paths(base), item.where.path, mention, self._watch
            )
        except TargetError as error:
            return Resolution(outcome=Outcome.ERROR, confidence=0.0, reason=str(error))
        if pointed.target is None:
            new = self._workspace.snapshot(target.repository, target.commit)
            return resolve_folder(snapshot, new, item.where.path)
        return self._resolved(base, target, pointed.target, pointed.watch)

    def _resolved(
        self, base: Revision, target: Revision, place: Target, watch: Watch
    ) -> Resolution:
        """Finds a place again, or remembers what was found before."""
        asked = Asked(str(place), watch)
        remembered = self._remembered(base, target)
        resolution = remembered.get(asked)
        if resolution is None:
            resolver = self._workspace.resolver(base, target)
            resolution = resolver.resolve(place, watch)
            if resolution.outcome is Outcome.GONE and place.start:
                # A line may be but the beginning of a statement, too short to be found elsewhere.
                snapshot = self._workspace.snapshot(base.repository, base.commit)
                whole = whole_statement(snapshot, place)
                wider = resolver.resolve(whole, watch) if whole else resolution
                if wider.outcome is not Outcome.ERROR:
                    resolution = wider
            remembered.put(asked, resolution)
        return resolution

    def _remembered(self, base: Revision, target: Revision) -> Remembered:
        pair = (base, target)
        if pair not in self._answers:
            self._answers[pair] = Remembered(self._workspace.cache_folder, base, target)
        return self._answers[pair]

    def save(self) -> None:
        """Remembers the answers found since the last time."""
        for remembered in self._answers.values():
            remembered.save()
        self._answers.clear()

    def require_a_target(self) -> None:
        """Raises what is wrong with the ref if no upstream has it."""
        targets = [self._target(name) for name in self._upstreams]
        errors = [target for target in targets if isinstance(target, AnnotError)]
        if errors and len(errors) == len(targets):
            raise errors[0]

    def newest(self, upstream: str) -> Revision | None:
        """The commit checked against; none if it is not at hand."""
        target = self._target(upstream)
        return target if isinstance(target, Revision) else None

    @property
    def targets(self) -> list[Revision]:
        """The commits checked against."""
        return [target for target in self._targets.values() if isinstance(target, Revision)]

    def _resolve_branch(self, item: Found, target: Revision) -> tuple[Resolution, Revision]:
        sources = self._workspace.sources(item.where.upstream)
        return resolve_branch_link(
            self._workspace,
            sources,
            item.where.path,
            item.mention,
            target,
            self.known.paths,
            self._resolved,
        )

    def _knows_branch(self, where: Where, target: Revision) -> bool:
        """Whether the tree at the target can speak for a branch: always, if it has the path."""
        paths = self.known.paths(target)
        if where.path in paths.files or paths.has_folder(where.path):
            return True
        usual = {self._upstreams[where.upstream].branch, "HEAD", "main", "master"}
        return not where.fork and (where.ref in usual or where.revision is not None)

    def _missing(self, where: Where) -> tuple[str, str]:
        """Why a permalink could not be checked, and how to get what it needs."""
        reason = f"{where.ref} of {where.upstream} is not at hand"
        described = self._upstreams[where.upstream]
        if is_version(where.ref) and described.package:
            version = where.ref.removeprefix("v")
            return reason, f"annot sync {where.upstream} --releases {version}"
        return reason, f"annot sync {where.upstream} --from git --history"

    def _target(self, upstream: str) -> Revision | AnnotError:
        if upstream not in self._targets:
            try:
                self._targets[upstream] = self._workspace.revision(upstream, self._ref)
            except AnnotError as error:
                self._targets[upstream] = error
        return self._targets[upstream]

    def describe(self) -> Iterator[UpstreamCheck]:
        """What was compared with what."""
        for name, target in self._targets.items():
            if isinstance(target, AnnotError):
                continue
            yield UpstreamCheck(
                name=name,
                requested=self._ref,
                commit=target.repository.upstream_commit(target.commit),
                label=target.label,
                source=str(target.repository.path),
                pin="",
                baseline="each link's own ref",
                baseline_source="",
                exact=True,
            )


def _unplaced(result: MentionResult, reason: str, hint: str) -> MentionResult:
    resolution = Resolution(outcome=Outcome.SKIPPED, confidence=0.0, reason=reason)
    return replace(result, resolution=resolution, hint=hint)


def _notice(item: Found) -> str:
    if item.where.is_branch:
        lines = item.mention.lines is not None
        return f"{item.where.ref} is a branch: " + (
            "its lines are not those of the day the note was written"
            if lines
            else "what the link shows changes without a word"
        )
    if item.where.fork:
        return f"{item.where.fork} is a copy or fork"
    return ""


def _without_lines(resolution: Resolution) -> Resolution:
    """A whole file is cited without lines."""
    old, new = resolution.old, resolution.new
    return replace(
        resolution,
        old=replace(old, start=0, end=0) if old else None,
        new=replace(new, start=0, end=0) if new else None,
    )


def _link(target: Revision, web: str, resolution: Resolution) -> str:
    place = resolution.new
    return target.permalink(web, place.path, place.start, place.end) if place else ""
