"""Real git repositories and real upstream source for all tests."""

import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

Tree = Mapping[str, str | bytes]
MakeRepository = Callable[..., Path]


def _fast_import(trees: tuple[Tree, ...]) -> bytes:
    stream = []
    for index, tree in enumerate(trees, start=1):
        message = f"tree {index}".encode()
        stream.append(b"commit refs/heads/main\n")
        stream.append(f"committer Test <test@localhost> {1_700_000_000 + index} +0000\n".encode())
        stream.append(b"data %d\n%b\n" % (len(message), message))
        stream.append(b"deleteall\n")
        for path, text in tree.items():
            data = text.encode() if isinstance(text, str) else text
            stream.append(f"M 100644 inline {path}\n".encode())
            stream.append(b"data %d\n%b\n" % (len(data), data))
        tag = f"reset refs/tags/v{index}\nfrom refs/heads/main\n\n"
        stream.append(tag.encode())
    return b"".join(stream)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own cache, language or git settings."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ANNOT_CACHE_DIR", str(folder))
    monkeypatch.setenv("ANNOT_LANG", "en")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(folder / "gitconfig"))


@pytest.fixture
def make_repository(tmp_path: Path) -> Iterator[MakeRepository]:
    """Makes a bare repository with one commit a tree, tagged v1, v2, …, each the child of the last."""
    made = 0

    def make(*trees: Tree) -> Path:
        nonlocal made
        made += 1
        folder = tmp_path / f"upstream-{made}.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
        subprocess.run(
            ["git", "-C", str(folder), "fast-import", "--quiet"],
            input=_fast_import(trees),
            check=True,
        )
        return folder

    yield make
