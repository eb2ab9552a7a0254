"""The commands as a user runs them: arguments in; text, JSON and exit code out."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import jsonschema
import pytest
from rich.cells import cell_len

from annotator.cli.app import app, run
from annotator.report.result_schemas import report_schemas

BEFORE = {"a.py": "def f(a):\n    return a\n\n\ndef g(a):\n    return a * 2\n"}
AFTER = {"a.py": "def f(a):\n    return a\n\n\ndef g(a, b):\n    return a * b\n"}
ANCHORS = """\
  - {id: q01-f, target: "a.py::f", note: {zh: "记", en: "Note on f"}}
  - {id: q01-g, target: "a.py::g", note: {zh: "记", en: "Note on g"}}
"""


@pytest.fixture
def study(make_study: Callable[[str], Path], make_repository: Callable[..., Path]) -> list[str]:
    """Options for a study with two anchors, of which the second drifts from v1 to v2."""
    return ["--study", str(make_study(ANCHORS)), "--repo", str(make_repository(BEFORE, AFTER))]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--commit", "v1"], 0),
        (["--commit", "v2"], 1),
        (["--commit", "HEAD"], 1),
        (["--commit", "HEAD~1"], 0),
        (["--commit", "v2", "--fail-on", "gone"], 0),
        (["--commit", "v2", "--fail-on", "none"], 0),
        (["--commit", "v2", "--fail-on", "nonsense"], 2),
        (["--commit", "no-such-ref"], 2),
        (["--commit", "--upload-pack=touch"], 2),
        (["--commit", "0" * 40], 3),
        (["--question", "7"], 2),
        (["--upstream", "nobody"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_check_exit_code(options: list[str], code: int, study: list[str]) -> None:
    assert run(["check", *study, *options]) == code


def test_check_table_says_what_changed(
    study: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", *study, "--commit", "v2"])
    shown = capsys.readouterr().out
    assert "~ changed" in shown
    assert "q01-g" in shown
    assert "+b" in shown
    assert "q01-f" not in shown, "anchors that are ok are only counted"
    assert "2 anchors: 1 ok, 1 changed" in shown


def test_check_json_matches_its_published_schema(
    study: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report.json"
    code = run(["check", *study, "--commit", "v2", "--format", "json", "-o", str(output)])
    report = json.loads(output.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(report_schemas()["check"]).validate(report)
    assert report["exit_code"] == code == 1
    assert report["summary"] == {"ok": 1, "changed": 1}
    drifted = report["anchors"][1]
    assert drifted["new_link"].startswith("https://example.org/demo/blob/")
    assert drifted["new_link"].endswith("/a.py#L5-L6")
    assert capsys.readouterr().out == ""


def test_an_anchor_that_cannot_be_placed_makes_the_check_incomplete(
    make_study: Callable[[str], Path], make_repository: Callable[..., Path]
) -> None:
    folder = make_study(ANCHORS + '  - {id: q01-x, target: "a.py::x", note: {en: "N"}}\n')
    repo = make_repository(BEFORE, AFTER)
    assert run(["check", "--study", str(folder), "--repo", str(repo), "--commit", "v2"]) == 3


def test_without_any_source_the_next_step_is_named(
    make_study: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "--study", str(make_study(ANCHORS))]) == 3
    assert "annot sync demo" in capsys.readouterr().err


def test_mistakes_in_files_are_all_named_with_their_place(
    make_study: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_study(
        '  - {id: Q1, target: "a.py::f", note: {en: "N"}}\n'
        '  - {id: q01-b, target: "/abs.py", nots: {en: "N"}}\n'
    )
    assert run(["lint", "--study", str(folder)]) == 2
    told = capsys.readouterr().err
    for expected in ("01-q.yaml:8:10: ", "'Q1' is no id", "unknown key 'nots'", "is absolute"):
        assert expected in told


def test_reviewed_baseline_is_quiet_until_the_next_change(
    make_study: Callable[[str], Path], make_repository: Callable[..., Path]
) -> None:
    folder = make_study(ANCHORS)
    again = {"a.py": AFTER["a.py"].replace("a * b", "a * b + 1")}
    repo = make_repository(BEFORE, AFTER, again)
    (folder / "anchors" / "reviews" / "demo").mkdir(parents=True)
    (folder / "anchors" / "reviews" / "demo" / "q01-g.yaml").write_text(
        "schema: 1\nupstream: demo\nanchor: q01-g\naccepted:\n"
        '  - {ref: v2, by: me, date: "2026-11-01", reason: "still true"}\n',
        encoding="utf-8",
    )
    options = ["check", "--study", str(folder), "--repo", str(repo), "--commit"]
    assert run([*options, "v2", "--baseline", "pin"]) == 1
    assert run([*options, "v2"]) == 0
    assert run([*options, "v3"]) == 1


def test_lock_then_check_reads_no_unchanged_file(study: list[str]) -> None:
    lock = Path(study[1]) / "anchors" / "locks" / "demo.json"
    assert run(["lock", *study]) == 0
    entries = json.loads(lock.read_text(encoding="utf-8"))["entries"]
    assert entries["q01-f"]["sureness"] == "exact"
    assert entries["q01-f"]["signature"] == "def f(a)"
    assert (entries["q01-g"]["start"], entries["q01-g"]["end"]) == (5, 6)
    assert run(["check", *study, "--commit", "v1"]) == 0


def test_lock_names_anchors_that_cannot_be_recorded(
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = make_study('  - {id: q01-x, target: "a.py::x", note: {en: "N"}}\n')
    repo = make_repository(BEFORE)
    assert run(["lock", "--study", str(folder), "--repo", str(repo)]) == 2
    assert "route/01-q.yaml:8: q01-x: a.py has no symbol 'x'" in capsys.readouterr().err


def test_where_batch_answers_in_order(
    make_repository: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = tmp_path / "places.jsonl"
    rows = [
        {"id": "1", "from_ref": "v1", "from_path": "a.py", "from_symbol": "g", "to_ref": "v2"},
        {"id": "2", "from_ref": "v9", "from_path": "a.py", "from_symbol": "g", "to_ref": "v2"},
        {"id": "3", "from_ref": "v1", "from_path": "a.py", "from_start": 2, "to_ref": "v2"},
        {"id": "4", "from_path": "../a.py"},
    ]
    batch.write_text("".join(json.dumps(row) + "\n" for row in rows) + "nonsense\n", "utf-8")
    assert run(["where", "--batch", str(batch), "--repo", str(make_repository(BEFORE, AFTER))]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a.get("id"), a["outcome"]) for a in answers] == [
        ("1", "changed"),
        ("2", "error"),
        ("3", "ok"),
        ("4", "error"),
        (None, "error"),
    ]
    assert (answers[2]["symbol"], answers[2]["start"], answers[2]["end"]) == ("f", 2, 2)
    schema = jsonschema.Draft202012Validator(report_schemas()["where"])
    for answer in answers:
        schema.validate(answer)


@pytest.mark.parametrize(
    ("target", "code", "shown"),
    [
        ("a.py::f", 0, "✓ ok"),
        ("a.py::g", 1, "signature: +b"),
        ("a.py:5-6", 1, "~ changed"),
        ("a.py::nothing", 3, "has no symbol 'nothing'"),
        ("../a.py::f", 2, ""),
    ],
)
def test_where(
    target: str,
    code: int,
    shown: str,
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    repo = str(make_repository(BEFORE, AFTER))
    assert run(["where", target, "--from", "v1", "--to", "v2", "--repo", repo]) == code
    assert shown in capsys.readouterr().out


def test_show_prints_note_code_and_difference(
    study: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "q01-g", *study, "--commit", "v2"]) == 0
    shown = capsys.readouterr().out
    for expected in ("Note on g", "5 def g(a):", "-def g(a):", "+def g(a, b):"):
        assert expected in shown


def test_show_of_an_unknown_anchor_names_near_ones(
    study: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "q01-ff", *study]) == 2
    assert "q01-f" in capsys.readouterr().err


def test_list_in_both_languages(study: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["list", *study[:2], "--lang", "zh"])
    run(["list", "1", *study[:2], "--lang", "en"])
    shown = capsys.readouterr().out
    assert "问？" in shown
    assert "Note on g" in shown


def test_upstream_text_cannot_steer_the_terminal(
    make_study: Callable[[str], Path],
    make_repository: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = {"a.py": 'def f(a):\n    return "\x1b[2J[bold]x[/bold]\x07"\n'}
    folder = make_study('  - {id: q01-f, target: "a.py::f", note: {en: "N"}}\n')
    repo = make_repository({"a.py": "def f(a):\n    return 1\n"}, hostile)
    run(["show", "q01-f", "--study", str(folder), "--repo", str(repo), "--commit", "v2"])
    shown = capsys.readouterr().out
    assert "\x07" not in shown
    assert "\x1b[2J" not in shown
    assert "[bold]x[/bold]" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert "_ANNOT_COMPLETE" in capsys.readouterr().out


def commands_below(group: click.Group, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*names, name)
        if isinstance(command, click.Group):
            yield from commands_below(command, (*names, name))


EVERY_COMMAND = list(commands_below(app))


@pytest.mark.parametrize("names", EVERY_COMMAND, ids=" ".join)
def test_every_commands_help_fits_into_a_terminal(
    names: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*names, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert shown.replace("\n", "").isprintable()


@pytest.mark.parametrize("names", EVERY_COMMAND, ids=" ".join)
def test_every_option_says_what_it_does(names: tuple[str, ...]) -> None:
    command: click.Command | None = app
    for name in names:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert [option.opts for option in options if not option.help] == []


@pytest.mark.parametrize("names", EVERY_COMMAND, ids=" ".join)
def test_every_command_or_its_group_has_examples(
    names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    run([*names, "--help"])
    run([names[0], "--help"])
    assert "Examples:" in capsys.readouterr().out
