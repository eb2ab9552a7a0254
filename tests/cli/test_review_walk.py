"""`annot review` in a terminal: keys in, decisions in files out."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from annotator.cli.app import run
from tests.tasks.test_review import ANCHORS, V1, V2, V3

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
ROOT = Path(__file__).parents[2]
MENU = "q quit"
ASKS = "(empty: not decided):"


@pytest.fixture
def options(make_study: Callable[[str], Path], make_repository: Callable[..., Path]) -> list[str]:
    repository = make_repository(V1, V2, V3, subjects={2: "Rework (#12)"})
    return ["--study", str(make_study(ANCHORS)), "--repo", str(repository)]


def walk(options: Sequence[str], script: Sequence[tuple[str, str]], editor: str = "true") -> tuple[int, str]:  # fmt: skip
    """Runs the review in a terminal; gives each answer once its prompt has come."""
    command = [sys.executable, "-m", "annotator", "review", "--commit", "v2", "--by", "Li Lei"]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "TERM": "xterm", "EDITOR": editor}  # fmt: skip
    child = subprocess.Popen([*command, *options], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True)  # fmt: skip
    os.close(theirs)
    said, seen = "", 0
    waiting = list(script)
    key, sent = "", 0.0
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 0.1)[0]:
            if waiting and waiting[0][0] in said[seen:]:
                seen, sent = len(said), time.monotonic()
                key = waiting.pop(0)[1]
                os.write(ours, key.encode())
            elif len(key) == 1 and seen == len(said) and time.monotonic() - sent > 3:
                # A key that came before the terminal was ready for single keys is lost.
                os.write(ours, key.encode())
                sent = time.monotonic()
            continue
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\]8;[^\x1b]*\x1b\\", "", piece.decode())
    os.close(ours)
    if child.poll() is None and time.monotonic() >= deadline:
        child.kill()
    assert not waiting, said
    return child.wait(timeout=10), said


def reviews(options: Sequence[str]) -> dict[str, str]:
    folder = Path(options[1]) / "anchors/reviews/demo"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.yaml")}


def test_without_a_terminal_it_names_the_other_way(options, capsys):
    assert run(["review", "--commit", "v2", *options]) == 2
    assert "annot accept ANCHOR --reason TEXT" in capsys.readouterr().err


def test_a_whole_review(options):
    """Retires what is gone, accepts, shows commits, edits a note, follows a move."""
    code, said = walk(
        options,
        [
            (MENU, "t"),  # q01-pin is gone: cannot be still true
            ("m names one", "r"),
            (ASKS, "no longer read\r"),
            ("[y/N]:", "y\r"),
            (MENU, "b"),  # q01-g
            ("Rework", "t"),
            (ASKS, "b is 2\r"),
            (MENU, "t"),  # q01-h
            (ASKS, "the number only\r"),
            (MENU, "e"),  # q01-doc
            (ASKS, "names the new words\r"),
            (MENU, "m"),  # q01-f
            ("[1]:", "\r"),
            ("place.]:", "\r"),
        ],
    )
    assert code == 0, said
    assert "it has no clear successor" in said
    found = reviews(options)
    assert found.keys() == {"q01-pin", "q01-g", "q01-h", "q01-doc", "q01-f"}
    assert "retired:" in found["q01-pin"]
    assert "Note on pin" in found["q01-pin"]
    assert "decision: edited" in found["q01-doc"]
    assert 'target: "c.py::f"' in found["q01-f"]
    question = (Path(options[1]) / "anchors/route/01-q.yaml").read_text(encoding="utf-8")
    assert "q01-pin" not in question
    assert "  # the page\n" in question
    assert run(["check", "--commit", "v2", "--fail-on", "moved,changed,gone", *options]) == 0
    assert run(["pin", "v2", *options]) == 0
    log = Path(options[1]) / "anchors/changelogs/demo-v2.md"
    assert "Retired: no longer read" in log.read_text(encoding="utf-8")


def test_it_stops_and_goes_on_where_it_stopped(options):
    code, said = walk(options, [(MENU, "s"), (MENU, "t"), (ASKS, "b is 2\r"), (MENU, "q")])
    assert code == 1
    assert "1 put off, 1 accepted" in said
    assert "4 of 5 anchors left" in said
    assert reviews(options).keys() == {"q01-g"}
    _, said = walk(options, [(MENU, "q")])
    assert "1/4  q01-h" in said, "what was put off comes last"


def test_an_empty_reason_decides_nothing(options):
    code, _ = walk(options, [(MENU, "s"), (MENU, "t"), (ASKS, "\r"), ("", "q")])
    assert code == 1
    assert reviews(options) == {}


def test_a_note_that_mends_the_anchor_needs_no_decision(options, tmp_path):
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys; p = sys.argv[-1]; t = open(p).read();"
        "t = t.replace('target: b.py::pin', 'watch: existence\\n    target: b.py::pin');"
        "open(p, 'w').write(t)",
        encoding="utf-8",
    )
    _, said = walk(options, [(MENU, "e"), (MENU, "q")], editor=f"'{sys.executable}' '{script}'")
    assert "q01-pin is ok now" in said


def test_a_broken_file_is_told_and_can_be_opened_again(options, tmp_path):
    script = tmp_path / "editor.py"
    script.write_text("import sys; open(sys.argv[-1], 'a').write('x: [')", encoding="utf-8")
    _, said = walk(options, [(MENU, "e"), ("01-q.yaml", "q")], editor=f"'{sys.executable}' '{script}'")  # fmt: skip
    assert "the file is not valid any more" in said
