"""From lines of a file to the words of an anchor."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.model.anchor import Quote
from annotator.model.failures import UserMistake
from annotator.model.target import Target, parse_target
from annotator.model.words import Watch
from annotator.tasks.authoring.central import central_definitions
from annotator.tasks.authoring.languages import language_of
from annotator.tasks.authoring.licence import licence_of
from annotator.tasks.authoring.naming import anchor_id, slug
from annotator.tasks.authoring.pointing import Pointed, point_at, point_at_baseline
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder

CODE = """\
import os

LIMIT = 3


@cached
def area(width, height):
    width = abs(width)

    return width * height


class Shape:
    def scale(self, factor):
        return factor * LIMIT

    def scale_all(self, factor):
        # by the same factor
        return factor


if os.environ:
    area(1, 2)
"""
PAGE = "# Guide\n\nIntro.\n\n## Use\n\nCall it.\n\n## Use\n\nAgain.\n"
TREE = {"shapes.py": CODE, "guide.md": PAGE, "odd name:1.py": "x = 1\n"}


@pytest.fixture
def workspace(make_repository: Callable[..., Path]) -> Iterator[Workspace]:
    moved = CODE.replace("import os\n", "import os\nimport sys\n").replace("abs(width)", "+width")
    repo = make_repository(TREE, {"lib/shapes.py": moved, "guide.md": PAGE})
    with Workspace(cache_folder(), repo) as opened:
        yield opened


def pointed(workspace: Workspace, text: str) -> Pointed:
    revision = workspace.revision("demo", "v1")
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    return point_at(snapshot, parse_target(text))


@pytest.mark.parametrize(
    ("lines", "target", "quote"),
    [
        pytest.param("shapes.py:8", "shapes.py::area", "width = abs(width)", id="statement"),
        pytest.param("shapes.py:7", "shapes.py::area", None, id="declaration"),
        pytest.param("shapes.py:6", "shapes.py::area", None, id="decorator"),
        pytest.param("shapes.py:6-10", "shapes.py::area", None, id="whole-function"),
        pytest.param("shapes.py:5-11", "shapes.py::area", None, id="with-blank-lines-around"),
        pytest.param("shapes.py:15", "shapes.py::Shape.scale", "return factor * LIMIT", id="method"),
        pytest.param("shapes.py:18", "shapes.py::Shape.scale_all", "# by the same factor", id="comment"),
        pytest.param("shapes.py:13", "shapes.py::Shape", None, id="class"),
        pytest.param("shapes.py:3", "shapes.py::LIMIT", None, id="constant"),
        pytest.param("shapes.py:1", "shapes.py", "import os", id="import"),
        pytest.param("shapes.py:23", "shapes.py", "area(1, 2)", id="module-level"),
        pytest.param("shapes.py:8-15", "shapes.py::area", "width = abs(width)\n\nreturn width * height", id="runs-on"),
        pytest.param("guide.md:7", "guide.md#Guide > Use", "Call it.", id="section"),
        pytest.param("guide.md:5", "guide.md#Guide > Use", None, id="heading"),
        pytest.param("guide.md:11", "guide.md#Guide > Use#2", None, id="second-of-two-headings"),
        pytest.param("shapes.py::Shape.scale", "shapes.py::Shape.scale", None, id="symbol"),
        pytest.param("guide.md#Guide", "guide.md#Guide", None, id="fragment"),
    ],
)  # fmt: skip
def test_lines_mean_the_innermost_symbol_and_a_quote(
    workspace: Workspace, lines: str, target: str, quote: str | None
) -> None:
    found = pointed(workspace, lines)
    assert str(found.target) == target
    if quote is not None:
        assert found.quote is not None
        assert found.quote.exact == quote


def test_a_whole_file_is_watched_for_its_existence(workspace: Workspace) -> None:
    assert pointed(workspace, "shapes.py") == Pointed(Target("shapes.py"), watch=Watch.EXISTENCE)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("shapes.py:99", "has 23 lines at v1, not 99"),
        ("shape.py:1", r"shape.py is not in the tree of v1; did you mean shapes.py\?"),
        ("shapes.py::areas", r"did you mean area\?"),
    ],
)
def test_what_is_not_there_is_told(workspace: Workspace, place: str, said: str) -> None:
    with pytest.raises(UserMistake, match=said):
        pointed(workspace, place)


def test_lines_of_another_commit_are_followed_to_the_baseline(workspace: Workspace) -> None:
    old, new = workspace.revision("demo", "v1"), workspace.revision("demo", "v2")
    found = point_at_baseline(workspace, new, old, Target("lib/shapes.py", start=16, end=16))
    assert (str(found.target), found.quote) == (
        "shapes.py::Shape.scale",
        Quote(exact="return factor * LIMIT"),
    )
    edited = point_at_baseline(workspace, new, old, Target("lib/shapes.py", start=9, end=9))
    assert edited.quote == Quote(exact="width = abs(width)")
    assert "at v1 it reads differently than at v2" in edited.remarks[0]
    with pytest.raises(UserMistake, match="is not in the tree of v2"):
        point_at_baseline(workspace, new, old, Target("odd.py", start=1, end=1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BlockPool.touch", "block-pool-touch"),
        ("KVCacheManager", "kv-cache-manager"),
        ("vLLM and XGrammar", "vllm-and-xgrammar"),
        ("get_num_new_tokens", "get-num-new-tokens"),
        ("Prefix caching: how? Why so, and what then?", "prefix-caching-how-why-so"),
        ("前缀缓存", ""),
        ("~operator()", "operator"),
    ],
)
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_ids_say_more_where_less_is_taken() -> None:
    target, taken = Target("a/pool.py", "Pool.free"), set[str]()
    quote = Quote(exact="queue.append(block)")
    ids = []
    for _ in range(4):
        ids.append(anchor_id("q01", target, quote, taken))
        taken.add(ids[-1])
    assert ids == ["q01-free", "q01-pool-free", "q01-free-queue-append-block", "q01-pool-free-queue-append-block"]  # fmt: skip
    assert anchor_id("q01", Target("a/pool.py", "Pool.__init__"), None, set()) == "q01-pool-init"
    assert (
        anchor_id("q01", Target("文.md", "节", heading=True), None, {"q01-place"}) == "q01-place-2"
    )


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Gives the block back.", "en"),
        ("把块归还给队列。", "zh"),
        ("`BlockPool.free_blocks` 把没有 hash 的块插到队头", "zh"),
        ("Frees the blocks of the pool (释放).", "en"),
        ("", "en"),
        ("https://host/前缀缓存 only an address", "en"),
    ],
)
def test_languages_are_told_by_script(text: str, language: str) -> None:
    assert language_of(text) == language


LIBRARY = {
    "pkg/core.py": 'def make_thing(x):\n    """Makes it."""\n    y = x\n    return y\n',
    "pkg/a.py": "from pkg.core import make_thing, bare_thing\n",
    "pkg/b.py": "import pkg.core\npkg.core.make_thing(bare_thing)\n",
    "pkg/c.py": "def bare_thing(x):\n    y = x\n    z = y\n    return z\n",
    "tests/test_a.py": "def test_make():\n    assert 1\n    assert 2\n    assert 3\n",
    "LICENSE": "MIT License\n\nPermission is hereby granted, free of charge,\nto any person obtaining a copy\n",
}


def test_the_documented_definition_that_most_files_name_comes_first(
    make_repository: Callable[..., Path],
) -> None:
    repo = make_repository(LIBRARY, {"a.py": "x = 1\n", "COPYING": "All rights reserved."})
    with Workspace(cache_folder(), repo) as workspace:
        first, second = (workspace.revision("demo", ref) for ref in ("v1", "v2"))
        snapshot = workspace.snapshot(first.repository, first.commit)
        found = central_definitions(snapshot, 3)
        assert [(one.symbol.name, one.files) for one in found] == [
            ("make_thing", 2),
            ("bare_thing", 2),
        ]
        assert licence_of(snapshot) == "MIT"
        bare = workspace.snapshot(second.repository, second.commit)
        assert central_definitions(bare, 3) == []
        assert licence_of(bare) == "NOASSERTION"
