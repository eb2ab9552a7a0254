"""What notes point to: their links, and the paths and names that they read at a version they state."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotator.model.mention import Mention, MentionKind
from annotator.model.upstream import Upstream
from annotator.notes.reading import Reading, read_note
from annotator.notes.statements import stated_ref
from annotator.tasks.notes.files import NoteFile
from annotator.tasks.notes.places import Upstreams, Where, dotted_place
from annotator.tasks.workspace import Revision, Workspace


class Found(NamedTuple):
    """A mention with the ref and path that it names.

    Attributes:
        note: the note.
        mention: the mention.
        where: its ref and path.
        symbol: name in the file that a mention without an address means.
    """

    note: NoteFile
    mention: Mention
    where: Where
    symbol: str = ""


class _Stated(NamedTuple):
    """The version that a note speaks of.

    Attributes:
        revision: its commit.
        is_implied: whether the note does not say so itself, but all its links name it.
    """

    revision: Revision
    is_implied: bool


class NotesReader:
    """Finds the mentions of upstreams in notes.

    Args:
        workspace: open sources.
        known: the upstreams as links name them.
        upstreams: by name.
        at: by upstream, the ref that paths and names without a link are read at, whatever the notes say.
        only_links: whether paths and names without a link are left out.

    Attributes:
        elsewhere: number of source links into repositories that the study does not have.
        warnings: notes that could not be read.
    """

    def __init__(
        self,
        workspace: Workspace,
        known: Upstreams,
        upstreams: Mapping[str, Upstream],
        at: Mapping[str, str],
        *,
        only_links: bool,
    ) -> None:
        self._workspace = workspace
        self._known = known
        self._upstreams = upstreams
        self._at = at
        self._only_links = only_links
        self._unstated: list[tuple[str, str, list[Mention]]] = []
        self.elsewhere = Counter[str]()
        self.warnings: list[str] = []

    def find(self, note: NoteFile) -> list[Found]:
        """The mentions of upstreams in a note, in its order."""
        reading = read_note(note.name, note.data)
        if reading.problem:
            self.warnings.append(f"{note.name}: {reading.problem}")
        found: list[Found] = []
        bare: list[Mention] = []
        for mention in reading.mentions:
            if mention.kind is not MentionKind.LINK:
                bare.append(mention)
            elif (where := self._known.where_link(mention)) is not None:
                found.append(Found(note, mention, where))
            else:
                self.elsewhere[mention.repository] += 1
        if bare and not self._only_links:
            bare = [mention for mention in bare if not _repeats_link(mention, found)]
            stated = self._stated(reading, found)
            placed = list(self._placed(note, bare, stated))
            known = {item.mention for item in placed}
            rest = [mention for mention in bare if mention not in known]
            self._unstated += [
                (note.name, name, rest) for name in self._upstreams if name not in stated
            ]
            found += placed
        return sorted(found, key=lambda item: (item.mention.line, item.mention.column))

    def unstated(self, newest: Callable[[str], Revision | None]) -> Iterator[str]:
        """A warning for each note with line numbers of an upstream but no version that they are of.

        Args:
            newest: gives the commit of an upstream by whose paths its line numbers are told from others.
        """
        for note, name, mentions in self._unstated:
            with_lines = [one for one in mentions if one.first is not None and "/" in one.words]
            revision = newest(name) if with_lines else None
            if revision is None:
                continue
            paths = self._known.paths(revision)
            count = sum(bool(paths.meant(mention.words)) for mention in with_lines)
            if count:
                yield (
                    f"{note}: {count} line numbers of {name} were not checked, since the note does not"
                    f" say of which version they are; give --at {name}@REF, or write"
                    f" `annot: {name}@REF` in a comment of it"
                )

    def _stated(self, reading: Reading, links: Sequence[Found]) -> dict[str, _Stated]:
        """By upstream, the version that a note speaks of: as given, as it says, or as all its links have it."""
        all_links = sum(mention.kind is MentionKind.LINK for mention in reading.mentions)
        stated: dict[str, _Stated] = {}
        for name in self._upstreams:
            said = self._at.get(name) or stated_ref(reading.text, self._known.names_of(name))
            linked = [
                link.where.ref
                for link in links
                if link.where.upstream == name and not link.where.is_branch
            ]
            is_implied = len(set(linked)) == 1 and len(linked) > 1 and 2 * len(linked) > all_links
            ref = said or (linked[0] if is_implied else "")
            revision = self._known.revision(name, ref) if ref else None
            if revision is not None:
                stated[name] = _Stated(revision, is_implied=not said)
        return stated

    def _placed(
        self, note: NoteFile, bare: Sequence[Mention], stated: Mapping[str, _Stated]
    ) -> Iterator[Found]:
        """Paths and dotted names that the stated version has; what it does not have may be of anything else."""
        for mention in bare:
            for name, version in stated.items():
                placed = self._place_bare(mention, version)
                if placed is not None:
                    path, symbol = placed
                    revision = version.revision
                    where = Where(name, revision.ref, path, False, "", revision)
                    yield Found(note, mention, where, symbol)
                    break

    def _place_bare(self, mention: Mention, version: _Stated) -> tuple[str, str] | None:
        revision = version.revision
        if mention.kind is MentionKind.SYMBOL:
            snapshot = self._workspace.snapshot(revision.repository, revision.commit)
            return dotted_place(snapshot, mention.words)
        path = self._known.paths(revision).meant(mention.words, whole=version.is_implied)
        return (path, mention.symbol) if path else None


def _repeats_link(mention: Mention, links: Iterable[Found]) -> bool:
    """Whether a path is but the words of a link on the same line, as in `[a.py:5](https://…/a.py#L5)`."""
    tail = "/" + mention.words.lstrip("./")
    return any(
        link.mention.line == mention.line and f"/{link.where.path}".endswith(tail) for link in links
    )
