"""Places of notes at the baseline: what each pointer of a note becomes, or why it becomes nothing."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from annotator.model.failures import AnnotError, Incomplete, UserMistake
from annotator.model.mention import Mention, MentionKind
from annotator.model.target import Target, TargetError, check_path
from annotator.model.upstream import Upstream
from annotator.outline.engine import HEADED
from annotator.outline.text import decode, split_lines
from annotator.tasks.authoring.pointing import Pointed, point_at_baseline
from annotator.tasks.authoring.sections import Pointer
from annotator.tasks.notes.places import Upstreams
from annotator.tasks.workspace import Revision, Workspace

_LONGEST_PATTERN = 2000
_LONGEST_LINE = 200
"""Characters of a line that a pattern is looked for in."""

_REPEATS = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\d*\})")
_MOST_REPEATS = 3
"""Parts of a pattern that may be of any length: with more of them, or with one inside another, a search may never end."""


class Placed(NamedTuple):
    """A pointer at the baseline of its upstream.

    Attributes:
        upstream: name of the upstream.
        pointed: what is meant there.
        given: the place as the note has it.
        label: the commit that the note has it from, for people.
    """

    upstream: str
    pointed: Pointed
    given: Target
    label: str


class NotPlaced(Exception):
    """A pointer that stays text; the message says why."""


class Elsewhere(Exception):
    """A pointer into no upstream of the study: it stays text, as it was."""


class Placing:
    """Finds what notes point at.

    Args:
        workspace: open sources.
        upstreams: by name.
        ref: commit to read places at that name none, or one that is not at hand; by default the baseline.

    Attributes:
        missing: why some place could not be looked at, if source was missing.
    """

    def __init__(
        self, workspace: Workspace, upstreams: Mapping[str, Upstream], ref: str | None
    ) -> None:
        self._workspace = workspace
        self._upstreams = upstreams
        self._ref = ref
        self._known = Upstreams(workspace, upstreams)
        self._stated: dict[str, Revision] = {}
        self.missing: Incomplete | None = None

    def names_of(self, upstream: str) -> set[str]:
        """What people call an upstream."""
        return self._known.names_of(upstream)

    def state(self, refs: Mapping[str, str]) -> None:
        """Sets the refs, by upstream, that the following paths without a ref are of."""
        found = {name: self._known.revision(name, ref) for name, ref in refs.items() if ref}
        self._stated = {name: revision for name, revision in found.items() if revision}

    def place(self, pointer: Pointer) -> Placed:
        """What a pointer means at the baseline.

        Raises:
            NotPlaced: if that cannot be said.
            Elsewhere: if it points into no upstream.
        """
        try:
            if pointer.mention is None:
                return self._place_step(pointer)
            if pointer.mention.kind is MentionKind.LINK:
                return self._place_link(pointer.mention)
            return self._place_path(pointer.mention)
        except (AnnotError, TargetError) as error:
            self._note_missing(error)
            raise NotPlaced(str(error)) from error

    def _place_link(self, mention: Mention) -> Placed:
        where = self._known.where_link(mention)
        if where is None:
            raise Elsewhere
        source = where.revision
        remark = ""
        if where.is_branch:
            source = self._default(where.upstream)
            remark = f"the link is by branch ({where.ref}); it was read at {source.label}"
        elif source is None and self._ref is not None:
            source = self._workspace.revision(where.upstream, self._ref)
            remark = f"{where.ref} is not at hand; it was read at {source.label}"
        if source is None:
            raise NotPlaced(f"{where.ref} of {where.upstream} is not at hand")
        target = self._target(where.upstream, source, where.path, mention)
        return self._at_baseline(where.upstream, source, target, remark)

    def _place_path(self, mention: Mention) -> Placed:
        """A path with lines or a symbol; a path alone is a manner of speaking."""
        if mention.kind is MentionKind.SYMBOL or not (mention.first or mention.symbol):
            raise Elsewhere
        for name in self._upstreams:
            source = self._stated.get(name) or self._at_hand(name)
            path = self._known.paths(source).meant(mention.words) if source else ""
            if source and path:
                return self._at_baseline(
                    name, source, self._target(name, source, path, mention), ""
                )
        raise Elsewhere

    def _place_step(self, pointer: Pointer) -> Placed:
        assert pointer.target is not None  # noqa: S101 - a pointer has a mention or a target
        target, reason = pointer.target, f"no upstream has {pointer.target.path}"
        for name in self._upstreams:
            source = self._known.revision(name, pointer.ref) if pointer.ref else None
            source = source or self._at_hand(name)
            path = self._known.paths(source).meant(target.path) if source else ""
            if source and path:
                found = self._by_pattern(source, target._replace(path=path), pointer.pattern)
                return self._at_baseline(name, source, found, "")
        raise NotPlaced(reason)

    def _by_pattern(self, source: Revision, target: Target, pattern: str) -> Target:
        """CodeTour looks for a step's pattern first; its line may be of another day."""
        if not _is_quick(pattern) or target.end > target.start:
            return target
        snapshot = self._workspace.snapshot(source.repository, source.commit)
        try:
            expression = re.compile(pattern)
        except (re.error, RecursionError, OverflowError):  # JavaScript's are not quite Python's
            return target
        for line, text in enumerate(split_lines(decode(snapshot.data(target.path))), start=1):
            if expression.search(text[:_LONGEST_LINE]):
                return target._replace(start=line, end=line)
        return target

    def _target(self, name: str, source: Revision, path: str, mention: Mention) -> Target:
        paths = self._known.paths(source)
        if path not in paths.files and paths.has_folder(path):
            raise NotPlaced(f"{path or 'the root'} is a folder; an anchor is at a file")
        target = Target(check_path(path))
        if mention.symbol:
            return target._replace(symbol=mention.symbol)
        if mention.lines is not None:
            return target._replace(start=mention.lines[0], end=mention.lines[1])
        snapshot = self._workspace.snapshot(source.repository, source.commit)
        if mention.fragment and snapshot.language(path) in HEADED:
            return target._replace(symbol=mention.fragment, heading=True)
        return target

    def _at_baseline(self, name: str, source: Revision, target: Target, remark: str) -> Placed:
        base = self._workspace.baseline(name, self._upstreams[name])
        pointed = point_at_baseline(self._workspace, source, base, target)
        if remark:
            pointed = pointed._replace(remarks=(remark, *pointed.remarks))
        return Placed(name, pointed, target, source.label)

    def _at_hand(self, name: str) -> Revision | None:
        """Where places without a ref are read, if its source is at hand."""
        try:
            return self._default(name)
        except AnnotError as error:
            self._note_missing(error)
            return None

    def _note_missing(self, error: Exception) -> None:
        if isinstance(error, Incomplete):
            self.missing = self.missing or error

    def _default(self, name: str) -> Revision:
        if self._ref is not None:
            revision = self._known.revision(name, self._ref)
            if revision is None:
                raise UserMistake(f"{self._ref} of {name} is not at hand")
            return revision
        return self._workspace.baseline(name, self._upstreams[name])


def _is_quick(pattern: str) -> bool:
    """Whether a pattern out of somebody's notes is searched for in a time that can be told."""
    is_nested = (
        re.search(r"\)(?:[*+]|\{)", pattern) is not None or re.search(r"\\\d", pattern) is not None
    )
    return (
        0 < len(pattern) <= _LONGEST_PATTERN
        and not is_nested
        and len(_REPEATS.findall(pattern)) <= _MOST_REPEATS
    )
