"""A study from nothing: begun, added to, imported, as its user does it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import annotator
from annotator.cli.app import run

POOL = '''\
"""Blocks."""

LIMIT = 3


class BlockPool:
    """Keeps blocks."""

    def touch(self, block):
        """Takes one more reference."""
        if block.ref_cnt == 0:
            self.queue.remove(block)
        block.ref_cnt += 1

    def free_blocks(self, blocks):
        """Gives them back."""
        for block in blocks:
            block.ref_cnt -= 1
        self.queue.extend(blocks)
'''
TREE = {
    "engine/pool.py": POOL,
    "engine/use.py": "from engine.pool import BlockPool\n\nPOOL = BlockPool()\n",
    "README.md": "# Engine\n\nRead me.\n",
    "LICENSE": "Apache License, Version 2.0",
}
LATER = TREE | {"engine/pool.py": POOL.replace("LIMIT = 3\n", "LIMIT = 3\nMORE = 4\n")}


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def engine(make_repository: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # fmt: skip
    """A user's clone of a project with two releases, without a git host."""
    clone = tmp_path / "engine"
    git(tmp_path, "clone", "-q", str(make_repository(TREE, LATER)), str(clone))
    git(clone, "remote", "remove", "origin")
    monkeypatch.chdir(tmp_path)
    return clone


@pytest.fixture
def notes(engine: Path, tmp_path: Path) -> Path:
    """A study of it, begun by machine, pinned at the first release."""
    assert run(["init", "notes", "--repo", str(engine), "--pin", "v1"]) == 0
    return tmp_path / "notes"


def anchors(folder: Path) -> dict[str, str]:
    return {one.anchor.id: one.anchor.target for one in annotator.load(folder).study.anchors}


def test_a_begun_study_works_at_once(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = Path("notes")
    assert run(["init", "notes", "--repo", str(engine), "--pin", "v1"]) == 0
    told = capsys.readouterr().out
    assert "A study of engine, pinned at v1" in told
    assert "annot lock" in told
    assert anchors(notes) == {
        "q01-readme": "README.md",
        "q01-block-pool": "engine/pool.py::BlockPool",
    }
    upstream = annotator.load(notes).study.upstreams["engine"]
    assert (upstream.licence, upstream.web, upstream.pin.release) == ("Apache-2.0", "", "v1")
    study = ["--study", str(notes)]
    for command, code in (("lint", 0), ("lock", 0), ("check", 0), ("sync", 0)):
        assert run([command, *study]) == code, command
    assert run(["show", "1", *study]) == 0
    assert "Keeps blocks." in capsys.readouterr().out


def test_the_check_follows_the_clone_without_a_sync(notes: Path, engine: Path) -> None:
    file = engine / "engine" / "pool.py"
    file.write_text(POOL.replace("ref_cnt += 1", "ref_cnt += 2"), encoding="utf-8")
    study = ["--study", str(notes)]
    assert run(["lock", *study]) == 0
    assert run(["check", *study]) == 0, "what is not committed is not there yet"
    git(engine, "commit", "-q", "-a", "-m", "two at once")
    assert run(["check", *study]) == 1


def test_the_repository_around_the_folder_is_taken(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(engine)
    assert run(["init"]) == 0
    assert anchors(engine)["q01-block-pool"] == "engine/pool.py::BlockPool"
    assert (engine / ".gitignore").read_text(encoding="utf-8").endswith("/build/\n")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--repo", "nowhere"], 2, "neither a folder nor an address"),
        (["--repo", "engine", "--pin", "v9"], 2, "'v9' is no commit"),
        (["--repo", "engine", "--name", "My Project"], 2, "is no id"),
        (["--repo", "file:///nowhere/at/all"], 3, "gives nothing"),
        ([], 2, "name it with --repo"),
    ],
    ids=["no-repository", "no-ref", "no-name", "no-host", "none"],
)
def test_what_cannot_be_begun(
    options: list[str], code: int, said: str, engine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "fresh", *options]) == code
    assert said in capsys.readouterr().err
    assert not Path("fresh").exists()


def test_nothing_is_written_over(notes: Path, engine: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    before = {path: path.read_bytes() for path in notes.rglob("*") if path.is_file()}
    assert run(["init", "notes", "--repo", str(engine)]) == 2
    assert "is there already and not empty" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in notes.rglob("*") if path.is_file()} == before


