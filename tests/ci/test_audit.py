"""The audit of dependencies: what is vulnerable fails, and what was not looked up never looks audited."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "audit.py"
SOUND = {"name": "a", "version": "1", "vulns": []}
SKIPPED = {"name": "b", "skip_reason": "not found"}
HURT = {"name": "c", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]}


@pytest.fixture
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pip_audit_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)


@pytest.mark.usefixtures("pip_audit_is_there")
@pytest.mark.parametrize(
    ("answers", "code", "told"),
    [
        ([], 0, "NOT AUDITED: no vulnerability service"),
        ([SKIPPED], 0, "NOT AUDITED: no vulnerability service"),
        ([SOUND], 0, "NOT AUDITED: no vulnerability service"),
        ([HURT], 1, "c 2: X-1, fixed in 3"),
        ([HURT, SKIPPED], 1, "1 audited, 1 vulnerable, unknown to osv: b"),
    ],
    ids=["no answer", "unknown to the service", "a service that knows nothing", "found", "partly"],
)
def test_what_is_said(
    answers: list[dict[str, object]],
    code: int,
    told: str,
    audit: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first question is about a release that is known to be vulnerable."""
    monkeypatch.setattr(audit, "audit", lambda file, service: answers)
    assert audit.main() == code
    said = capsys.readouterr()
    assert told in said.out + said.err


def test_without_its_tool_it_says_so(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    assert audit.main() == 0
    assert "NOT AUDITED: pip-audit is not installed" in capsys.readouterr().err
