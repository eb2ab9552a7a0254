from pathlib import Path

from annotator.site_pages.group_work import (
    flattened,
    last_closed,
    read_records,
    read_sessions,
)

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


def test_the_last_session_is_the_newest_that_was_closed(tmp_path: Path) -> None:
    closed = SESSION + 'outcome: {closed: "2026-12-02"}\n'
    for name, date, text in (
        ("a", "2026-12-01", closed),
        ("b", "2026-12-03", closed),
        ("c", "2026-12-09", SESSION),
    ):
        own = text.replace("id: s1", f"id: {name}").replace("2026-12-01", date)
        (tmp_path / f"{name}.yaml").write_text(own, encoding="utf-8")
    (tmp_path / "d.yaml").write_text("broken: [", encoding="utf-8")
    last = last_closed(read_sessions(tmp_path))
    assert last is not None
    assert last.id == "b"


def test_a_group_that_never_met_has_no_last_session() -> None:
    assert last_closed([]) is None
