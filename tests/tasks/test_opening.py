"""`annot open`: the right line of the checked-out commit, in the right editor, without a shell."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.cli.app import run
from annotator.model.failures import UserMistake
from annotator.tasks.opening import editor_command, line_now

BEFORE = {"a.py": "def f(a):\n    return a\n\n\ndef g(a):\n    b = a * 2\n    return b\n"}
AFTER = {
    "src/b.py": "# moved\n\n\ndef f(a):\n    return a\n\n\ndef g(a):\n    b = a * 2\n    return b\n"
}
ANCHORS = """\
  - {id: q01-g, target: "a.py::g", note: {zh: "记", en: "Note on g"}}
  - {id: q01-b, target: "a.py::g", quote: {exact: "b = a * 2"}, note: {zh: "记", en: "Note"}}
"""


@pytest.fixture
def clone(make_repository: Callable[..., Path], tmp_path: Path) -> Path:
    """A clone with a working tree, in which v2 is checked out."""
    folder = tmp_path / "clone with spaces"
    subprocess.run(["git", "clone", "-q", make_repository(BEFORE, AFTER), folder], check=True)
    return folder


@pytest.fixture
def arguments(make_study: Callable[[str], Path], clone: Path) -> list[str]:
    return ["--study", str(make_study(ANCHORS)), "--repo", str(clone)]


def opened(capsys, arguments, anchor="q01-g"):
    code = run(["open", anchor, "--print", *arguments])
    return code, capsys.readouterr()


def test_it_is_found_where_it_is_in_the_clone(arguments, clone, capsys):
    code, said = opened(capsys, arguments)
    assert (code, said.out) == (0, f"{clone / 'src' / 'b.py'}:8\n")


def test_a_quoted_statement_is_gone_to_itself(arguments, clone, capsys):
    assert opened(capsys, arguments, "q01-b")[1].out == f"{clone / 'src' / 'b.py'}:9\n"


def test_an_older_checkout_has_its_own_place(arguments, clone, capsys):
    subprocess.run(["git", "-C", clone, "checkout", "-q", "v1"], check=True)
    assert opened(capsys, arguments)[1].out == f"{clone / 'a.py'}:5\n"


def test_lines_are_those_of_the_edited_file(arguments, clone, capsys):
    file = clone / "src" / "b.py"
    file.write_text("import os\nimport sys\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert opened(capsys, arguments)[1].out == f"{file}:10\n"


def test_a_file_that_is_not_checked_out_is_told(arguments, clone, capsys):
    (clone / "src" / "b.py").unlink()
    code, said = opened(capsys, arguments)
    assert code == 3
    assert "is not in the working tree" in said.err


def test_a_link_out_of_the_clone_is_not_followed(arguments, clone, tmp_path, capsys):
    secret = tmp_path / "secret"
    secret.write_text("x", encoding="utf-8")
    (clone / "src" / "b.py").unlink()
    (clone / "src" / "b.py").symlink_to(secret)
    code, said = opened(capsys, arguments)
    assert code == 2
    assert "link out of the working tree" in said.err


@pytest.mark.parametrize(
    ("repo", "complaint"), [("bare", "no working tree"), ("empty", "no working tree")]
)
def test_it_needs_a_working_tree(make_study, make_repository, tmp_path, capsys, repo, complaint):
    folder = make_repository(BEFORE) if repo == "bare" else tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    code, said = opened(capsys, ["--study", str(make_study(ANCHORS)), "--repo", str(folder)])
    assert code == 2
    assert complaint in said.err


def test_a_question_is_not_one_place(arguments, capsys):
    code, said = opened(capsys, arguments, "1")
    assert code == 2
    assert "q01-g, q01-b" in said.err


def test_the_editor_gets_arguments_and_no_shell_reads_them(arguments, clone, tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    script = tmp_path / "editor.py"
    script.write_text(
        f"import sys; open({str(seen)!r}, 'w').write('\\n'.join(sys.argv[1:]))", encoding="utf-8"
    )
    monkeypatch.setenv("VISUAL", f"'{sys.executable}' '{script}' '$(touch {tmp_path}/pwned)' ;")
    assert run(["open", "q01-g", *arguments]) == 0
    path = str(clone / "src" / "b.py")
    assert seen.read_text().split("\n") == [f"$(touch {tmp_path}/pwned)", ";", path]
    assert not (tmp_path / "pwned").exists()


def test_an_editor_that_fails_is_told(arguments, capsys):
    assert run(["open", "q01-g", "--editor", "git", *arguments]) == 3
    assert "ended with exit code" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("vim", ["+7", "F"]),
        ("nvim -R", ["-R", "+7", "F"]),
        ("emacsclient -n", ["-n", "+7", "F"]),
        ("code --wait", ["--wait", "--goto", "F:7"]),
        ("hx", ["F:7"]),
        ("pycharm", ["--line", "7", "F"]),
        ("something-else", ["F"]),
    ],
)
def test_how_editors_are_told_the_line(tmp_path, monkeypatch, named, expected):
    program = tmp_path / named.split()[0]
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    command = editor_command(Path("F"), 7, chosen=named, environment={})
    assert command == [str(program), *expected]


@pytest.mark.parametrize(
    ("chosen", "environment", "program"),
    [
        ("one", {"VISUAL": "two", "EDITOR": "three"}, "one"),
        (None, {"VISUAL": "two", "EDITOR": "three"}, "two"),
        (None, {"EDITOR": "three"}, "three"),
        (None, {}, "code"),
    ],
)
def test_which_editor_is_taken(tmp_path, monkeypatch, chosen, environment, program):
    for name in ("one", "two", "three", "code"):
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    command = editor_command(Path("F"), 1, chosen=chosen, environment=environment)
    assert os.path.basename(command[0]) == program


def test_without_an_editor_it_says_how_to_name_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserMistake) as told:
        editor_command(Path("F"), 1, chosen=None, environment={})
    assert "VISUAL" in told.value.hint
    with pytest.raises(UserMistake, match="'ed' is not installed"):
        editor_command(Path("F"), 1, chosen="ed", environment={})


@given(
    st.lists(st.sampled_from("abcde"), min_size=1), st.lists(st.sampled_from("abcde")), st.data()
)
def test_a_line_of_the_edited_file_is_always_one_that_it_has(committed, edited, data):
    line = data.draw(st.integers(1, len(committed)))
    assert 1 <= line_now(committed, edited, line) <= max(len(edited), 1)


@given(st.lists(st.text(max_size=3), min_size=1, unique=True), st.integers(0, 3), st.data())
def test_lines_put_on_top_shift_every_line(committed, added, data):
    line = data.draw(st.integers(1, len(committed)))
    edited = [f"new line {n}" for n in range(added)] + committed
    assert line_now(committed, edited, line) == line + added
