"""Reads source for the reader, off the screen's thread; one thread, since neither git nor SQLite is shared."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from rich.text import Text

from annotator.model.study import PlacedAnchor, Study
from annotator.reading.reader.code import highlighted
from annotator.tasks.opening import Location, locate_in_clone, work_tree
from annotator.tasks.views import Compared, View, compared_view, pinned_view
from annotator.tasks.workspace import Workspace
from annotator.upstream.repository import open_repository

_T = TypeVar("_T")

_KEPT = 8
"""Files that are kept in colour: neighbouring anchors are often in one file."""


class Page(NamedTuple):
    """A file ready for the screen.

    Attributes:
        view: the file and the place in it.
        lines: its lines in colour.
    """

    view: View
    lines: tuple[Text, ...]


class Source(Protocol):
    """Where the reader gets its pages from."""

    async def page(self, placed: PlacedAnchor) -> Page:
        """The anchor at its baseline."""

    async def compared(self, placed: PlacedAnchor, ref: str) -> Compared:
        """What became of the anchor at another commit."""

    async def location(self, placed: PlacedAnchor) -> Location:
        """Where the anchor is in the user's clone."""


class Loader:
    """Opens sources on first use and keeps them open until `close`.

    Args:
        study: the study.
        cache_folder: folder of the outline cache and of synced sources.
        repo: the user's clone, if one is given.
    """

    def __init__(self, study: Study, cache_folder: Path, repo: Path | None) -> None:
        self._study = study
        self._cache_folder = cache_folder
        self._repo = repo
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="annot-read")
        self._workspace: Workspace | None = None
        self._coloured: dict[tuple[str, str], tuple[Text, ...]] = {}

    async def page(self, placed: PlacedAnchor) -> Page:
        """The anchor at its baseline.

        Raises:
            AnnotError: if it is not there, or no source is at hand.
        """

        def read(workspace: Workspace) -> Page:
            view = pinned_view(workspace, self._study, placed)
            return Page(view, self._colour(view))

        return await self._off_screen(read)

    async def compared(self, placed: PlacedAnchor, ref: str) -> Compared:
        """What became of the anchor at another commit.

        Raises:
            AnnotError: if the commit is unknown, or no source is at hand.
        """

        def read(workspace: Workspace) -> Compared:
            target = workspace.revision(placed.upstream, ref)
            return compared_view(workspace, self._study, placed, target)

        return await self._off_screen(read)

    async def location(self, placed: PlacedAnchor) -> Location:
        """Where the anchor is in the user's clone, at the commit that is checked out there.

        Raises:
            AnnotError: if there is no clone with a working tree, or the anchor is not there.
        """

        def read(workspace: Workspace) -> Location:
            tree = work_tree(self._repo or Path.cwd())
            with open_repository(tree) as repository:
                return locate_in_clone(workspace, self._study, placed, tree, repository)

        return await self._off_screen(read)

    def close(self) -> None:
        """Closes all sources."""
        if self._workspace is not None:
            self._thread.submit(self._workspace.__exit__, None, None, None).result()
        self._thread.shutdown()

    def _colour(self, view: View) -> tuple[Text, ...]:
        key = (view.commit, view.path)
        if key not in self._coloured:
            if len(self._coloured) >= _KEPT:
                del self._coloured[next(iter(self._coloured))]
            self._coloured[key] = highlighted(view.lines, view.language)
        return self._coloured[key]

    async def _off_screen(self, read: Callable[[Workspace], _T]) -> _T:
        def run() -> _T:
            if self._workspace is None:
                self._workspace = Workspace(self._cache_folder, self._repo, self._study)
            return read(self._workspace)

        return await asyncio.wrap_future(self._thread.submit(run))
