"""Sessions from the plan to the minutes: the handout is written, filled in, and read back."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from annotator.cli.app import run
from annotator.reading.handout import read_handout
from annotator.store.json_schema import json_schemas
from annotator.store.study_entries import read_sessions
from annotator.store.yaml_source import read_yaml


@pytest.fixture
def options(folder, upstream):
    return ["--study", str(folder), "--repo", str(upstream)]


def new_session(options, *more):
    return run(
        [
            "session",
            "new",
            "--questions",
            "1",
            "--date",
            "2026-12-05",
            "--minutes",
            "60",
            *more,
            *options,
        ]
    )


def handout_of(folder, name="2026-12-05-q01"):
    return folder / "sessions" / f"{name}.md"


def tick(path: Path, *ids: str, **reasons: str) -> None:
    text = path.read_text(encoding="utf-8")
    for one in ids:
        assert f"- [ ] `{one}`" in text
        text = text.replace(f"- [ ] `{one}`", f"- [x] `{one}`")
    for one, reason in reasons.items():
        head, _, tail = text.partition(f"`{one.replace('_', '-')}`")
        text = head + f"`{one.replace('_', '-')}`" + tail.replace(": \n", f": {reason}\n", 1)
    path.write_text(text, encoding="utf-8")


def test_a_session_is_a_valid_file_with_a_plan_that_fits_its_time(folder, options):
    assert new_session(options) == 0
    source = read_yaml(folder / "sessions" / "2026-12-05-q01.yaml")
    Draft202012Validator(json_schemas()["session"]).validate(source.data)
    (session,) = read_sessions(folder)
    assert [planned.anchor for planned in session.plan] == ["q01-guide", "q01-touch", "q01-append"]
    assert sum(planned.minutes for planned in session.plan) == 42, "seven tenths of an hour"
    assert len(session.at["demo"]) == 40, "drift is told from this commit on"


@pytest.mark.parametrize(
    "wanted",
    [
        "# 源码阅读 2026-12-05: 1. 题",
        "## 目标",
        "**问？**",
        "## 基准以来的变化",
        "| `q01-touch` | ~ changed | body:",
        "## 阅读计划",
        "- [ ] `q01-touch` 0:",
        "[`pool.py:5-9`](https://example.org/demo/blob/",
        "## 要争论的论断",
        "- [ ] `q01-unlinks` 只有空闲块才摘下。",
        "$ annot probe apc-hash --commit ",
        "$ annot trace q01-touch --from v1",
        "## 记录",
        "$ annot session close 2026-12-05-q01",
    ],
)
def test_a_handout_has_everything(folder, options, wanted):
    new_session(options, "--lang", "zh")
    assert wanted in handout_of(folder).read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_filled_in_comes_back(folder, options, lang):
    new_session(options, "--lang", lang)
    page = handout_of(folder)
    tick(page, "q01-touch", "q01-unlinks", q01_unlinks="null blocks too, see line 7")
    text = page.read_text(encoding="utf-8")
    word = "到场" if lang == "zh" else "Present"
    text = text.replace(f"**{word}**: ", f"**{word}**: Ada, 小明")
    text = text.replace("<!-- annot:minutes -->\n", "<!-- annot:minutes -->\nWe agreed: *ok*.\n")
    page.write_text(text, encoding="utf-8")
    assert run(["session", "close", "--study", str(folder), "--date", "2026-12-06"]) == 0
    (session,) = read_sessions(folder)
    outcome = session.outcome
    assert outcome.closed == "2026-12-06"
    assert outcome.read == ("q01-touch",)
    assert [(d.claim, d.reason) for d in outcome.disputed] == [
        ("q01-unlinks", "null blocks too, see line 7")
    ]
    assert outcome.present == ("Ada", "小明")
    assert outcome.minutes == "We agreed: *ok*."


def test_an_untouched_handout_says_nothing(folder, options):
    new_session(options)
    filled = read_handout(handout_of(folder).read_text(encoding="utf-8"))
    assert filled == ((), (), (), "")


def test_closing_keeps_every_byte_that_people_wrote(folder, options):
    new_session(options)
    file = folder / "sessions" / "2026-12-05-q01.yaml"
    before = file.read_text(encoding="utf-8").replace("minutes: 60", "minutes: 60   # half is talk")
    file.write_text(before, encoding="utf-8")
    assert run(["session", "close", "--read", "all", "--study", str(folder)]) == 0
    assert file.read_text(encoding="utf-8").startswith(before)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--read", "q01-tuch"], "did you mean 'q01-touch'"),
        (["--read", "q02-pool"], "has no anchor 'q02-pool'"),
        (["--disputed", "q01-unlink"], "did you mean 'q01-unlinks'"),
        (["2026-12-06-q01"], "there is no session"),
    ],
    ids=["misspelt", "not in the plan", "no such claim", "no such session"],
)
def test_mistakes_in_closing_are_named_and_change_nothing(
    folder, options, capsys, arguments, complaint
):
    new_session(options)
    assert run(["session", "close", *arguments, "--study", str(folder)]) == 2
    assert complaint in capsys.readouterr().err
    assert read_sessions(folder)[0].outcome is None


def test_a_session_is_closed_once(folder, options, capsys):
    new_session(options)
    close = ["session", "close", "2026-12-05-q01", "--study", str(folder)]
    assert run(close) == 0
    assert run(close) == 2
    assert "was closed on" in capsys.readouterr().err


def test_ticks_of_a_reader_count_for_this_session_only(folder, options, tmp_path):
    new_session(options)
    ticks = tmp_path / "ticks.json"
    read = {"q01-guide": "2026-12-01", "q02-pool": "2026-12-01"}
    ticks.write_text(
        json.dumps({"format": "annot-ticks", "schema": 1, "read": read}), encoding="utf-8"
    )
    assert run(["session", "close", "--ticks", str(ticks), "--study", str(folder)]) == 0
    assert read_sessions(folder)[0].outcome.read == ("q01-guide",)


def test_drift_is_told_since_the_last_session(folder, options):
    new_session(options, "--commit", "v2")
    run(["session", "close", "--read", "all", "--study", str(folder)])
    arguments = ["session", "new", "--questions", "1", "--date", "2026-12-12", *options]
    assert run(arguments) == 0
    text = handout_of(folder, "2026-12-12-q01").read_text(encoding="utf-8")
    assert "What drifted since the last session (2026-12-05-q01)" in text
    assert "`q01-touch` | ~" not in text, "the group has seen v2 already"


def test_what_was_read_is_read_again_only_where_it_drifted(folder, options):
    new_session(options, "--commit", "v1")
    run(["session", "close", "--read", "all", "--study", str(folder)])
    arguments = ["session", "new", "--questions", "1,2", "--date", "2026-12-12", "--unread"]
    assert run([*arguments, *options]) == 0
    session = read_sessions(folder)[1]
    assert [planned.anchor for planned in session.plan] == ["q01-touch", "q02-pool"]


def test_minutes_are_never_overwritten(folder, options, capsys):
    new_session(options)
    (folder / "sessions" / "2026-12-05-q01.yaml").unlink()
    handout_of(folder).write_text("our minutes", encoding="utf-8")
    assert new_session(options) == 2
    assert "it may hold minutes" in capsys.readouterr().err
    assert handout_of(folder).read_text(encoding="utf-8") == "our minutes"


def test_too_little_time_is_refused_with_what_would_do(folder, options, capsys):
    assert run(["session", "new", "--questions", "1,2", "--minutes", "5", *options]) == 2
    assert "take 6 minutes" in capsys.readouterr().err
    assert not (folder / "sessions").exists()


def test_progress_counts_what_closed_sessions_read(folder, options, capsys):
    new_session(options)
    run(
        [
            "session",
            "close",
            "--read",
            "q01-guide",
            "--disputed",
            "q01-unlinks=no",
            "--study",
            str(folder),
        ]
    )
    capsys.readouterr()
    assert run(["session", "progress", "--format", "json", "--study", str(folder)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows == [
        {
            "number": 1,
            "anchors": 3,
            "read": 1,
            "disputed": ["q01-unlinks"],
            "sessions": ["2026-12-05-q01"],
        },
        {"number": 2, "anchors": 1, "read": 0, "disputed": [], "sessions": []},
    ]
    assert run(["session", "list", "--study", str(folder)]) == 0
    assert "1/3" in capsys.readouterr().out


def test_names_from_upstream_cannot_write_markup_into_a_handout(folder, make_repository):
    evil = "a|b](x)<script>alert(1)<_script>`.py"
    body = "def touch(block):\n    block.refs += 1\n    return block\n"
    repository = make_repository({"pool.py": body}, {evil: body})
    question = folder / "route" / "01-q.yaml"
    text = question.read_text(encoding="utf-8").partition("anchors:")[0]
    anchor = '  - {id: q01-f, target: "pool.py::touch", note: {zh: "记", en: "Note"}}\n'
    question.write_text(text + "anchors:\n" + anchor, encoding="utf-8")
    options = ["--study", str(folder), "--repo", str(repository)]
    assert new_session(options) == 0
    row = next(
        line
        for line in handout_of(folder).read_text(encoding="utf-8").splitlines()
        if line.startswith("| `q01-f` |")
    )
    assert "<script" not in row
    assert row.count(" | ") == 3
