"""What each baseline makes of a change, on real git repositories."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from row_builder import a_row

from annotator.outline.cache import OutlineCache
from annotator.resolve.snapshot import Snapshot
from annotator.upstream.repository import open_repository
from bench.accuracy.answers import Answer
from bench.accuracy.baselines import Baseline, Pair
from bench.accuracy.baselines.line_log import LineLog
from bench.accuracy.baselines.same_name import RenamedFiles, path_and_name
from bench.accuracy.rows import Row
from bench.git import attributes_setting

Tree = Mapping[str, str]
MakeRepository = Callable[..., Path]

METHOD = "class A:\n    def f(self, a):\n        b = a + 1\n        return b\n\n\n"
REST = "LIMIT = 3\n\n\ndef g(a):\n    return a * 2\n\n\ndef h(a):\n    return a * 4\n"
OLD = {"pkg/__init__.py": "", "pkg/a.py": METHOD + REST}
EDITED = {**OLD, "pkg/a.py": METHOD.replace("+ 1", "+ 2") + REST}
WIDER = {**OLD, "pkg/a.py": METHOD.replace("self, a", "self, a, c") + REST}
SHIFTED = {**OLD, "pkg/a.py": "import os\n\n\n" + METHOD + REST}
RENAMED = {**OLD, "pkg/a.py": METHOD.replace("def f", "def ff") + REST}
MOVED = {"pkg/__init__.py": "", "pkg/b.py": METHOD + REST}
STAYED = "pkg/a.py::A.f"


@pytest.fixture
def pair_of(make_repository: MakeRepository) -> Callable[[Tree], object]:
    @contextmanager
    def pair(new: Tree) -> Iterator[Pair]:
        folder = make_repository(OLD, new)
        with open_repository(folder) as repository, OutlineCache(None) as cache:
            yield Pair(
                Snapshot(repository, repository.resolve("v1"), cache),
                Snapshot(repository, repository.resolve("v2"), cache),
            )

    return pair


def method(name: str = "A.f") -> Row:
    return a_row("unchanged", from_path="pkg/a.py", from_symbol=name)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(SHIFTED, Answer("ok", STAYED), id="lines shifted"),
        pytest.param(EDITED, Answer("changed", STAYED), id="edited"),
        pytest.param(RENAMED, Answer("gone"), id="renamed"),
        pytest.param(MOVED, Answer("gone"), id="file renamed"),
    ],
)
def test_path_and_name(pair_of: Callable[..., object], new: Tree, expected: Answer) -> None:
    with pair_of(new) as pair:
        assert path_and_name(method(), pair) == expected


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(SHIFTED, Answer("ok", STAYED), id="lines shifted"),
        pytest.param(MOVED, Answer("moved", "pkg/b.py::A.f"), id="file renamed"),
    ],
)
def test_renamed_files(pair_of: Callable[..., object], new: Tree, expected: Answer) -> None:
    with pair_of(new) as pair:
        assert RenamedFiles()(method(), pair) == expected


@pytest.mark.parametrize(
    ("new", "name", "expected"),
    [
        pytest.param(SHIFTED, "A.f", Answer("ok", STAYED), id="lines shifted"),
        pytest.param(EDITED, "A.f", Answer("changed", STAYED), id="edited"),
        pytest.param(EDITED, "g", Answer("ok", "pkg/a.py::g"), id="another function edited"),
        pytest.param(RENAMED, "A.f", Answer("gone"), id="renamed"),
        pytest.param(EDITED, "LIMIT", None, id="a constant is no function to git"),
    ],
)
def test_line_log(
    pair_of: Callable[..., object], tmp_path: Path, new: Tree, name: str, expected: Answer | None
) -> None:
    ask: Baseline = LineLog(attributes_setting(tmp_path))
    with pair_of(new) as pair:
        assert ask(method(name), pair) == expected


@pytest.mark.parametrize(
    ("new", "name", "outcome", "changes"),
    [
        pytest.param(WIDER, "A.f", "changed", {"signature"}, id="parameter added"),
        pytest.param(EDITED, "A.f", "ok", set(), id="a body is nothing to griffe"),
        pytest.param(RENAMED, "A.f", "gone", {"deleted"}, id="renamed"),
        pytest.param(MOVED, "A.f", "gone", {"deleted"}, id="file renamed"),
        pytest.param(WIDER, "A", "changed", {"body"}, id="a class changes with its members"),
    ],
)
def test_griffe_check(
    pair_of: Callable[..., object],
    tmp_path: Path,
    new: Tree,
    name: str,
    outcome: str,
    changes: set[str],
) -> None:
    pytest.importorskip("griffe")
    from bench.accuracy.baselines.griffe_check import GriffeCheck

    with pair_of(new) as pair:
        answer = GriffeCheck(tmp_path)(method(name), pair)

    assert answer is not None
    assert (answer.outcome, answer.changes) == (outcome, changes)
