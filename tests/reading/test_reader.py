"""The terminal reader: what is on the screen at two sizes, and what the keys do.

Screens are compared as plain text with the files in screens/; `ANNOT_UPDATE_SCREENS=1` writes them anew.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.cli.app import run
from annotator.model.failures import UserMistake
from annotator.reading.reader.app import Reader, Ticking
from annotator.reading.reader.code import code_rows, difference_rows, highlighted
from annotator.reading.reader.finding import find
from annotator.reading.reader.loader import Loader
from annotator.store.study_loader import load_study
from annotator.tasks.views import compared_view, pinned_view

SCREENS = Path(__file__).parent / "screens"


def screen_text(app) -> str:
    # The compositor is the only place that knows the whole screen as cells.
    strips = app.screen._compositor.render_strips()
    lines = ("".join(segment.text for segment in strip).rstrip() for strip in strips)
    return "\n".join(lines) + "\n"


def read(study, folder, repo, keys=(), *, size=(80, 24), start=1, **options):
    """Starts the reader, presses keys, and returns the screen, the reader and the ticks."""
    ticks: dict[str, bool] = {}

    def toggle(anchor):
        ticks[anchor] = not ticks.get(anchor, False)

    loader = Loader(study, folder / "cache", repo)
    app = Reader(
        study,
        study.anchors,
        start,
        loader,
        Ticking(lambda anchor: ticks.get(anchor, False), toggle),
        **{"ref": "v2", **options},
    )

    async def session():
        async with app.run_test(size=size) as pilot:
            for key in (*keys, ""):
                await settled(app, pilot)
                if key:
                    await pilot.press(key)
            return screen_text(app)

    try:
        return asyncio.run(session()), app, ticks
    finally:
        loader.close()


async def settled(app, pilot) -> None:
    """Waits until nothing is being loaded and the screen stays as it is."""
    before = ""
    for _ in range(100):
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause(0.05)
        if (shown := screen_text(app)) == before:
            return
        before = shown


def matches(name: str, screen: str) -> None:
    file = SCREENS / f"{name}.txt"
    if os.environ.get("ANNOT_UPDATE_SCREENS"):
        file.write_text(screen, encoding="utf-8", newline="\n")
    assert screen == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "keys", "options"),
    [
        ("narrow", [], {}),
        ("narrow-route", ["r"], {}),
        ("narrow-quote", ["n"], {}),
        ("narrow-difference", ["d"], {}),
        ("narrow-find", ["slash", *"ref"], {}),
        ("narrow-zh-ticked", ["t", "l"], {}),
        ("wide", [], {"size": (140, 40)}),
        ("wide-difference-zh", ["d"], {"size": (140, 40), "language": "zh"}),
    ],
)
def test_screens(study, upstream, tmp_path, name, keys, options):
    screen, _, _ = read(study, tmp_path, upstream, keys, **options)
    matches(name, screen)


@pytest.mark.parametrize(
    ("keys", "anchor"),
    [
        ([], "q01-touch"),
        (["n"], "q01-append"),
        (["p"], "q01-guide"),
        (["p", "p"], "q01-guide"),
        (["n", "n", "n", "n"], "q02-pool"),
        (["right_square_bracket"], "q02-pool"),
        (["right_square_bracket", "left_square_bracket"], "q01-guide"),
        (["slash", "2", "enter"], "q02-pool"),
        (["g", *"tail", "enter"], "q01-append"),
        (["slash", *"tail", "down", "enter"], "q01-append"),
        (["slash", *"nowhere", "enter"], "q01-touch"),
        (["slash", *"tail", "escape"], "q01-touch"),
        (["r", "down", "enter"], "q01-append"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_where_keys_lead(study, upstream, tmp_path, keys, anchor):
    _, app, _ = read(study, tmp_path, upstream, keys)
    assert app.placed.anchor.id == anchor


def test_a_tick_is_kept_and_can_be_taken_away(study, upstream, tmp_path):
    screen, _, ticks = read(study, tmp_path, upstream, ["t", "n", "t", "t"])
    assert ticks == {"q01-touch": True, "q01-append": False}
    assert "○ q01-append" in screen


def test_another_commit_can_be_asked_for(study, upstream, tmp_path):
    keys = ["c", "ctrl+u", *"v1", "enter"]
    screen, _, _ = read(study, tmp_path, upstream, keys)
    assert "v1 → v1" in screen
    assert "no difference" in screen


@pytest.mark.parametrize(
    ("options", "wanted"),
    [({"ref": "no-such"}, "'no-such' is no commit"), ({}, "has no working tree")],
    ids=["unknown commit", "no clone to edit in"],
)
def test_what_cannot_be_done_is_said_on_the_screen(study, upstream, tmp_path, options, wanted):
    key = "d" if options else "e"
    screen, app, _ = read(study, tmp_path, upstream, [key], **options)
    said = screen + " ".join(note.message for note in app._notifications)
    assert wanted in said


def test_a_missing_place_is_said_and_the_reader_goes_on(study, make_repository, tmp_path):
    repository = make_repository({"docs/guide.md": "# Guide\n\n## Blocks\n"})
    screen, app, _ = read(study, tmp_path, repository, ["p"], start=2)
    assert "pool.py is not in the tree" in screen
    assert app.placed.anchor.id == "q01-touch"


def test_without_colour_nothing_is_lost(study, upstream, tmp_path, monkeypatch):
    coloured, _, _ = read(study, tmp_path, upstream, ["n", "d"])
    monkeypatch.setenv("NO_COLOR", "1")
    plain, app, _ = read(study, tmp_path, upstream, ["n", "d"])
    assert plain == coloured
    assert app.no_color


def test_a_long_note_can_be_read_to_its_end(folder, upstream, tmp_path):
    question = folder / "route" / "02-q.yaml"
    note = "很长的笔记，" * 200 + "完"
    text = question.read_text(encoding="utf-8").replace("全貌。", note)
    question.write_text(text, encoding="utf-8")
    study = load_study(folder, probes=["apc-hash"])
    keys = ["tab", "end"]
    screen, _, _ = read(study, tmp_path, upstream, keys, start=3, language="zh", size=(60, 24))
    assert "为什么？" in screen, "the question is the last thing that the notes say"


def test_the_place_and_the_statement_are_marked_by_signs(study, workspace):
    view = pinned_view(workspace, study, study.anchors[2])
    rows = [row.plain for row in code_rows(highlighted(view.lines, view.language), view)]
    assert rows[9] == "10 "
    assert rows[10] == "11▌    def free(self, block):"
    assert rows[13] == "14▶            self.free.append(block)"


def test_a_difference_has_the_line_numbers_of_both_sides(study, workspace):
    old = pinned_view(workspace, study, study.anchors[1])
    target = workspace.revision("demo", "v2")
    new = compared_view(workspace, study, study.anchors[1], target).new
    rows = [row.plain for row in difference_rows(old, new)]
    assert " 7    -         if block.refs == 0:" in rows
    assert "    9 +         if not block.refs:" in rows
    assert " 8 10               self.free.remove(block)" in rows


def test_control_characters_of_upstream_never_reach_the_terminal():
    (line,) = highlighted(["x = '\x1b[2J\x07'"], "python")
    assert "\x1b" not in line.plain
    assert "\x07" not in line.plain


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("2", "2. Second title"),
        ("q01-to", "q01-touch  pool.py::Pool.touch"),
        ("引用", "q01-touch  …命中就加引用 `refs`。…"),
        ("second", "q02-pool  pool.py::Pool"),
        (":3", ":3"),
        (":999", ":2"),
        ("needle", ":2  a needle"),
        ("", None),
        ("nothing at all", None),
    ],
)
def test_finding(study, words, first):
    hits = find(study, study.anchors, ["hay", "  a needle"], words, "en")
    if words == ":3":
        hits = find(study, study.anchors, ["a", "b", "c"], words, "en")
    assert (hits[0].label if hits else None) == first


def test_without_textual_it_says_what_to_install(folder, tmp_path):
    (tmp_path / "textual.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'textual'\", name='textual')", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "annotator", "read", "--study", str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.getcwd()])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "pip install 'annot[read]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_loader_raises_what_the_task_raises(study, upstream, tmp_path):
    loader = Loader(study, tmp_path / "cache", upstream)
    try:
        with pytest.raises(UserMistake):
            asyncio.run(loader.compared(study.anchors[0], "no-such"))
    finally:
        loader.close()


def test_without_a_terminal_it_says_what_else_there_is(folder, capsys):
    assert run(["read", "--study", str(folder)]) == 2
    assert "`annot show` prints the same" in capsys.readouterr().err


def test_ticks_are_handed_on_as_a_file(folder, tmp_path):
    given, back = tmp_path / "given.json", tmp_path / "back.json"
    ticks = {"format": "annot-ticks", "schema": 1, "read": {"q01-touch": "2026-12-01"}}
    given.write_text(json.dumps(ticks), encoding="utf-8")
    arguments = ["read", "--study", str(folder), "--import-ticks", str(given)]
    assert run([*arguments, "--export-ticks", str(back)]) == 0
    assert json.loads(back.read_text(encoding="utf-8")) == ticks
