"""A resolver between two small trees."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from annotator.tasks.workspace import Workspace

MakeResolution = Callable[..., object]


@pytest.fixture
def workspace_on(
    make_repository: Callable[..., Path], tmp_path: Path
) -> Iterator[Callable[..., Workspace]]:
    """Opens a workspace on a new repository with the given trees."""
    with ExitStack() as stack:

        def open_workspace(*trees: Mapping[str, str | bytes]) -> Workspace:
            repo = make_repository(*trees)
            return stack.enter_context(Workspace(tmp_path / "cache", repo))

        yield open_workspace
