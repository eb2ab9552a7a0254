"""Notes of what an answer was read from, so that it can be told when the answer may change."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

AskedText = tuple[str, str, bytes]
"""A baseline's commit, a language and a text."""


@dataclass(slots=True)
class Readings:
    """What of a target was read.

    Attributes:
        files: paths whose content, or absence, was seen.
        names: language and identifier, of which all files naming it were asked for.
        texts: baseline's commit, language and text, of which all files like it were asked for.
        blobs: contents of which all files holding them were asked for.
        added: suffixes of which all files that the baseline lacks were asked for.
        everything: whether something else was read that any commit may change.
    """

    files: set[str] = field(default_factory=set)
    names: set[tuple[str, str]] = field(default_factory=set)
    texts: set[AskedText] = field(default_factory=set)
    blobs: set[str] = field(default_factory=set)
    added: set[str] = field(default_factory=set)
    everything: bool = False

    def add(self, other: "Readings") -> None:
        """Takes in what somebody else read."""
        self.files |= other.files
        self.names |= other.names
        self.texts |= other.texts
        self.blobs |= other.blobs
        self.added |= other.added
        self.everything |= other.everything


class Notebook:
    """Where readings are noted while somebody wants to know of them."""

    def __init__(self) -> None:
        self._open = [Readings()]

    @property
    def now(self) -> Readings:
        """What is to be written into."""
        return self._open[-1]

    @contextmanager
    def noting(self) -> Iterator[Readings]:
        """What is read until the context ends, which whoever notes around it notes too."""
        readings = Readings()
        self._open.append(readings)
        try:
            yield readings
        finally:
            self._open.pop()
            if len(self._open) > 1:
                self.now.add(readings)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """What is read until the context ends is nobody's: it is kept up by who reads it."""
        self._open.append(Readings())
        try:
            yield
        finally:
            self._open.pop()


class NotedFiles(Mapping[str, str]):
    """A tree's files, path to blob id, that notes which of them are looked up.

    Args:
        files: the files; they may change.
        notebook: where to note.
    """

    def __init__(self, files: Mapping[str, str], notebook: Notebook) -> None:
        self._files = files
        self._notebook = notebook

    def __getitem__(self, path: str) -> str:
        self._notebook.now.files.add(path)
        return self._files[path]

    def __contains__(self, path: object) -> bool:
        self._notebook.now.files.add(str(path))
        return path in self._files

    def __iter__(self) -> Iterator[str]:
        self._notebook.now.everything = True
        return iter(sorted(self._files, key=_in_tree_order))

    def __len__(self) -> int:
        self._notebook.now.everything = True
        return len(self._files)


def _in_tree_order(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
