"""Contents of many files, kept in memory where they are not too many."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from annotator.resolve.lexing import words_of
from annotator.upstream.blobs import Oversize

ROOM = 48 * 2**20
"""Most bytes of contents that are kept: more than what differs between neighbouring releases of a large project."""
_RECENT = 16 * 2**20

ReadBlobs = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Gives the contents of blobs, by id, in the order asked for; one that is too large as `Oversize`."""


class Contents:
    """Contents of files of one tree, by path.

    They are kept if there is room for all of them. Else only their words are, which mostly tell that a file need not be
    read again.

    Attributes:
        left_out: files that were too large at the start.

    Args:
        blobs: path to blob id.
        read: gives contents.
        room: how many bytes to keep.
    """

    def __init__(self, blobs: Mapping[str, str], read: ReadBlobs, room: int = ROOM) -> None:
        self._read = read
        self._room = room
        self._fits = True
        self._blobs: dict[str, str] = {}
        self._kept: dict[str, bytes] = {}
        self._words: dict[str, bytes] = {}
        self.left_out: list[str] = []
        for path, (blob, data) in zip(blobs, read(blobs.values()), strict=True):
            if isinstance(data, Oversize):
                self.left_out.append(path)
            else:
                self.put(path, blob, data)

    def __contains__(self, path: str) -> bool:
        return path in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def put(self, path: str, blob: str, data: bytes) -> None:
        """Takes in a file, or another content of one."""
        self.drop(path)
        self._blobs[path] = blob
        self._kept[path] = data
        self._room -= len(data)
        self._fits = self._fits and self._room >= 0
        if not self._fits:
            self._words |= {some: b" %b " % _as_text(kept) for some, kept in self._kept.items()}
            self._kept.clear()

    def drop(self, path: str) -> None:
        """Leaves a file out, if it is there."""
        self._blobs.pop(path, None)
        self._words.pop(path, None)
        self._room += len(self._kept.pop(path, b""))

    def of(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Path and content of those files that are there, in the order given."""
        wanted = [path for path in paths if path in self._blobs]
        if self._fits:
            return ((path, self._kept[path]) for path in wanted)
        read = self._read([self._blobs[path] for path in wanted])
        return ((path, data) for path, (_, data) in zip(wanted, read, strict=True))

    def with_name(self, name: bytes) -> Iterator[tuple[str, bytes]]:
        """Path and content of the files that hold a name, maybe inside of another word."""
        files: Iterable[tuple[str, bytes]] = self._kept.items()
        if not self._fits:
            marks = [b" %b " % word for word in words_of(name)]
            files = self.of(
                path for path, words in self._words.items() if all(mark in words for mark in marks)
            )
        return ((path, data) for path, data in files if name in data)

    def words(self) -> dict[str, bytes]:
        """The words of each file as one text: sets of them would take several times the memory."""
        if self._fits:
            return {path: _as_text(data) for path, data in self._kept.items()}
        return self._words


def _as_text(data: bytes) -> bytes:
    return b" ".join(words_of(data))


class RecentContents:
    """Contents of blobs that were read last.

    Args:
        room: how many bytes to keep; the newest is kept in any case.
    """

    def __init__(self, room: int = _RECENT) -> None:
        self._room = room
        self._kept: dict[str, bytes] = {}

    def __contains__(self, blob: str) -> bool:
        return blob in self._kept

    def __getitem__(self, blob: str) -> bytes:
        return self._kept[blob]

    def blobs(self) -> Set[str]:
        """Ids of what is kept."""
        return self._kept.keys()

    def put(self, blob: str, data: bytes) -> None:
        """Takes in a content, and drops as many of the oldest as it takes."""
        self.drop(blob)
        self._kept[blob] = data
        self._room -= len(data)
        while self._room < 0 and len(self._kept) > 1:
            self.drop(next(iter(self._kept)))

    def drop(self, blob: str) -> None:
        """Drops a content, if it is there."""
        self._room += len(self._kept.pop(blob, b""))
