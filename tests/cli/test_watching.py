"""`annot check --watch` as it is run: a process, saves, and Ctrl-C."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import annotator
from annotator.model.words import Outcome
from annotator.tasks.watching import Seen, Trouble, differences

CODE = {"a.py": "def f(a):\n    return a\n\n\ndef g(a):\n    return a\n"}
LATER = {"a.py": CODE["a.py"].replace("def g(a)", "def g(a, b)")}
ANCHORS = """\
  - {id: q01-f, target: "a.py::f", note: {zh: "注", en: "N"}, reason: {zh: "因", en: "R"}}
"""
MORE = (
    '  - {id: q01-g, target: "a.py::g", note: {zh: "注", en: "N"}, reason: {zh: "因", en: "R"}}\n'
)
_PATIENCE = 20.0


class Watched:
    """A running `annot check --watch`, its output line by line."""

    def __init__(self, arguments: list[str]) -> None:
        root = str(Path(annotator.__file__).parents[1])
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "annotator", "check", "--watch", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip())

    def until(self, *wanted: str) -> list[str]:
        """The lines up to one that has all of `wanted`."""
        found: list[str] = []
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            try:
                found.append(self._lines.get(timeout=0.2))
            except queue.Empty:
                assert self.process.poll() is None, found
                continue
            if all(word in found[-1] for word in wanted):
                return found
        raise AssertionError(f"{wanted} was not said: {found}")


@pytest.fixture
def watched(
    make_study: Callable[[str], Path], make_repository: Callable[..., Path]
) -> Iterator[tuple[Watched, Path]]:
    pytest.importorskip("watchfiles")
    study = make_study(ANCHORS)
    repo = make_repository(CODE, LATER)
    started = Watched(["--study", str(study), "--repo", str(repo), "--commit", "v2"])
    yield started, study / "anchors" / "route" / "01-q.yaml"
    if started.process.poll() is None:
        started.process.kill()
    started.process.wait()
    if started.process.stdout:
        started.process.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to a single process")
def test_only_what_changed_is_told(watched: tuple[Watched, Path]) -> None:
    process, file = watched
    first = process.until("watching", "Ctrl-C ends")
    assert any("1 anchors: 1 ok" in line for line in first)

    text = file.read_text(encoding="utf-8")
    file.write_text(text + MORE, encoding="utf-8")
    assert "q01-g: new → changed" in process.until("q01-g")[-1]

    file.write_text((text + MORE).replace('"a.py::f"', '"a.py::nothing"'), encoding="utf-8")
    assert "q01-f: ok → error" in process.until("q01-f")[-1]

    file.write_text(text + MORE + "  - {id: X}\n", encoding="utf-8")
    assert "01-q.yaml:10" in process.until("error", "'X' is no id")[-1]

    file.write_text(text, encoding="utf-8")
    said = process.until("mended", "'X' is no id")
    assert [line.split("  ", 1)[1] for line in said[:-1] if "q01-" in line] == [
        "q01-f: error → ok",
        "q01-g: changed → removed",
    ]

    process.process.send_signal(signal.SIGINT)
    assert process.process.wait(timeout=_PATIENCE) == 0


OK, CHANGED = Outcome.OK, Outcome.CHANGED
AT_3, AT_5 = Trouble("f", 3, "warning: x"), Trouble("f", 5, "warning: x")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param(Seen({"a": OK}), Seen({"a": OK}), [], id="nothing"),
        pytest.param(Seen({"a": OK}), Seen({"a": CHANGED}), ["a: ok → changed"], id="outcome"),
        pytest.param(Seen({"a": OK}), Seen({"b": OK}), ["b: new → ok", "a: ok → removed"], id="renamed"),
        pytest.param(Seen({"a": OK}, (AT_3,)), Seen({"a": OK}, (AT_5,)), [], id="moved-down"),
        pytest.param(Seen({"a": OK}, (AT_3,)), Seen({"a": OK}), ["mended  f:3: warning: x"], id="mended"),
        pytest.param(Seen({"a": OK}, (AT_3,)), Seen({"a": OK}, (AT_3, AT_5)), ["f:3: warning: x"], id="twice-now"),
        pytest.param(Seen({"a": OK}), Seen(None, (AT_3,)), ["f:3: warning: x"], id="broken"),
    ],
)  # fmt: skip
def test_differences(before: Seen, after: Seen, told: list[str]) -> None:
    assert list(differences(before, after, before.outcomes or {})) == told


def test_a_broken_file_in_between_changes_no_outcome() -> None:
    broken = Seen(None, (AT_3,))
    assert list(differences(broken, Seen({"a": OK}), {"a": OK})) == ["mended  f:3: warning: x"]
    assert list(differences(broken, Seen({"a": CHANGED}), {"a": OK})) == [
        "a: ok → changed",
        "mended  f:3: warning: x",
    ]
