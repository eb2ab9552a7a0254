"""Contents of many files, of which only so much is kept in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from annotator.resolve.lexing import words_of
from annotator.upstream.blobs import Oversize

ROOM = 8 * 2**20
"""Bytes of contents that are kept. With 24 MB a check of a large project took no less time, and 16 MB more."""

ReadBlobs = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]
"""Gives the contents of blobs, by id, in the order asked for; one that is too large as `Oversize`."""


class Contents:
    """Contents of files of one tree, by path.

    Of a file for which there is no room its words are kept, which mostly tell that it need not be read again.

    Args:
        blobs: path to blob id. Files that are too large are left out.
        read: gives contents.
        room: how many bytes to keep.
    """

    def __init__(self, blobs: Mapping[str, str], read: ReadBlobs, room: int = ROOM) -> None:
        self._read = read
        self._room = room
        self._blobs: dict[str, str] = {}
        self._kept: dict[str, bytes] = {}
        self._words: dict[str, bytes] = {}
        for path, (blob, data) in zip(blobs, read(blobs.values()), strict=True):
            if not isinstance(data, Oversize):
                self.put(path, blob, data)

    def __contains__(self, path: str) -> bool:
        return path in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def put(self, path: str, blob: str, data: bytes) -> None:
        """Takes in a file, or another content of one."""
        self.drop(path)
        self._blobs[path] = blob
        if len(data) <= self._room:
            self._room -= len(data)
            self._kept[path] = data
        else:
            self._words[path] = b" %b " % _as_text(data)

    def drop(self, path: str) -> None:
        """Leaves a file out, if it is there."""
        self._blobs.pop(path, None)
        self._words.pop(path, None)
        self._room += len(self._kept.pop(path, b""))

    def of(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Path and content of those files that are there, in the order given."""
        wanted = [path for path in paths if path in self._blobs]
        read = self._read([self._blobs[path] for path in wanted if path not in self._kept])
        for path in wanted:
            yield path, self._kept[path] if path in self._kept else next(read)[1]

    def with_name(self, name: bytes) -> Iterator[tuple[str, bytes]]:
        """Path and content of the files that hold a name, maybe inside of another word."""
        files: Iterable[tuple[str, bytes]] = self._kept.items()
        if self._words:
            marks = [b" %b " % word for word in words_of(name)]
            files = self.of(
                path
                for path in self._blobs
                if path in self._kept or all(mark in self._words[path] for mark in marks)
            )
        return ((path, data) for path, data in files if name in data)

    def words(self) -> dict[str, bytes]:
        """The words of each file as one text: sets of them would take several times the memory."""
        return {
            path: self._words[path] if path in self._words else _as_text(self._kept[path])
            for path in self._blobs
        }


def _as_text(data: bytes) -> bytes:
    return b" ".join(words_of(data))


class RecentContents:
    """Contents of blobs that were read last.

    Args:
        room: how many bytes to keep; the newest is kept in any case.
    """

    def __init__(self, room: int = 2 * ROOM) -> None:
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
