"""Several files changed together: all or none, also when the process is killed in between."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.model.failures import UserMistake
from annotator.store import whole_change
from annotator.store.study_loader import load_study
from annotator.store.whole_change import (
    JOURNAL,
    FileChange,
    apply_together,
    file_change,
    finish,
    is_unfinished,
)

BEFORE = {"a.yaml": "old a\n", "sub/b.yaml": "old b\n", "gone/c.yaml": "old c\n"}
AFTER = {"a.yaml": "new a\n", "sub/b.yaml": "new b\n", "made/d.md": "new d\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in BEFORE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def changes_of(folder: Path) -> list[FileChange]:
    made = [file_change(folder, name, text) for name, text in AFTER.items()]
    return [*made, file_change(folder, "gone/c.yaml", None)]


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_all_are_made_and_nothing_else_is_left(folder):
    apply_together(folder, changes_of(folder))
    assert texts(folder) == AFTER
    assert not (folder / "gone").exists()


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_permissions_stay(folder):
    (folder / "a.yaml").chmod(0o640)
    apply_together(folder, changes_of(folder))
    assert (folder / "a.yaml").stat().st_mode & 0o777 == 0o640


KILLED = """
import os, sys
from pathlib import Path
from annotator.store import whole_change as module
from tests.store.test_whole_change import changes_of
folder, wanted = Path(sys.argv[1]), int(sys.argv[2])
count = 0
def counted(function):
    def call(*arguments, **options):
        global count
        count += 1
        if count == wanted:
            os._exit(9)
        return function(*arguments, **options)
    return call
os.replace = counted(os.replace)
os.fsync = counted(os.fsync)
Path.unlink = counted(Path.unlink)
module.apply_together(folder, changes_of(folder))
print(count)
"""


def run_killed_at(folder: Path, step: int) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), str(step)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("step", range(1, 11))
def test_killed_at_any_step_it_is_all_or_nothing(folder, step):
    """Three drafts and the journal are written through, the journal is in place and its draft goes, then three
    renames, a deletion and the journal's end."""
    done = run_killed_at(folder, step)
    assert done.returncode == 9, done.stderr
    if is_unfinished(folder):
        assert finish(folder) == ("a.yaml", "sub/b.yaml", "made/d.md", "gone/c.yaml")
        assert texts(folder) == AFTER
    else:
        visible = {name: text for name, text in texts(folder).items() if "/." not in f"/{name}"}
        assert visible == BEFORE


def test_the_steps_above_are_all_there_are(folder):
    done = run_killed_at(folder, 99)
    assert (done.returncode, done.stdout.strip()) == (0, "10"), done.stderr


def test_finishing_twice_is_finishing_once(folder):
    run_killed_at(folder, 6)
    assert finish(folder)
    assert finish(folder) == ()


def test_a_half_changed_study_is_not_read(folder):
    (folder / JOURNAL).write_text("{}", encoding="utf-8")
    with pytest.raises(UserMistake, match="interrupted") as told:
        load_study(folder)
    assert "annot pin --finish" in told.value.hint
    with pytest.raises(UserMistake, match="interrupted"):
        apply_together(folder, changes_of(folder))


def test_of_two_at_once_one_has_to_run_again(folder, monkeypatch):
    """The other one's journal comes after the look for one: it must not be lost."""
    changes = changes_of(folder)
    other = folder / JOURNAL
    write_through = whole_change._write_through

    def meanwhile(path, text):
        write_through(path, text)
        other.write_text('{"schema": 1, "steps": []}', encoding="utf-8")

    monkeypatch.setattr(whole_change, "_write_through", meanwhile)
    with pytest.raises(UserMistake, match="another command"):
        apply_together(folder, changes)
    assert other.read_text(encoding="utf-8") == '{"schema": 1, "steps": []}'
    other.unlink()
    assert texts(folder) == BEFORE


def test_what_somebody_else_changed_meanwhile_is_not_overwritten(folder):
    changes = changes_of(folder)
    (folder / "sub" / "b.yaml").write_text("theirs\n", encoding="utf-8")
    with pytest.raises(UserMistake, match=r"b\.yaml was changed in the meantime"):
        apply_together(folder, changes)
    assert texts(folder) == {**BEFORE, "sub/b.yaml": "theirs\n"}


@pytest.mark.parametrize(
    ("journal", "complaint"),
    [
        ("nonsense", "is damaged"),
        ('{"schema": 2, "steps": []}', "is damaged"),
        (json.dumps({"schema": 1, "steps": [{"file": "../x", "draft": ""}]}), "leads out"),
        (json.dumps({"schema": 1, "steps": [{"file": "/etc/x", "draft": ""}]}), "leads out"),
        *(
            (
                json.dumps(
                    {
                        "schema": 1,
                        "steps": [{"file": "a.yaml", "draft": ""}, {"file": name, "draft": ""}],
                    }
                ),
                "cannot be a file",
            )
            for name in ("", "x" * 250, "a\0b", "sub", "a.yaml/b")
        ),
        (
            json.dumps({"schema": 1, "steps": [{"file": "a.yaml", "draft": "../../x"}]}),
            "is damaged",
        ),
    ],
)
def test_a_strangers_journal_reaches_nothing_outside(folder, journal, complaint):
    (folder / JOURNAL).write_text(journal, encoding="utf-8")
    with pytest.raises(UserMistake, match=complaint):
        finish(folder)
    assert texts(folder) == {**BEFORE, JOURNAL: journal}


def test_a_byte_order_mark_stays(folder):
    (folder / "a.yaml").write_bytes("\ufeffold\n".encode())
    apply_together(folder, [file_change(folder, "a.yaml", "new\n")])
    assert (folder / "a.yaml").read_bytes() == "\ufeffnew\n".encode()
