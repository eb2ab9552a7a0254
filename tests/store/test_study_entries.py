"""Sessions, records and ticks on disk."""

import json

import pytest

from annotator.model.failures import UserMistake
from annotator.model.session import Ticks
from annotator.store.problems import ProblemsFound
from annotator.store.study_entries import (
    read_experiments,
    read_record,
    read_records,
    read_sessions,
    write_entry,
)
from annotator.store.ticks_file import own_ticks_path, read_ticks, write_ticks

SESSION = {
    "schema": 1,
    "id": "2026-12-05-q01",
    "date": "2026-12-05",
    "minutes": 60,
    "questions": [1],
}


def write(folder, data, name="2026-12-05-q01"):
    path = folder / "sessions" / f"{name}.yaml"
    write_entry(path, folder, "session", data)
    return path


def test_an_entry_is_read_back(tmp_path):
    path = write(tmp_path, SESSION)
    assert path.read_text(encoding="utf-8").startswith(
        "# yaml-language-server: $schema=../schema/session.schema.json\n"
    )
    assert [session.id for session in read_sessions(tmp_path)] == ["2026-12-05-q01"]


def test_an_entry_is_never_overwritten(tmp_path):
    write(tmp_path, SESSION)
    with pytest.raises(UserMistake, match="is there already"):
        write(tmp_path, SESSION)


def test_sessions_come_by_date(tmp_path):
    write(tmp_path, SESSION)
    write(tmp_path, SESSION | {"id": "b", "date": "2026-11-01"}, "zz")
    assert [session.id for session in read_sessions(tmp_path)] == ["b", "2026-12-05-q01"]


def test_the_study_that_came_with_the_program_is_not_written(tmp_path):
    folder = tmp_path / "_study" / "anchors"
    with pytest.raises(UserMistake, match="not yours to write"):
        write(folder, SESSION)
    assert not folder.exists()


def test_a_folder_that_leads_out_of_the_study_is_not_written(tmp_path):
    study, outside = tmp_path / "study", tmp_path / "outside"
    study.mkdir()
    outside.mkdir()
    (study / "sessions").symlink_to(outside)
    with pytest.raises(UserMistake, match="outside the study"):
        write(study, SESSION)
    assert list(outside.iterdir()) == []


def test_all_mistakes_of_all_files_are_told(tmp_path):
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "a.yaml").write_text("schema: 1\nid: a\n", encoding="utf-8")
    (folder / "b.yaml").write_text("schema: 1\nquestion: [1]\n", encoding="utf-8")
    with pytest.raises(ProblemsFound) as found:
        read_sessions(tmp_path)
    told = str(found.value)
    assert "a.yaml:1:1: missing key 'date'" in told
    assert "unknown key 'question'; did you mean 'questions'?" in told


def test_a_study_without_experiments_has_none(tmp_path):
    assert read_experiments(tmp_path).software == {}
    assert read_records(tmp_path) == {}
    with pytest.raises(UserMistake, match="there is no record 'x'"):
        read_record(tmp_path, "x")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("logs: [{fact: gpu.model, pattern: 'a(b', source: s}]", "no regular expression"),
        ("logs: [{fact: gpu.model, pattern: 'ab', source: s}]", "exactly one group"),
        (
            "compatibility: [{when: {a: '=>1'}, needs: {b: '>1'}, note: {en: n}, source: s}]",
            "no version range",
        ),
    ],
)
def test_mistakes_in_experiments_are_explained(tmp_path, line, complaint):
    text = f"schema: 1\nsoftware: {{}}\n{line}\n"
    (tmp_path / "experiments.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ProblemsFound, match=complaint):
        read_experiments(tmp_path)


def test_ticks_are_read_back_sorted(tmp_path):
    path = tmp_path / "deep" / "ticks.json"
    write_ticks(path, Ticks(read={"b": "2026-12-01", "a": "2026-12-02"}))
    assert list(json.loads(path.read_text(encoding="utf-8"))["read"]) == ["a", "b"]
    assert read_ticks(path).read == {"a": "2026-12-02", "b": "2026-12-01"}


@pytest.mark.parametrize("text", ["", "[]", '{"read": 1}', '{"format": "other"}', "[" * 100_000])
def test_what_is_no_file_of_ticks_is_refused(tmp_path, text):
    path = tmp_path / "ticks.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserMistake, match="no file of ticks"):
        read_ticks(path)


def test_each_study_has_ticks_of_its_own(tmp_path):
    assert own_ticks_path(tmp_path / "a") != own_ticks_path(tmp_path / "b")
    assert read_ticks(own_ticks_path(tmp_path)) == Ticks()
