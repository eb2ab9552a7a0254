"""Locks on disk."""

import json
import os
import stat

import pytest

from annotator.model.failures import UserMistake
from annotator.model.lock import Behaviour, Lock, LockEntry
from annotator.store.lock_file import lock_path, read_lock, write_lock


def entry(line, **changes):
    fields = {
        "target": "engine/pool.py::Pool.free",
        "blob": "b" * 40,
        "symbol": "Pool.free",
        "kind": "method",
        "start": line,
        "end": line + 9,
        "signature": "def free(self, 块) -> None",
        "fingerprint": "f" * 16,
        "sureness": "exact",
    }
    return LockEntry.model_validate({**fields, **changes})


@pytest.fixture
def lock():
    return Lock(
        schema=1,
        upstream="engine",
        pin="v1.0.0",
        recorded_from="v1.0.0",
        commit="c" * 40,
        entries={"q02-b": entry(9), "q01-a": entry(5, quote=(6, 7))},
    )


def test_what_is_written_is_read_back(study, lock):
    path = write_lock(study.folder, lock)
    assert path == study.folder / "locks" / "engine.json"
    assert read_lock(study.folder, "engine") == lock


def test_without_a_file_there_is_no_lock(study):
    assert read_lock(study.folder, "engine") is None


def test_the_text_is_the_same_whatever_the_order_and_merges_by_line(study, lock):
    text = write_lock(study.folder, lock).read_bytes().decode()
    turned = lock.model_copy(update={"entries": dict(reversed(lock.entries.items()))})
    assert write_lock(study.folder, turned).read_bytes().decode() == text
    assert text.endswith("}\n")
    assert "\r" not in text
    assert "块" in text
    assert text.index('"q01-a"') < text.index('"q02-b"')
    more = lock.model_copy(update={"entries": {**lock.entries, "q01-b": entry(1)}})
    added = set(write_lock(study.folder, more).read_text(encoding="utf-8").splitlines())
    assert set(text.splitlines()) <= added


def test_a_list_without_anything_nested_is_one_line(study, lock):
    seen = Behaviour(
        version=1,
        tier="source",
        observations={
            "order": [5, 6, 3],
            "steps": [{"calls": ["a b", "块"], "times": 2}],
            "none": {},
        },
    )
    path = write_lock(study.folder, lock.model_copy(update={"behaviour": {"demo/source": seen}}))
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    for line in (
        '"order": [5, 6, 3],',
        '"calls": ["a b", "块"],',
        '"none": {},',
        '"quote": [6, 7],',
    ):
        assert line in lines
    assert read_lock(study.folder, "engine").behaviour == {"demo/source": seen}


def test_the_file_is_replaced_whole_with_its_permissions(study, lock, monkeypatch):
    path = write_lock(study.folder, lock)
    path.chmod(0o640)
    mode = path.stat().st_mode
    before = path.read_bytes()
    changed = lock.model_copy(update={"pin": "v2.0.0"})

    def fail(*_):
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            write_lock(study.folder, changed)
    assert path.read_bytes() == before
    write_lock(study.folder, changed)
    assert path.read_bytes() != before
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(mode)
    assert [file.name for file in path.parent.iterdir()] == ["engine.json"]


def test_an_unchanged_lock_is_not_touched(study, lock):
    path = write_lock(study.folder, lock)
    os.utime(path, (1, 1))
    write_lock(study.folder, lock)
    assert path.stat().st_mtime == 1


@pytest.fixture
def written(study, lock):
    return study, write_lock(study.folder, lock)


def _line_with(text, part):
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


@pytest.mark.parametrize(
    ("old", "new", "part", "message"),
    [
        pytest.param('"q02-b": {', '"q02-b" {', '"q02-b" {', "this is not JSON: Expecting ':' delimiter", id="syntax"),
        pytest.param('"q02-b": {', '"q01-a": {', None, "'q01-a' is there twice", id="entry-twice"),
        pytest.param('"start": 9', '"start": "x"', '"start": "x"', "entries.q02-b.start: Input should be a valid integer", id="type"),
        pytest.param('"start": 9,', "", '"q02-b"', "entries.q02-b.start: Field required", id="missing"),
        pytest.param('"start": 9,', '"start": 9, "lines": 3,', '"lines"', "entries.q02-b.lines: Extra inputs", id="unknown-key"),
        pytest.param('"schema": 1', '"schema": 2', '"schema"', "schema: Input should be 1", id="newer-schema"),
        pytest.param('"upstream": "engine"', '"upstream": "motor"', '"upstream"', "this is the lock of 'motor'", id="of-another-upstream"),
        pytest.param('    "q02-b": {', '<<<<<<< HEAD\n    "q02-b": {', "<<<<<<<", "git's conflict markers are still in the file", id="git-conflict"),
    ],
)  # fmt: skip
def test_damage_is_told_with_its_line_and_the_way_out(written, old, new, part, message):
    study, path = written
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    text = text.replace(old, new)
    path.write_bytes(text.encode())
    line = _line_with(text, part) if part else text[: text.rindex(new)].count("\n") + 1
    with pytest.raises(UserMistake) as caught:
        read_lock(study.folder, "engine")
    assert str(caught.value).startswith(f"anchors/locks/engine.json:{line}: ")
    assert message in str(caught.value)
    assert "annot lock" in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", ":1: this is not JSON", id="empty"),
        pytest.param(b"{\n\xff", ":2: this is not UTF-8 text", id="latin-1"),
        pytest.param(b"[" * 200_000, ":1: this is not", id="deep"),
        pytest.param(b"9" * 5_000, ":1: this is not a lock", id="long-number"),
        pytest.param(b"[]", ":1: this is not a lock", id="list"),
        pytest.param(b"null", ":1: this is not a lock", id="null"),
    ],
)
def test_anything_else_is_refused(study, content, message):
    study.write("locks/engine.json", content.decode("latin-1"))
    lock_path(study.folder, "engine").write_bytes(content)
    with pytest.raises(UserMistake) as caught:
        read_lock(study.folder, "engine")
    assert message in str(caught.value)


def test_links_out_of_the_study_are_neither_read_nor_written(study, lock, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "engine.json").write_text(json.dumps("secret"), encoding="utf-8")
    try:
        (study.folder / "locks").symlink_to(outside, target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(UserMistake, match="outside the study"):
        read_lock(study.folder, "engine")
    with pytest.raises(UserMistake, match="outside the study"):
        write_lock(study.folder, lock)
    assert json.loads((outside / "engine.json").read_text(encoding="utf-8")) == "secret"


def test_a_linked_lock_is_replaced_not_followed(study, lock, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_text("secret", encoding="utf-8")
    path = lock_path(study.folder, "engine")
    path.parent.mkdir()
    try:
        path.symlink_to(outside)
    except OSError:
        pytest.skip("no symbolic links here")
    write_lock(study.folder, lock)
    assert outside.read_text(encoding="utf-8") == "secret"
    assert read_lock(study.folder, "engine") == lock