def test_a_name_stands_for_one_project(
    notes: Path, make_repository: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = make_repository({"a.py": "x = 1\n"})
    assert run(["init", "other", "--repo", str(other), "--name", "engine"]) == 2
    assert "is kept under the name 'engine' already" in capsys.readouterr().err
    assert run(["init", "other", "--repo", str(other), "--name", "engine-2"]) == 0


def test_a_repository_without_any_code(make_repository: Callable[..., Path], tmp_path: Path) -> None:  # fmt: skip
    repo = make_repository({"data.csv": "1,2\n"})
    study = str(tmp_path / "data")
    assert run(["init", study, "--repo", str(repo)]) == 0
    assert anchors(Path(study)) == {"q01-data": "data.csv"}
    assert run(["lint", "--study", study]) == 0
    assert run(["lock", "--study", study]) == 0


def test_files_that_no_note_could_name_are_passed_over(make_repository: Callable[..., Path], tmp_path: Path) -> None:  # fmt: skip
    repo = make_repository({'"a\\033[31m.py"': POOL, "z.csv": "1,2\n"})
    study = str(tmp_path / "data")
    assert run(["init", study, "--repo", str(repo)]) == 0
    assert anchors(Path(study)) == {"q01-z": "z.csv"}


# ---- annot add


@pytest.mark.parametrize(
    ("position", "id_", "target", "exact"),
    [
        ("engine/pool.py:12", "q01-touch", "engine/pool.py::BlockPool.touch", "self.queue.remove(block)"),
        ("engine/pool.py:17-18", "q01-free-blocks", "engine/pool.py::BlockPool.free_blocks", "for block in blocks:\n    block.ref_cnt -= 1"),
        ("engine/pool.py::BlockPool.touch", "q01-touch", "engine/pool.py::BlockPool.touch", None),
        ("engine/pool.py:9:5", "q01-touch", "engine/pool.py::BlockPool.touch", None),
        ("README.md#Engine", "q01-engine", "README.md#Engine", None),
    ],
)  # fmt: skip
def test_an_anchor_is_proposed_and_written(
    position: str, id_: str, target: str, exact: str | None, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.chdir(notes)
    file = notes / "anchors" / "route" / "01-first-look.yaml"
    before = file.read_text(encoding="utf-8")
    assert run(["add", position, "--note", "Look here.", "--note", "看这里。"]) == 0
    assert file.read_text(encoding="utf-8") == before, "only shown"
    assert run(["add", position, "--note", "Look here.", "--note", "看这里。", "--write"]) == 0
    added = annotator.load(notes).study.anchors[-1].anchor
    assert (added.id, added.target) == (id_, target)
    assert (added.quote.exact if added.quote else None) == exact
    assert (added.note.zh, added.note.en) == ("看这里。", "Look here.")
    assert file.read_text(encoding="utf-8").startswith(before.rstrip("\n"))
    for command in ("lint", "lock", "check"):
        assert run([command]) == 0, command


def test_a_line_of_an_edited_clone(notes: Path, engine: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    file = engine / "engine" / "pool.py"
    file.write_text("# mine\n# mine too\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    options = ["--study", str(notes), "--note", "N"]
    # At HEAD (v2) there is a line more than at the pin, in the edited file there are two more.
    assert run(["add", f"{file}:15", *options]) == 0
    assert 'exact: "self.queue.remove(block)"' in capsys.readouterr().out
    assert run(["add", f"{file}:1", *options]) == 0
    assert "is not committed yet" in capsys.readouterr().err
    assert run(["add", "engine/pool.py:13", *options, "--commit", "v2"]) == 0
    assert 'exact: "self.queue.remove(block)"' in capsys.readouterr().out
    assert run(["add", "engine/pool.py:4", *options, "--commit", "v2"]) == 2
    assert "MORE of v2 is not, or not clearly, at v1" in capsys.readouterr().err


def test_the_notes_own_repository_is_no_source(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(notes, "init", "-q")
    (notes / "README.md").write_text("# Our notes\n", encoding="utf-8")
    monkeypatch.chdir(notes)
    assert run(["add", "README.md:3", "--note", "N"]) == 0
    assert 'exact: "Read me."' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["engine/pool.py:12"], "say it with --note TEXT"),
        (["engine/pool.py:99", "-n", "N"], "has 19 lines at v1, not 99"),
        (["engine/pol.py:1", "-n", "N"], "did you mean engine/pool.py?"),
        (["/nowhere/x.py:1", "-n", "N"], "there is no file /nowhere/x.py"),
        (["engine/pool.py::BlockPool", "-n", "N"], "q01-block-pool points there already"),
        (["engine/pool.py:12", "-n", "N", "-q", "7"], "the route has no question '7'"),
        (["engine/pool.py:12", "-n", "N", "--id", "q01-readme"], "there is an anchor 'q01-readme'"),
        (["engine/pool.py:12", "-n", "N", "--id", "No Id"], "is no id"),
        (["engine/pool.py:12", "-n", "N", "--upstream", "x"], "no upstream 'x'"),
    ],
)
def test_what_cannot_be_added(
    arguments: list[str], said: str, notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["add", *arguments, "--study", str(notes), "--write"]) == 2
    assert said in capsys.readouterr().err


# ---- annot import

LINK = "https://host.org/owner/engine/blob"
MARKDOWN = f"""\
# Notes on the engine

How we read it.

## How are blocks kept alive?

Before that, a word.

A hit takes a reference: [touch]({LINK}/v1/engine/pool.py#L11-L13). Then [they come
back]({LINK}/v1/engine/pool.py#L17-L19).

- the limit is {LINK}/v2/engine/pool.py#L3
- again [touch]({LINK}/v1/engine/pool.py#L11-L13), from a list

See also [elsewhere](https://host.org/owner/other/blob/v1/a.py#L1).

## 驱逐

整个文件见 [pool][1]，目录见 [engine]({LINK}/v1/engine)。

[1]: {LINK}/v1/engine/pool.py

## The end

No links here.
"""


def test_notes_become_questions(engine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    Path("notes.md").write_text(MARKDOWN, encoding="utf-8")
    assert run(["import", "notes.md", "--into", "study", "--repo", str(engine)]) == 1
    told = capsys.readouterr()
    assert "2 questions with 4 anchors; 1 not placed" in told.out
    assert f"not placed: notes.md:19: {LINK}/v1/engine: engine is a folder" in told.err
    study = annotator.load("study").study
    upstream = study.upstreams["engine"]
    assert (upstream.web, upstream.pin.release) == ("https://host.org/owner/engine", "v1")
    first, second = study.questions
    assert first.question.en == "How are blocks kept alive?"
    assert first.read_first is not None
    assert first.read_first.en == (
        "**Notes on the engine**\n\nHow we read it.\n\nBefore that, a word."
    )
    touch, back, limit = first.anchors
    assert touch.target == "engine/pool.py::BlockPool.touch"
    assert touch.quote is not None
    assert touch.quote.exact.startswith("if block.ref_cnt == 0:")
    assert touch.note.en == "A hit takes a reference: touch.\n\nagain touch, from a list\n\nSee also [elsewhere](https://host.org/owner/other/blob/v1/a.py#L1)."  # fmt: skip
    assert back.note.en == "Then they come\nback."
    assert (limit.target, limit.note.en) == ("engine/pool.py::LIMIT", "the limit is `engine/pool.py::LIMIT`")  # fmt: skip
    assert second.title.zh == "驱逐"
    assert second.anchors[0].note.zh == f"整个文件见 pool，目录见 [engine]({LINK}/v1/engine)。"
    assert second.read_first is not None
    assert "No links here." in (second.read_first.en or "")
    for command in ("lint", "lock"):
        assert run([command, "--study", "study"]) == 0, command
    assert run(["check", "--study", "study"]) == 0
    entries = json.loads(Path("study/anchors/locks/engine.json").read_text("utf-8"))["entries"]
    assert len(entries) == 4


def test_more_notes_come_behind_what_is_there(notes: Path) -> None:
    Path("more.md").write_text("# Blocks\n\n`engine/pool.py:12` removes it.\n", encoding="utf-8")
    assert run(["import", "more.md", "--study", str(notes)]) == 0
    study = annotator.load(notes).study
    assert [(q.number, q.id) for q in study.questions] == [(1, "q01"), (2, "q02")]
    assert study.questions[1].anchors[0].target == "engine/pool.py::BlockPool.touch"
    assert run(["import", "more.md", "--study", str(notes)]) == 0
    assert len(annotator.load(notes).study.questions) == 3


def test_tours_come_back_as_they_went(notes: Path, tmp_path: Path) -> None:
    options = ["--study", str(notes), "--note", "N", "--write"]
    assert run(["add", "engine/pool.py:12", *options]) == 0
    assert run(["export", "codetour", "-o", "tours", "--study", str(notes), "--lang", "en"]) == 0
    assert (
        run(["import", "tours", "--into", "back", "--repo", "engine", "--upstream", "again"]) == 0
    )
    was, now = annotator.load(notes).study.questions[0], annotator.load("back").study.questions[0]
    assert now.title.en == was.title.en
    # A tour has no way to say that a whole file is meant: its first line is.
    assert now.anchors[0].target == "README.md#Engine"
    assert [one.target for one in now.anchors[1:]] == [one.target for one in was.anchors[1:]]
    assert now.anchors[-1].quote == was.anchors[-1].quote


def test_folders_are_searched_but_for_what_is_hidden_or_of_others(notes: Path) -> None:
    for folder in ("mine/sub", "mine/.hidden", "mine/node_modules/x"):
        Path(folder).mkdir(parents=True)
        text = f"# {folder}\n\n`engine/pool.py:12` removes it.\n"
        Path(folder, "a.md").write_text(text, encoding="utf-8")
    step = {"file": "engine/pool.py", "line": 12, "description": "Here."}
    Path("mine/.tours").mkdir()
    tour = json.dumps({"title": "Tour", "steps": [step]})
    Path("mine/.tours/a.tour").write_text(tour, encoding="utf-8")
    assert run(["import", "mine", "--study", str(notes)]) == 0
    titles = [one.title.en for one in annotator.load(notes).study.questions]
    assert titles[1:] == ["Tour", "mine/sub"]


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        (r"^\s*self\.queue\.extend", "free_blocks"),
        (r"block\.ref_cnt \+= 1", "touch"),
        ("nowhere", "touch"),
        ("(", "touch"),
        (r"(\w+\s?)*extend", "touch"),
        (r".*.*.*.*extend", "touch"),
        (r"(s)\1*elf.queue.extend", "touch"),
    ],
    ids=["found", "escaped", "not-found", "not-python's", "nested", "many", "back-reference"],
)
def test_a_tours_line_is_found_by_its_pattern_where_that_ends_soon(
    pattern: str, place: str, notes: Path
) -> None:
    step = {"file": "engine/pool.py", "line": 12, "description": "Here.", "pattern": pattern}
    Path("t.tour").write_text(json.dumps({"title": "T", "steps": [step]}), encoding="utf-8")
    assert run(["import", "t.tour", "--study", str(notes)]) == 0
    (anchor,) = annotator.load(notes).study.questions[1].anchors
    assert anchor.target == f"engine/pool.py::BlockPool.{place}"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.md", "# Nothing\n\nText.\n", "nothing that the notes point at could be placed"),
        (
            "a.md",
            f"# X\n\n{LINK}/v1/engine/gone.py#L3\n",
            "engine/gone.py is not in the tree of v1",
        ),
        ("a.tour", "[]", "this is no CodeTour file"),
        ("a.tour", "{", "this is no CodeTour file"),
        ("a.csv", "1", "neither Markdown nor a CodeTour file"),
    ],
)
def test_what_cannot_be_imported(
    name: str, text: str, said: str, notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(text, encoding="utf-8")
    before = sorted(notes.rglob("*"))
    assert run(["import", name, "--study", str(notes)]) == 2
    assert said in capsys.readouterr().err
    assert sorted(notes.rglob("*")) == before


def test_a_step_of_a_tour_that_is_nowhere_stays_in_the_text(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [
        {"file": "engine/pool.py", "line": 12, "description": "Here."},
        {"file": "engine/gone.py", "line": 3, "description": "It was here."},
    ]
    Path("t.tour").write_text(json.dumps({"title": "T", "steps": steps}), encoding="utf-8")
    assert run(["import", "t.tour", "--study", str(notes)]) == 1
    assert "engine/gone.py:3: no upstream has engine/gone.py" in capsys.readouterr().err
    (anchor,) = annotator.load(notes).study.questions[1].anchors
    assert anchor.note.en == "Here.\n\nIt was here.\n\n`engine/gone.py:3`"


def test_without_source_an_import_is_incomplete(
    make_study: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study('  - {id: q01-a, target: "a.py", note: {en: "N"}}\n')
    note = study / "n.md"
    note.write_text("# A\n\nhttps://example.org/x/other/blob/v1/a.py#L1\n", encoding="utf-8")
    assert run(["import", str(note), "--study", str(study)]) == 2, "of another project"
    note.write_text("# A\n\n`a.py:1` says it.\n", encoding="utf-8")
    assert run(["import", str(note), "--study", str(study)]) == 3
    assert "no source of demo has v1" in capsys.readouterr().err
