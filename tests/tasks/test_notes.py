"""Notes with links to a small history: what became of each place, and how links are rewritten."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from annotator.cli.app import run
from annotator.report.formats import FORMATS
from annotator.report.result_schemas import report_schemas

BOX = '''"""A box."""


class Box:
    def put(self, item):
        self.items.append(item)
        self.count += 1
        return self.count

    def take(self):
        self.count -= 1
        return self.items.pop()
'''
OLD = {
    "src/box.py": BOX,
    "src/plain.py": "def same(a):\n    return a + 1\n",
    "src/gone.py": "def lost(alpha, beta):\n    return alpha * beta - 17\n",
    "docs/guide.md": "# Guide\n\n## Putting things in\n\nUse `Box.put`.\n",
    "tools/one.py": "ONE = 1\n",
    "tools/two.py": "TWO = 2\n",
}
NEW = {
    "src/store/box.py": BOX.replace('"""A box."""\n', '"""A box."""\n\nLIMIT = 3\n').replace(
        "self.count -= 1", "self.count = len(self.items) - 1"
    ),
    "src/plain.py": "X = 1\n\n\ndef same(a):\n    return a + 1\n",
    "docs/guide.md": OLD["docs/guide.md"],
    "scripts/one.py": "ONE = 1\n",
    "scripts/two.py": "TWO = 2\n",
}
HUB = "https://github.com/acme/demo/blob"

UPSTREAMS = """\
schema: 1
upstreams:
  demo:
    title: Demo
    web: https://github.com/acme/demo
    git: https://github.com/acme/demo.git
    package: demo
    licence: Apache-2.0
    pin: {release: v1, date: "2026-10-23"}
