"""`annot notes check`: every place that notes point to, against one commit of each upstream."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from annotator.model.failures import AnnotError
from annotator.model.mention import Mention, MentionKind, MentionResult, NotesReport, Piece
from annotator.model.report import UpstreamCheck
from annotator.model.resolution import Place, Resolution
from annotator.model.target import TargetError
from annotator.model.upstream import Upstream
from annotator.model.version import __version__
from annotator.model.words import FailOn, Outcome, Watch
from annotator.notes.reading import Reading, read_note
from annotator.notes.statements import stated_ref
from annotator.tasks.notes.branches import resolve_branch_link
from annotator.tasks.notes.corrections import Citation, corrections
from annotator.tasks.notes.files import NoteFile
from annotator.tasks.notes.folders import resolve_folder
from annotator.tasks.notes.places import Upstreams, Where, dotted_place, pointed_at, whole_statement
from annotator.tasks.remembered import Asked, Remembered
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.refs import is_version

Progress = Callable[[str, int, int], None]
"""Called with what is being checked, how many mentions are done and how many there are."""

DEFAULT_FAIL_ON = (FailOn.WARNING,)


class _Found(NamedTuple):
    """A mention with the ref and path that it names."""

    note: NoteFile
    mention: Mention
    where: Where
    symbol: str = ""
    """Name in the file that a mention without an address means."""


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
        progress: told after each mention.

    Raises:
        UserMistake: if `ref` is unknown in every upstream.
        Incomplete: if there is no source of any upstream.
    """
    checking = _Checking(workspace, upstreams, ref, watch, pin_branches=pin_branches)
    found: list[_Found] = []
    for note in notes:
        found += checking.find(note, at or {})
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
        elsewhere=dict(checking.elsewhere.most_common()),
        fail_on=fail_on,
        fail_on_branch=fail_on_branch,
        warnings=tuple(checking.warnings),
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
        self._known = Upstreams(workspace, upstreams)
        self._targets: dict[str, Revision | AnnotError] = {}
        self._answers: dict[tuple[Revision, Revision], Remembered] = {}
        self.elsewhere = Counter[str]()
        self.warnings: list[str] = []

    # ---- what notes point to

    def find(self, note: NoteFile, at: Mapping[str, str]) -> list[_Found]:
        """The mentions of upstreams in a note."""
        reading = read_note(note.name, note.data)
        if reading.problem:
            self.warnings.append(f"{note.name}: {reading.problem}")
        found: list[_Found] = []
        bare: list[Mention] = []
        for mention in reading.mentions:
            if mention.kind is not MentionKind.LINK:
                bare.append(mention)
            elif (where := self._known.where_link(mention)) is not None:
                found.append(_Found(note, mention, where))
            else:
                self.elsewhere[mention.repository] += 1
        if bare:
            stated = self._stated(reading, found, at)
            bare = [mention for mention in bare if not _repeats_link(mention, found)]
            placed = list(self._placed(note, bare, stated))
            found += placed
            known = {item.mention for item in placed}
            self._warn_of_unstated(note, [one for one in bare if one not in known], stated)
        return sorted(found, key=lambda item: (item.mention.line, item.mention.column))

    def _stated(
        self, reading: Reading, links: Iterable[_Found], at: Mapping[str, str]
    ) -> dict[str, Revision]:
        """By upstream, the version that a note speaks of: as given, as it says, or as all its links have it."""
        refs: dict[str, str] = {}
        for name in self._upstreams:
            linked = {
                link.where.ref
                for link in links
                if link.where.upstream == name and not link.where.is_branch
            }
            only = linked.pop() if len(linked) == 1 else ""
            refs[name] = at.get(name) or stated_ref(reading.text, self._known.names_of(name)) or only
        revisions = {name: self._known.revision(name, ref) for name, ref in refs.items() if ref}
        return {name: revision for name, revision in revisions.items() if revision is not None}

    def _placed(
        self, note: NoteFile, bare: Iterable[Mention], stated: Mapping[str, Revision]
    ) -> Iterator[_Found]:
        """Paths and dotted names that the stated version has; what it does not have may be of anything else."""
        for mention in bare:
            for name, revision in stated.items():
                placed = self._place_bare(mention, revision)
                if placed is not None:
                    path, symbol = placed
                    where = Where(name, revision.ref, path, False, "", revision)
                    yield _Found(note, mention, where, symbol)
                    break

    def _place_bare(self, mention: Mention, revision: Revision) -> tuple[str, str] | None:
        if mention.kind is MentionKind.SYMBOL:
            snapshot = self._workspace.snapshot(revision.repository, revision.commit)
            return next(dotted_place(snapshot, mention.words), None)
        path = self._known.paths(revision).meant(mention.words)
        return (path, mention.symbol) if path else None

    def _warn_of_unstated(
        self, note: NoteFile, bare: Sequence[Mention], stated: Mapping[str, Revision]
    ) -> None:
        for name in self._upstreams.keys() - stated.keys():
            target = self._target(name)
            if isinstance(target, AnnotError):
                continue
            paths = self._known.paths(target)
            count = sum(
                mention.first is not None and "/" in mention.words and bool(paths.meant(mention.words))
                for mention in bare
            )
            if count:
                self.warnings.append(
                    f"{note.name}: {count} line numbers of {name} were not checked, since the note does"
                    f" not say of which version they are; give --at {name}@REF, or write"
                    f" `annot: {name}@REF` in a comment of it"
                )

    # ---- what became of it

    def result(self, item: _Found) -> MentionResult:
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
        self, item: _Found, target: Revision, resolution: Resolution
    ) -> tuple[Piece, ...]:
        if item.where.fork or (item.where.is_branch and not self._pin_branches):
            return ()
        return corrections(item.mention, resolution, Citation.of(target), by_branch=item.where.is_branch)

    def _resolve(self, item: _Found, base: Revision, target: Revision) -> Resolution:
        snapshot = self._workspace.snapshot(base.repository, base.commit)
        mention = item.mention
        if item.symbol and mention.kind is MentionKind.SYMBOL:
            mention = replace(mention, symbol=item.symbol)
        try:
            pointed = pointed_at(
                snapshot, self._known.paths(base), item.where.path, mention, self._watch
            )
        except TargetError as error:
            return Resolution(outcome=Outcome.ERROR, confidence=0.0, reason=str(error))
        if pointed.target is None:
            new = self._workspace.snapshot(target.repository, target.commit)
            return resolve_folder(snapshot, new, item.where.path)
        asked = Asked(str(pointed.target), pointed.watch)
        remembered = self._remembered(base, target)
        resolution = remembered.get(asked)
        if resolution is None:
            resolver = self._workspace.resolver(base, target)
            resolution = resolver.resolve(pointed.target, pointed.watch)
            if resolution.outcome is Outcome.GONE and pointed.target.start:
                # A line may be but the beginning of a statement, too short to be found elsewhere.
                whole = whole_statement(snapshot, pointed.target)
                wider = resolver.resolve(whole, pointed.watch) if whole else resolution
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

    @property
    def targets(self) -> list[Revision]:
        """The commits checked against."""
        return [target for target in self._targets.values() if isinstance(target, Revision)]

    def _resolve_branch(self, item: _Found, target: Revision) -> tuple[Resolution, Revision]:
        sources = self._workspace.sources(item.where.upstream)
        return resolve_branch_link(
            self._workspace, sources, item.where.path, item.mention, target, self._known.paths
        )

    def _knows_branch(self, where: Where, target: Revision) -> bool:
        """Whether the tree at the target can speak for a branch: always, if it has the path."""
        paths = self._known.paths(target)
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


def _repeats_link(mention: Mention, links: Iterable[_Found]) -> bool:
    """Whether a path is but the words of a link on the same line, as in `[a.py:5](https://…/a.py#L5)`."""
    tail = "/" + mention.words.lstrip("./")
    return any(
        link.mention.line == mention.line and f"/{link.where.path}".endswith(tail) for link in links
    )


def _unplaced(result: MentionResult, reason: str, hint: str) -> MentionResult:
    resolution = Resolution(outcome=Outcome.SKIPPED, confidence=0.0, reason=reason)
    return replace(result, resolution=resolution, hint=hint)


def _notice(item: _Found) -> str:
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
