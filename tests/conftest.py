"""Real git repositories and real upstream source for all tests."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import hypothesis
import platformdirs
import pytest
from filelock import FileLock

Tree = Mapping[str, str | bytes]
MakeRepository = Callable[..., Path]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="faults and fuzzing in their long form")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Background jobs of a shell inherit it, and so would programs under test: Ctrl-C could not be tested.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Without deadlines: on a loaded machine they would measure its load.
    hypothesis.settings.register_profile("short", deadline=None)
    hypothesis.settings.register_profile("long", max_examples=2000, deadline=None)
    hypothesis.settings.load_profile("long" if config.getoption("--long") else "short")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        skip = pytest.mark.skip(reason="only in the long form: make faults")
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(skip)


@pytest.fixture
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether faults and fuzzing are wanted in their long form."""
    return bool(request.config.getoption("--long"))


def _fast_import(trees: tuple[Tree, ...], subjects: Mapping[int, str]) -> bytes:
    stream = []
    for index, tree in enumerate(trees, start=1):
        message = subjects.get(index, f"tree {index}").encode()
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
    monkeypatch.setenv("ANNOT_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("ANNOT_LANG", "en")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(folder / "gitconfig"))


@pytest.fixture
def make_repository(tmp_path: Path) -> MakeRepository:
    """Makes a bare repository with one commit a tree, tagged v1, v2, …, each the child of the last.

    Subjects of commits can be given by number, from 1.
    """
    made = 0

    def make(*trees: Tree, subjects: Mapping[int, str] | None = None) -> Path:
        nonlocal made
        made += 1
        folder = tmp_path / f"upstream-{made}.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
        subprocess.run(
            ["git", "-C", str(folder), "fast-import", "--quiet"],
            input=_fast_import(trees, subjects or {}),
            check=True,
        )
        return folder

    return make


STUDY_UPSTREAMS = """\
schema: 1
upstreams:
  demo:
    title: Demo
    web: https://example.org/demo
    git: https://example.org/demo.git
    licence: Apache-2.0
    pin: {release: v1, date: "2026-10-23"}
"""


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a study with one question whose anchors are given as YAML list items."""

    def make(anchors: str) -> Path:
        folder = tmp_path / "study"
        (folder / "anchors" / "route").mkdir(parents=True, exist_ok=True)
        (folder / "anchors" / "upstreams.yaml").write_text(STUDY_UPSTREAMS, encoding="utf-8")
        question = (
            "schema: 1\nid: q01\nnumber: 1\nupstream: demo\n"
            'title: {zh: "题", en: "Title"}\nquestion: {zh: "问？", en: "What?"}\n'
            f"anchors:\n{anchors}"
        )
        (folder / "anchors" / "route" / "01-q.yaml").write_text(question, encoding="utf-8")
        return folder

    return make


REAL_RELEASES = {"vllm": "0.28.0,0.32.0,0.33.0", "lmcache": "0.5.5,0.5.6"}


@pytest.fixture(scope="session")
def real_source() -> Path:
    """A cache folder with real releases, imported from the package index once and kept for later runs."""
    folder = platformdirs.user_cache_path("annot-tests", appauthor=False, ensure_exists=True)
    environment = {**os.environ, "ANNOT_CACHE_DIR": str(folder)}
    with FileLock(folder / "tests.lock"):
        for upstream, releases in REAL_RELEASES.items():
            done = subprocess.run(
                [
                    *(sys.executable, "-m", "annotator", "sync", upstream),
                    *("--from", "pypi", "--releases", releases),
                ],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
    return folder
