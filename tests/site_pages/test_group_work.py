from pathlib import Path

from annotator.site_pages.group_work import flattened, read_records, read_sessions

SESSION = """\
schema: 1
id: s1
date: "2026-12-01"
minutes: 90
questions: [1]
plan: [{anchor: q01-a, minutes: 10}]
"""


def test_no_folder_no_documents(tmp_path: Path) -> None:
    assert read_sessions(tmp_path / "sessions") == []


def test_a_session_and_its_handout_are_one_document(tmp_path: Path) -> None:
    (tmp_path / "s1.yaml").write_text(SESSION, encoding="utf-8")
    (tmp_path / "s1.md").write_text("# Title\n\n<!-- annot:read -->\ntext\n", encoding="utf-8")
    (document,) = read_sessions(tmp_path)
    assert document.session is not None
    assert document.session.plan[0].anchor == "q01-a"
    assert document.text.strip() == "text"


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: [", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("schema: 1\n", encoding="utf-8")
    newest, oldest = read_sessions(tmp_path)
    assert "minutes" in newest.problem
    assert oldest.problem
    assert read_records(tmp_path)[0].problem == "", "any YAML is a record"


def test_nested_facts_become_dotted_names() -> None:
    data = {"a": {"b": 1, "c": None}, "d": [1, 2], "e": [{"f": "?"}]}
    assert flattened(data) == [("a.b", "1"), ("a.c", "–"), ("d", "1, 2"), ("e.1.f", "?")]
