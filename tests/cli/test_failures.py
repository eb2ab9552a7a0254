"""How a command fails: never with an exit code that stands for drift."""

from pathlib import Path

import pytest

from annotator import api
from annotator.cli.app import run


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (
            OSError(28, "No space left on device", "a.json"),
            "annot: a.json: No space left on device",
        ),
        (OSError(30, "Read-only file system"), "annot: [Errno 30] Read-only file system"),
        (OSError(1, "Operation not permitted", "a", None, "b\udcff"), "annot: a → b?: Operation"),
        (RuntimeError("boom"), "annot: this is a fault of annot itself"),
        (RecursionError("deep"), "annot: this is a fault of annot itself"),
        (MemoryError(), "annot: this is a fault of annot itself"),
    ],
    ids=["disk", "no file", "two files", "bug", "recursion", "memory"],
)
def test_a_failure_is_no_drift(
    failure: Exception,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Python itself would exit with 1, which is the gate's word for drift."""

    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(api, "check", fail)
    monkeypatch.chdir(tmp_path)
    assert run(["check"]) == 3
    assert told in capsys.readouterr().err
