"""Histories: several trees in a row, and which commits are said to have changed a place."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from textwrap import indent

import pytest

import annotator
from annotator.cli.app import run
from annotator.model.history import History
from annotator.upstream.folders import cache_folder

PLAIN = "def f(a):\n    x = a + 1\n    y = x * 2\n    return y\n"
EDITED = PLAIN.replace("x * 2", "x * 3")
DOCUMENTED = EDITED.replace("    x =", '    """Doc."""\n    x =')
NEIGHBOUR = "def g(b):\n    return b\n\n\n"
LONG_NEIGHBOUR = "def g(b):\n    c = b\n    return c\n\n\n"

HISTORIES: dict[str, tuple[list[dict[str, str]], list[tuple[str, str, str]]]] = {
    # name: trees, then (commit, outcome, kinds of change) of every step
    "edits above and below do not touch it": (
        [
            {"a.py": NEIGHBOUR + PLAIN},
            {"a.py": LONG_NEIGHBOUR + PLAIN},
            {"a.py": LONG_NEIGHBOUR + PLAIN + "\n\nX = 1\n"},
        ],
        [],
    ),
    "an edit, behind shifted lines": (
        [
            {"a.py": NEIGHBOUR + PLAIN},
            {"a.py": LONG_NEIGHBOUR + PLAIN},
            {"a.py": LONG_NEIGHBOUR + EDITED},
        ],
        [("v3", "changed", "body")],
    ),
    "a docstring is a quiet step": (
        [{"a.py": EDITED}, {"a.py": DOCUMENTED}],
        [("v2", "ok", "docstring")],
    ),
    "appended at the end of the function": (
        [{"a.py": "def f(a):\n    a += 1\n"}, {"a.py": "def f(a):\n    a += 1\n    a += 2\n"}],
        [("v2", "changed", "body")],
    ),
    "a decorator put on top": (
        [{"a.py": PLAIN}, {"a.py": "@cache\n" + PLAIN}],
        [("v2", "changed", "decorators")],
    ),
    "moved, then edited at the new place": (
        [
            {"a.py": NEIGHBOUR + PLAIN},
            {"a.py": NEIGHBOUR, "b.py": PLAIN},
            {"a.py": NEIGHBOUR + "X = 1\n", "b.py": PLAIN},
            {"a.py": NEIGHBOUR, "b.py": EDITED},
        ],
        [("v2", "moved", "moved-file"), ("v4", "changed", "body")],
    ),
    "renamed, moved, edited": (
        [
            {"a.py": NEIGHBOUR + PLAIN},
            {"a.py": NEIGHBOUR + PLAIN.replace("def f", "def h")},
            {"a.py": NEIGHBOUR, "c/d.py": PLAIN.replace("def f", "def h")},
            {"a.py": NEIGHBOUR, "c/d.py": EDITED.replace("def f", "def h")},
        ],
        [("v2", "moved", "renamed"), ("v3", "moved", "moved-file"), ("v4", "changed", "body")],
    ),
    "its class renamed on its own line, then edited": (
        [
            {"a.py": "class C:\n    x = 1\n\n" + indent("\n" + PLAIN, "    ")},
            {"a.py": "class Cache:\n    x = 1\n\n" + indent("\n" + PLAIN, "    ")},
            {"a.py": "class Cache:\n    x = 1\n\n" + indent("\n" + EDITED, "    ")},
        ],
        [("v2", "moved", "renamed"), ("v3", "changed", "body")],
    ),
    "comments behind its end become code of it": (
        [
            {"a.py": PLAIN + "    # y = 5\n\n\nX = 1\n"},
            {
                "a.py": PLAIN.replace("    return y\n", "    return y\n    yield 5\n")
                + "\n\nX = 1\n"
            },
        ],
        [("v2", "changed", "body")],
    ),
    "the comment above it becomes a decorator": (
        [{"a.py": "# cached\n" + PLAIN}, {"a.py": "@cached\n" + PLAIN}],
        [("v2", "changed", "decorators")],
    ),
    "a twin appears above, then it is edited": (
        [
            {"a.py": "Y = 1\n\n\nZ = 2\n\n\n" + PLAIN},
            {"a.py": "def f(z):\n    return 0\n\n\nY = 1\n\n\nZ = 2\n\n\n" + PLAIN},
            {"a.py": "def f(z):\n    return 0\n\n\nY = 1\n\n\nZ = 2\n\n\n" + EDITED},
        ],
        [("v3", "changed", "body")],
    ),
    "gone": (
        [{"a.py": NEIGHBOUR + PLAIN}, {"a.py": NEIGHBOUR + EDITED}, {"a.py": NEIGHBOUR}],
        [("v2", "changed", "body"), ("v3", "gone", "deleted")],
    ),
    "changed and changed back": (
        [{"a.py": PLAIN}, {"a.py": EDITED}, {"a.py": PLAIN}],
        [("v2", "changed", "body"), ("v3", "changed", "body")],
    ),
}


@pytest.mark.parametrize(("trees", "expected"), HISTORIES.values(), ids=HISTORIES.keys())
def test_steps(
    trees: list[dict[str, str]],
    expected: list[tuple[str, str, str]],
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    repo = make_repository(*trees)
    name = "C.f" if "class C:" in trees[0]["a.py"] else "f"
    assert (
        run(["trace", f"a.py::{name}", "--from", "v1", "--repo", str(repo), "--format", "json"])
        == 0
    )
    history = json.loads(capsys.readouterr().out)
    steps = [
        (step["label"], step["outcome"], " ".join(change["kind"] for change in step["changes"]))
        for step in history["steps"]
    ]
    assert steps == expected


def traced(repo: Path, end: str = "main", target: str = "a.py::f", start: str = "v1") -> History:
    return annotator.trace(target, start=start, end=end, repo=repo)


@pytest.mark.parametrize("trees", [trees for trees, _ in HISTORIES.values()], ids=HISTORIES.keys())
def test_a_trace_that_goes_on_is_the_one_in_one_go(
    trees: list[dict[str, str]], make_repository: Callable[..., Path]
) -> None:
    repo = make_repository(*trees)
    name = "a.py::C.f" if "class C:" in trees[0]["a.py"] else "a.py::f"
    ends = [f"v{number}" for number in range(1, len(trees) + 1)]
    in_pieces = [traced(repo, end, name) for end in ends]
    shutil.rmtree(cache_folder())
    assert traced(repo, ends[-1], name) == in_pieces[-1]
    assert traced(repo, ends[0], name) == in_pieces[0], "what came later is not told earlier"


@pytest.mark.parametrize("kept", [None, 5, 0.5, "text", b"", b"[1]", b"\xff"], ids=repr)
def test_a_kept_way_that_is_damaged_costs_time_only(
    kept: object, make_repository: Callable[..., Path]
) -> None:
    repo = make_repository({"a.py": PLAIN}, {"a.py": EDITED}, {"a.py": DOCUMENTED})
    expected = traced(repo, "v3")
    with closing(sqlite3.connect(cache_folder() / "histories.sqlite")) as database, database:
        changed = database.execute("UPDATE followed SET followed = ?", (kept,)).rowcount
        database.execute("DELETE FROM answers")
    assert changed == 1
    assert traced(repo, "v3") == expected


def test_the_end_is_where_the_place_is_at_the_end(make_repository: Callable[..., Path]) -> None:
    """Commits that do not touch it have moved its lines since the last that did."""
    repo = make_repository(
        {"a.py": NEIGHBOUR + PLAIN},
        {"a.py": NEIGHBOUR + EDITED},
        {"a.py": LONG_NEIGHBOUR + EDITED},
        {"b.py": LONG_NEIGHBOUR + EDITED},
    )
    for end, path, line in (
        ("v1", "a.py", 5),
        ("v2", "a.py", 5),
        ("v3", "a.py", 6),
        ("v4", "b.py", 6),
    ):
        place = traced(repo, end).end
        assert place is not None
        assert (place.path, place.start) == (path, line)
        blob = ["git", "-C", str(repo), "rev-parse", f"{end}:{path}"]
        assert place.blob == subprocess.check_output(blob, text=True).strip()


def test_labels_are_the_tags_of_now(make_repository: Callable[..., Path]) -> None:
    repo = make_repository({"a.py": PLAIN}, {"a.py": EDITED}, {"a.py": DOCUMENTED})
    assert [step.label for step in traced(repo).steps] == ["v2", "v3"]
    for arguments in (["tag", "-d", "v3"], ["tag", "-f", "final", "main"]):
        subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True)
    assert [step.label for step in traced(repo).steps] == ["v2", "final"]


def test_a_clone_without_old_files_fetches_those_it_needs(
    make_repository: Callable[..., Path], tmp_path: Path
) -> None:
    repo = make_repository({"a.py": PLAIN, "b.py": "1"}, {"a.py": EDITED}, {"a.py": DOCUMENTED})
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        subprocess.run(["git", "-C", str(repo), "config", key, "true"], check=True)
    clone = ["git", "clone", "-q", "--bare", "--filter=blob:none", repo.as_uri()]
    partial = tmp_path / "partial.git"
    subprocess.run([*clone, str(partial)], check=True, capture_output=True)
    assert traced(partial).steps == traced(repo).steps
    assert len(traced(partial).steps) == 2


def test_a_page_is_followed_as_a_whole(
    make_repository: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    page = "# Title\n\n" + "".join(f"Line {n} of the page.\n" for n in range(20))
    repo = make_repository(
        {"d/a.md": page, "b.py": ""},
        {"d/a.md": page + "More.\n", "b.py": "x = 1\n"},
        {"e/a.md": page + "More.\n", "b.py": "x = 1\n"},
    )
    run(["trace", "d/a.md", "--from", "v1", "--repo", str(repo), "--format", "json"])
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [(step["label"], step["outcome"]) for step in steps] == [
        ("v2", "changed"),
        ("v3", "moved"),
    ]


def test_the_pull_request_is_named_and_hostile_words_stay_text(
    make_repository: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    subject = "Use | <img src=x> [link](javascript:1) `3` (#123)"
    repo = make_repository({"a.py": PLAIN}, {"a.py": EDITED}, subjects={2: subject})
    options = ["trace", "a.py::f", "--from", "v1", "--repo", str(repo), "--format"]
    run([*options, "json"])
    (step,) = json.loads(capsys.readouterr().out)["steps"]
    assert step["pull_request"] == 123
    assert step["link"].endswith("/pull/123")
    run([*options, "markdown"])
    told = capsys.readouterr().out
    assert "/compare/" in told
    assert "<img" not in told
    assert "](javascript" not in told


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["a.py::f", "--from", "v2", "--to", "v1"], 2, "comes after"),
        (["a.py::nothing", "--from", "v1"], 2, "has no symbol"),
        (["q99-none"], 2, "no question, resource or anchor"),
    ],
    ids=["wrong order", "no symbol", "no anchor"],
)
def test_mistakes(
    options: list[str],
    code: int,
    told: str,
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    repo = make_repository({"a.py": PLAIN}, {"a.py": EDITED})
    assert run(["trace", *options, "--repo", str(repo)]) == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("end", "loaded"), [("v3", "False"), ("v4", "True")], ids=["no commit met it", "one changed it"]
)
def test_libcst_is_loaded_where_a_definition_is_compared(
    end: str,
    loaded: str,
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
) -> None:
    folder = make_study('  - {id: q01-f, target: "a.py::f", note: {en: "N"}}\n')
    repo = make_repository(
        {"a.py": PLAIN},
        {"a.py": NEIGHBOUR + EDITED},
        {"a.py": LONG_NEIGHBOUR + EDITED},
        {"a.py": LONG_NEIGHBOUR + PLAIN},
    )
    options = ["trace", "q01-f", "--study", str(folder), "--repo", str(repo)]
    code = (
        "import sys; from annotator.cli.app import run\n"
        f"assert run({[*options, '--from', 'v2', '--to', end]}) == 0\n"
        "print('libcst' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stdout.splitlines()[-1] == loaded


def test_bisect_names_the_first_commit(
    make_repository: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    repo = make_repository(
        {"a.py": PLAIN}, {"a.py": PLAIN + "X = 1\n"}, {"a.py": EDITED}, {"a.py": DOCUMENTED}
    )
    assert run(["bisect", "a.py::f", "--from", "v1", "--repo", str(repo)]) == 1
    assert "v3  tree 3" in capsys.readouterr().out
    assert run(["bisect", "a.py::f", "--from", "v3", "--repo", str(repo)]) == 0


def test_check_with_blame_names_the_commits(
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = make_study('  - {id: q01-f, target: "a.py::f", note: {en: "N"}}\n')
    repo = make_repository(
        {"a.py": NEIGHBOUR + PLAIN},
        {"a.py": LONG_NEIGHBOUR + PLAIN},
        {"a.py": LONG_NEIGHBOUR, "b.py": PLAIN},
        {"a.py": "", "b.py": EDITED},
        subjects={3: "Move f", 4: "Edit f (#7)"},
    )
    options = ["check", "--study", str(folder), "--repo", str(repo), "--blame"]
    assert run(options) == 1
    shown = capsys.readouterr().out
    assert "v3  Move f" in shown
    assert "v4  Edit f (#7)" in shown
    assert "tree 2" not in shown


def test_a_shallow_clone_says_what_it_cannot_see(
    make_repository: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = make_repository({"a.py": PLAIN}, {"a.py": EDITED}, {"a.py": DOCUMENTED})
    shallow = tmp_path / "shallow"
    for arguments in (
        ["clone", "-q", "--bare", "--depth", "1", f"file://{repo}", str(shallow)],
        ["-C", str(shallow), "fetch", "-q", "--depth", "1", "origin", "refs/tags/v1:refs/tags/v1"],
    ):
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    assert run(["trace", "a.py::f", "--from", "v1", "--repo", str(shallow)]) == 3
    assert "--unshallow" in capsys.readouterr().err