"""
ANCHOR = '- id: q1-same\n  target: "src/plain.py::same"\n  note: {zh: "注", en: "note"}\n  reason: {zh: "因", en: "why"}\n'


class Notes:
    """A study, an upstream with two commits (v1, v2), and a folder for notes."""

    def __init__(self, folder: Path, study: Path, repository: Path) -> None:
        self.folder = folder
        self.study = study
        self.repository = repository

    def annot(self, *arguments: str) -> int:
        return run(
            ["notes", *arguments, "--study", str(self.study), "--repo", str(self.repository)]
        )

    def check(self, text: str, *options: str, name: str = "a.md") -> list[dict[str, object]]:
        note = self.folder / name
        note.write_text(text, encoding="utf-8")
        output = self.folder / "out.json"
        self.annot("check", str(note), "--commit", "v2", "--format", f"json={output}", *options)
        report = json.loads(output.read_text(encoding="utf-8"))
        self.report = report
        return list(report["results"])

    def commit(self, ref: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.repository), "rev-parse", ref],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()


@pytest.fixture
def notes(
    tmp_path: Path,
    make_repository: Callable[..., Path],
    make_study: Callable[[str], Path],
) -> Notes:
    study = make_study(ANCHOR)
    (study / "anchors" / "upstreams.yaml").write_text(UPSTREAMS, encoding="utf-8")
    folder = tmp_path / "notes"
    folder.mkdir()
    return Notes(folder, study, make_repository(OLD, NEW))


def where(result: dict[str, object]) -> tuple[object, ...]:
    resolution = result["resolution"]
    assert isinstance(resolution, dict)
    new = resolution["new"]
    place = (new["path"], new["start"], new["end"]) if new else None
    return resolution["outcome"], place


PLACES = {
    # name: link behind …/blob/, (outcome, (path, first line, last line))
    "a line that was shifted": ("v1/src/plain.py#L2", ("ok", ("src/plain.py", 5, 5))),
    "a definition that was shifted": ("v1/src/plain.py#L1-L2", ("ok", ("src/plain.py", 4, 5))),
    "a definition and a blank line": (
        "v1/src/box.py#L5-L9",
        ("moved", ("src/store/box.py", 7, 10)),
    ),
    "a statement in a file that moved": (
        "v1/src/box.py#L7",
        ("moved", ("src/store/box.py", 9, 9)),
    ),
    "a method that was edited": (
        "v1/src/box.py#L10-L12",
        ("changed", ("src/store/box.py", 12, 14)),
    ),
    "a file that moved": ("v1/src/box.py", ("moved", ("src/store/box.py", 0, 0))),
    "the end of one definition and most of the next": (
        "v1/src/box.py#L2-L9",
        ("changed", ("src/store/box.py", 6, 14)),
    ),
    "the first line of a file": ("v1/src/box.py#L1", ("moved", ("src/store/box.py", 1, 14))),
    "a file that stayed": ("v1/src/plain.py", ("ok", ("src/plain.py", 0, 0))),
    "a file without a successor": ("v1/src/gone.py#L1", ("gone", None)),
    "a folder that stayed": ("v1/src", ("ok", ("src", 0, 0))),
    "a folder that moved": ("v1/tools", ("moved", ("scripts", 0, 0))),
    "the root": ("v1", ("ok", ("", 0, 0))),
    "a heading": ("v1/docs/guide.md#putting-things-in", ("ok", ("docs/guide.md", 3, 5))),
    "a line behind the end": ("v1/src/plain.py#L99", ("error", None)),
    "a path that never was": ("v1/src/never.py", ("error", None)),
    "a version that is not at hand": ("v7.1/src/plain.py", ("skipped", None)),
    "a commit that is not at hand": ("0123456789abcdef/src/plain.py", ("skipped", None)),
    "a branch, path is there": ("main/src/plain.py", ("ok", ("src/plain.py", 0, 0))),
    "a branch, path went": ("main/src/box.py", ("moved", ("src/store/box.py", 0, 0))),
    "a branch, path is gone": ("main/src/gone.py", ("gone", None)),
    "a branch, lines are too few": ("main/src/plain.py#L99", ("changed", None)),
}


@pytest.mark.parametrize(("link", "wanted"), PLACES.values(), ids=PLACES.keys())
def test_what_became_of_a_link(notes: Notes, link: str, wanted: tuple[object, ...]) -> None:
    (result,) = notes.check(f"see [it]({HUB}/{link}).\n")
    assert where(result) == wanted


def test_a_file_linked_by_branch_is_followed_release_by_release(
    tmp_path: Path, notes: Notes, make_repository: Callable[..., Path]
) -> None:
    lines = [f"line number {number} of the text" for number in range(12)]
    middle = [*(f"another line {number}" for number in range(5)), *lines[5:]]
    last = [*middle[:7], *(f"yet another line {number}" for number in range(5))]
    trees = [
        {name: "\n".join(text) + "\n"}
        for name, text in (("a.txt", lines), ("b.txt", middle), ("c.txt", last))
    ]
    notes.repository = make_repository(*trees)
    (result,) = notes.check(f"{HUB}/main/a.txt\n", "--commit", "v3")
    assert where(result) == ("moved", ("c.txt", 0, 0))


def test_full_and_abbreviated_ids_are_the_commit(notes: Notes) -> None:
    commit = notes.commit("v1")
    text = f"{HUB}/{commit}/src/plain.py#L2 and {HUB}/{commit[:8]}/src/plain.py#L2\n"
    assert {where(result) for result in notes.check(text)} == {("ok", ("src/plain.py", 5, 5))}


def test_what_is_missing_comes_with_the_command_that_gets_it(notes: Notes) -> None:
    release, commit = notes.check(f"{HUB}/v7.1/a.py {HUB}/0123456789abcdef/a.py\n")
    assert release["hint"] == "annot sync demo --releases 7.1"
    assert commit["hint"] == "annot sync demo --from git --history"


def test_links_by_branch_are_flagged_and_can_fail(notes: Notes) -> None:
    (result,) = notes.check(f"{HUB}/main/src/plain.py\n")
    assert result["is_branch"]
    assert notes.report["exit_code"] == 0
    notes.check(f"{HUB}/main/src/plain.py\n", "--fail-on-branch")
    assert notes.report["exit_code"] == 1


def test_a_branch_with_slashes_ends_where_a_path_begins(notes: Notes) -> None:
    (result,) = notes.check(f"{HUB}/releases/1.x/src/plain.py\n")
    assert (result["ref"], result["path"]) == ("releases/1.x", "src/plain.py")


def test_forks_are_told_and_other_repositories_counted(notes: Notes) -> None:
    fork, host = "https://gitee.com/mirrors/demo/blob", "https://github.com/other/thing/blob"
    (result,) = notes.check(f"{fork}/v1/src/plain.py#L2 {host}/v1/a.py\n")
    assert result["fork"] == "mirrors/demo"
    assert where(result) == ("ok", ("src/plain.py", 5, 5))
    assert notes.report["elsewhere"] == {"other/thing": 1}


STATED = {
    "by the note": "Based on Demo v1.\n\n`src/plain.py:2`\n",
    "by a directive": "<!-- annot: demo@v1 -->\n`src/plain.py:2`\n",
    "by all its links": f"`src/plain.py:2`\n\n{HUB}/v1/docs/guide.md {HUB}/v1/src\n",
    "from a folder of a machine": "<!-- annot: demo@v1 -->\n[x](/home/reader/demo/src/plain.py#L2)\n",
}


@pytest.mark.parametrize("text", STATED.values(), ids=STATED.keys())
def test_paths_with_lines_are_read_at_the_stated_version(notes: Notes, text: str) -> None:
    places = [
        where(r) for r in notes.check(text.replace("Demo v1", "Demo commit " + notes.commit("v1")))
    ]
    assert ("ok", ("src/plain.py", 5, 5)) in places


def test_without_a_version_lines_are_not_checked_but_told(notes: Notes) -> None:
    assert notes.check("`src/plain.py:2`\n") == []
    (warning,) = notes.report["warnings"]
    assert "--at demo@REF" in warning
    assert where(notes.check("`src/plain.py:2`\n", "--at", "demo@v1")[0])[0] == "ok"


def test_links_that_imply_a_version_do_not_speak_for_parts_of_paths(notes: Notes) -> None:
    text = f"`plain.py:2` and `other/plain.py:2`\n\n{HUB}/v1/docs/guide.md {HUB}/v1/src\n"
    assert [result["mention"]["kind"] for result in notes.check(text)] == ["link", "link"]  # type: ignore[index]


def test_dotted_names_are_read_at_the_stated_version(notes: Notes) -> None:
    (result,) = notes.check("`src.box.Box.put` and `src.box.Box.nothing`\n", "--at", "demo@v1")
    assert where(result) == ("moved", ("src/store/box.py", 7, 10))


NOTE = (
    "# 笔记\r\n"
    f"[ok]({HUB}/v1/src/plain.py?plain=1#L1-L2) [moved]({HUB}/v1/src/box.py#L7)\r\n"
    f"[changed]({HUB}/v1/src/box.py#L10-L12) [branch]({HUB}/main/src/plain.py)\r\n"
    f"[gone]({HUB}/v1/src/gone.py#L1) https://gitee.com/mirrors/demo/blob/v1/src/plain.py\r\n"
)
FIXED = (
    "# 笔记\r\n"
    f"[ok]({HUB}/v2/src/plain.py?plain=1#L4-L5) [moved]({HUB}/v2/src/store/box.py#L9)\r\n"
    f"[changed]({HUB}/v1/src/box.py#L10-L12) [branch]({HUB}/main/src/plain.py)\r\n"
    f"[gone]({HUB}/v1/src/gone.py#L1) https://gitee.com/mirrors/demo/blob/v1/src/plain.py\r\n"
)


def test_fix_shows_first_and_rewrites_what_is_sure_alone(
    notes: Notes, capsys: pytest.CaptureFixture[str]
) -> None:
    note = notes.folder / "a.md"
    note.write_bytes(NOTE.encode())
    assert notes.annot("fix", str(note), "--commit", "v2") == 1
    assert note.read_bytes() == NOTE.encode()
    assert f"+[ok]({HUB}/v2/src/plain.py?plain=1#L4-L5)" in capsys.readouterr().out
    assert notes.annot("fix", str(note), "--commit", "v2", "--write") == 0
    assert note.read_bytes() == FIXED.encode()
    assert notes.annot("fix", str(note), "--commit", "v2", "--write") == 0
    assert note.read_bytes() == FIXED.encode()


def test_branches_are_pinned_on_demand_where_no_lines_are_named(notes: Notes) -> None:
    note = notes.folder / "a.md"
    text = f"{HUB}/main/src/box.py {HUB}/main/src/plain.py#L1\n"
    note.write_text(text, encoding="utf-8")
    assert notes.annot("fix", str(note), "--commit", "v2", "--write", "--pin-branches") == 0
    pinned = f"{HUB}/v2/src/store/box.py {HUB}/main/src/plain.py#L1\n"
    assert note.read_text(encoding="utf-8") == pinned


def test_a_branch_is_never_cited_but_its_commit(notes: Notes) -> None:
    note = notes.folder / "a.md"
    note.write_text(f"{HUB}/v1/src/plain.py#L1\n", encoding="utf-8")
    assert notes.annot("fix", str(note), "--commit", "main", "--write") == 0
    assert note.read_text(encoding="utf-8") == f"{HUB}/{notes.commit('v2')}/src/plain.py#L4\n"


def test_notebooks_are_rewritten_inside_their_json(notes: Notes) -> None:
    note = notes.folder / "a.ipynb"
    cell = {"cell_type": "markdown", "source": [f'"中" [x]({HUB}/v1/src/box.py#L7)\n']}
    before = json.dumps({"cells": [cell]}).replace("/", r"\/")
    note.write_text(before, encoding="utf-8")
    assert notes.annot("fix", str(note), "--commit", "v2", "--write") == 0
    after = note.read_text(encoding="utf-8")
    (line,) = json.loads(after)["cells"][0]["source"]
    assert line == f'"中" [x]({HUB}/v2/src/store/box.py#L9)\n'
    assert after.startswith(before[:40])


def test_formats_carry_the_place_and_the_correction(notes: Notes) -> None:
    output = notes.folder / "out.sarif"
    text = f"中文 [x]({HUB}/v1/src/box.py#L7)\n"
    notes.check(text, "--format", f"sarif={output}")
    (run_,) = json.loads(output.read_text(encoding="utf-8"))["runs"]
    (result,) = run_["results"]
    assert result["ruleId"] == "note-moved"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (1, 8)
    (change,) = result["fixes"][0]["artifactChanges"]
    inserted = change["replacements"][0]["insertedContent"]["text"]
    assert inserted == "v2/src/store/box.py#L9"


def findings_of(notes: Notes, *names: str) -> dict[str, str]:
    """Ids of what is to be done, by place."""
    output = notes.folder / "out.gitlab"
    notes.annot("check", *names, "--commit", "v2", "--format", f"gitlab={output}")
    issues = json.loads(output.read_text(encoding="utf-8"))
    return {
        f"{one['location']['path']}:{one['location']['lines']['begin']}": one["fingerprint"]
        for one in issues
    }


def test_what_is_found_is_named_alike_everywhere_and_no_two_alike(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes.folder / ".git").mkdir()
    (notes.folder / "sub").mkdir()
    link = f"{HUB}/v1/src/box.py#L10-L12"
    (notes.folder / "sub" / "a.md").write_text(f"{link}\n\n{link}\n", encoding="utf-8")
    monkeypatch.chdir(notes.folder)
    here = findings_of(notes, "sub/a.md")
    assert list(here) == ["sub/a.md:1", "sub/a.md:3"]
    assert len(set(here.values())) == 2
    monkeypatch.chdir(notes.folder / "sub")
    assert findings_of(notes, "a.md") == here


def test_outside_a_repository_a_note_is_called_as_the_user_calls_it(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(notes.folder)
    (notes.folder / "a.md").write_text(f"{HUB}/v1/src/box.py#L10-L12\n", encoding="utf-8")
    assert list(findings_of(notes, "a.md")) == ["a.md:1"]


FORMAT_NAMES = ["json", *FORMATS]


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_every_format_holds_whatever_bytes_a_note_has(notes: Notes, name: str) -> None:
    note, output = notes.folder / "a.md", notes.folder / "out"
    lines = [f"caf\xe9 {HUB}/v1/src/box.py#L7 \xff", f"{HUB}/v1/src/%FF.py", f"{HUB}/main/%1b%FF"]
    note.write_bytes("\r\n".join(lines).encode("latin-1"))
    notes.annot("check", str(note), "--commit", "v2", "--format", f"{name}={output}")
    text = output.read_text(encoding="utf-8")
    assert "box.py" in text
    assert "\x1b" not in text
    if name == "rdjson":
        (moved,) = (one for one in json.loads(text)["diagnostics"] if "suggestions" in one)
        (suggestion,) = moved["suggestions"]
        assert suggestion["range"]["start"]["column"] == note.read_bytes().index(b"v1/") + 1


def test_the_json_form_is_as_published(notes: Notes) -> None:
    notes.check(f"{HUB}/v1/src/box.py#L7 {HUB}/main/src/plain.py {HUB}/v9.0/a.py\n")
    jsonschema.Draft202012Validator(report_schemas()["notes"]).validate(notes.report)


def test_folders_are_searched_for_notes(notes: Notes, capsys: pytest.CaptureFixture[str]) -> None:
    (notes.folder / "sub").mkdir()
    (notes.folder / "sub" / "b.rst").write_text(f"{HUB}/v1/src/plain.py\n", encoding="utf-8")
    (notes.folder / ".hidden").mkdir()
    (notes.folder / ".hidden" / "c.md").write_text(f"{HUB}/v1/src/gone.py\n", encoding="utf-8")
    (notes.folder / "code.py").write_text(f"# {HUB}/v1/src/gone.py\n", encoding="utf-8")
    assert notes.annot("check", str(notes.folder), "--commit", "v2") == 0
    assert "1 ok" in capsys.readouterr().out


MISTAKES = {
    "a path that is not there": ("check", "nowhere.md"),
    "a folder without notes": ("check", "."),
    "a version of no upstream": ("check", "a.md", "--at", "other@v1"),
    "a commit that nobody knows": ("check", "a.md", "--commit", "v99"),
    "a version without a name": ("check", "a.md", "--at", "v1"),
}


@pytest.mark.parametrize("arguments", MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes(
    notes: Notes, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(notes.folder)
    if "a.md" in arguments:
        Path("a.md").write_text("nothing\n", encoding="utf-8")
    assert notes.annot(*arguments) == 2
