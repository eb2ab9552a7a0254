"""One commit as the resolver sees it: texts and outlines on demand, each read and parsed once."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from annotator.model.symbol import Outline, Symbol
from annotator.outline.cache import OutlineCache
from annotator.outline.engine import language_of
from annotator.outline.text import dedented, encoding_of
from annotator.resolve.contents import RecentContents
from annotator.upstream.repository import Repository


class Snapshot:
    """The tree of one commit.

    Args:
        repository: where its objects are.
        commit: full commit id.
        cache: outlines by blob id, shared between snapshots.
        files: path to blob id, where only some files matter; else the whole tree is listed.
    """

    def __init__(
        self,
        repository: Repository,
        commit: str,
        cache: OutlineCache,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.repository = repository
        self.commit = commit
        self._cache = cache
        self._given = files
        self._data = RecentContents()
        self._outlines: dict[str, Outline] = {}
        self._texts: dict[str, dict[str, str]] = {}
        self._encodings: dict[str, str] = {}

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Path to blob id of every regular file."""
        if self._given is not None:
            return self._given
        return self.repository.tree(self.commit).files

    @cached_property
    def label(self) -> str:
        """A tag of the commit or its short id, for people."""
        tags = self.repository.tags().items()
        return next((tag for tag, commit in tags if commit == self.commit), self.commit[:12])

    def load(self, paths: Iterable[str]) -> None:
        """Reads the given files in one go; soon after that, single reads find them here."""
        wanted = {self.files[path] for path in paths if path in self.files}
        for blob, data in self.repository.read(sorted(wanted - self._data.blobs())):
            self._data.put(blob, data)

    def data(self, path: str) -> bytes:
        """Content of a file.

        Raises:
            KeyError: if the tree has no such file.
        """
        blob = self.files[path]
        if blob not in self._data:
            self.load([path])
        return self._data[blob]

    def outline(self, path: str) -> Outline:
        """Outline of a file of the tree."""
        if path not in self._outlines:
            self.outline_all([path])
        return self._outlines[path]

    def outline_all(self, paths: Iterable[str]) -> None:
        """Outlines several files in one go; later single outlines find them here."""
        wanted = [
            (path, self.files[path])
            for path in dict.fromkeys(paths)
            if path in self.files and path not in self._outlines
        ]
        for path, _, outline in self._cache.outlines(wanted, self._read):
            self._outlines[path] = outline

    def _read(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        blobs = list(blobs)
        known = {blob: self._data[blob] for blob in blobs if blob in self._data}
        for blob, data in self.repository.read([blob for blob in blobs if blob not in known]):
            known[blob] = data
            self._data.put(blob, data)
        return ((blob, known[blob]) for blob in blobs)

    def text(self, path: str, symbol: Symbol) -> str:
        """Dedented text of a symbol."""
        texts = self._texts.setdefault(path, {})
        if symbol.name not in texts:
            data = self.data(path)
            if path not in self._encodings:
                self._encodings[path] = encoding_of(data)
            texts[symbol.name] = dedented(
                data, symbol.start_byte, symbol.end_byte, self._encodings[path]
            )
        return texts[symbol.name]

    def holding(self, blob: str) -> list[str]:
        """Files with the given content, by its blob id."""
        return [path for path, content in self.files.items() if content == blob]

    def added_since(self, base: "Snapshot", suffix: str) -> list[str]:
        """Files of a suffix whose path the baseline does not have."""
        known = base.files
        return [
            path for path in self.files if path.rpartition(".")[2] == suffix and path not in known
        ]

    def language(self, path: str) -> str:
        """Name of the language of a file, empty if it has no outline."""
        return language_of(path)
