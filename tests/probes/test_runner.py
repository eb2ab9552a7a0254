"""Tiers, environments, and what is remembered."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotator.model.failures import UserMistake
from annotator.model.probe import ProbeStatus
from annotator.probes import runner as runner_module
from annotator.probes.environments import (
    Environment,
    environment_folder,
    find_environments,
    inspect_interpreter,
    interpreter_in,
)
from annotator.probes.results import Results
from annotator.probes.runner import Runner, Source
from annotator.upstream.repository import open_repository
from tests.probes.conftest import GOOD, make_probe

if TYPE_CHECKING:
    from tests.probes.conftest import RunDemo

TWO_CHECKS = """
import demo
context.saw("where", "installed" if "site-packages" in demo.__file__ else "tree")
context.saw("compiled", __import__("os").path.exists(demo.__path__[0] + "/fast.so"))
context.saw("version", __import__("importlib.metadata").metadata.version("demo"))
context.verdict("good", True, "")
context.not_applicable("better", "there is none")
"""


def _body(text: str) -> str:
    lines = "".join(f"    {line}\n" for line in text.strip().splitlines())
    return f"def run(context):\n{lines}"


@pytest.fixture
def with_demo(tmp_path: Path) -> Callable[[str], Environment]:
    """Makes an environment with the upstream installed, a compiled file included."""

    def make(behave: str) -> Environment:
        venv = tmp_path / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        [site] = venv.glob("lib/python*/site-packages")
        (site / "demo").mkdir()
        (site / "demo" / "__init__.py").write_text("")
        (site / "demo" / "behave.py").write_text(behave)
        (site / "demo" / "fast.so").write_bytes(b"\x7fELF")
        (site / "demo-1.0.dist-info").mkdir()
        (site / "demo-1.0.dist-info" / "METADATA").write_text("Name: demo\nVersion: 1.0\n")
        return inspect_interpreter(interpreter_in(venv), ["demo"])

    return make


@pytest.mark.parametrize(
    ("installed", "tiers", "tier", "where"),
    [
        ("same", ("source", "engine"), "engine", "installed"),
        ("same", ("overlay", "engine"), "engine", "installed"),
        ("same", ("overlay",), "overlay", "tree"),
        ("other", ("overlay", "engine"), "overlay", "tree"),
    ],
)
def test_the_tier_follows_from_what_is_installed(
    installed: str,
    tiers: tuple[str, ...],
    tier: str,
    where: str,
    run_demo: "RunDemo",
    with_demo: Callable[[str], Environment],
) -> None:
    behave = _body(TWO_CHECKS) if installed == "same" else "def run(context): raise ValueError"
    probe = make_probe(tiers)  # type: ignore[arg-type]
    run = run_demo(
        TWO_CHECKS.strip(), probe=probe, reach="compiled", environments=[with_demo(behave)]
    )
    assert (run.status, run.tier) == (ProbeStatus.CONFIRMED, tier), run.reason
    version = "1.0" if where == "installed" else "1.0+cpu"
    assert run.observations == {"where": where, "compiled": True, "version": version}
    assert any("compiled code is that of demo 1.0" in each for each in run.adaptations) == (
        tier == "overlay"
    )


def test_an_engine_of_another_version_is_not_passed_off_as_this_one(
    run_demo: "RunDemo", with_demo: Callable[[str], Environment]
) -> None:
    environments = [with_demo("def run(context): pass")]
    run = run_demo(GOOD, probe=make_probe(("engine",)), reach="compiled", environments=environments)
    assert run.status is ProbeStatus.SKIPPED
    assert "was not made from this commit" in run.reason


@pytest.mark.parametrize(
    ("tiers", "reach", "hint"),
    [
        (("source",), "source", "annot probe setup"),
        (("engine",), "compiled", "annot probe setup --engine"),
    ],
)
def test_without_an_environment_it_is_skipped_with_what_mends_it(
    tiers: tuple[str, ...], reach: str, hint: str, run_demo: "RunDemo"
) -> None:
    probe = make_probe(tiers)  # type: ignore[arg-type]
    run = run_demo(GOOD, probe=probe, reach=reach, environments=[])
    assert (run.status, run.hint) == (ProbeStatus.SKIPPED, hint)
    assert not run.is_complete


def test_an_environment_that_lacks_a_module_is_skipped(run_demo: "RunDemo") -> None:
    run = run_demo("import a_module_of_nobody.inside")
    assert run.status is ProbeStatus.SKIPPED
    assert run.reason == "the environment lacks the module a_module_of_nobody"
    assert run.hint == "annot probe setup"


def test_where_nothing_applies_the_run_is_complete_but_not_confirmed(run_demo: "RunDemo") -> None:
    run = run_demo('context.not_applicable("good", "there is none")')
    assert run.status is ProbeStatus.SKIPPED
    assert run.is_complete


def test_a_refuted_check_refutes_the_run(run_demo: "RunDemo") -> None:
    run = run_demo(
        f'{GOOD}\ncontext.verdict("better", False, "worse")\ncontext.verdict("better", True, "")'
    )
    assert run.status is ProbeStatus.REFUTED
    assert [v.verdict for v in run.verdicts] == ["confirmed", "refuted"]


def test_a_tree_without_its_paths_is_an_error(
    make_repository: Callable[..., Path], this_interpreter: Environment, own_code: None
) -> None:
    with open_repository(make_repository({"other/x.py": ""})) as repository:
        source = Source(repository, repository.resolve("v1"), "v1")
        run = Runner([this_interpreter], None).run(make_probe(), source, "source")
    assert run.status is ProbeStatus.ERROR
    assert "has none of demo" in run.reason


def test_what_is_remembered(
    make_repository: Callable[..., Path],
    this_interpreter: Environment,
    own_code: None,
    scratch: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = _body(f'{GOOD}\ncontext.saw("options", dict(context.options))')
    same = {"demo/__init__.py": "", "demo/behave.py": body}
    changed = {**same, "demo/new.py": ""}
    failing = {**same, "demo/behave.py": "raise ValueError"}
    path = make_repository(same, {**same, "beside.py": ""}, changed, failing)
    results = Results(tmp_path / "cache")
    with open_repository(path) as repository:

        def remembered(
            tag: str, *, version: int = 1, options: dict[str, int] | None = None
        ) -> bool:
            runner = Runner([this_interpreter], results, options=options)
            source = Source(repository, repository.resolve(tag), tag)
            run = runner.run(make_probe(version=version), source, "source")
            assert (run.label, run.commit) == (tag, source.commit)
            return run.remembered

        assert not remembered("v1")
        assert remembered("v1")
        assert remembered("v2"), "only files that are run count"
        assert not remembered("v3"), "a file more"
        assert not remembered("v1", version=2)
        assert not remembered("v1", options={"examples": 5})
        assert remembered("v1", options={"examples": 5})
        assert not remembered("v4")
        assert not remembered("v4"), "what could not run is tried again"
        known = runner_module.code_of("demo")
        monkeypatch.setattr(runner_module, "code_of", lambda name: {**known, "more.py": b""})
        assert not remembered("v1"), "the probe's own code changed"


def test_a_broken_memory_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "probes").mkdir()
    (tmp_path / "probes" / "results.sqlite").write_bytes(b"no database")
    assert Results(tmp_path).get("key") is None


class TestEnvironments:
    def test_given_before_named_before_made(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        here = Path(sys.executable)
        monkeypatch.delenv("ANNOT_PROBE_PYTHON", raising=False)
        assert find_environments(tmp_path) == []
        made = environment_folder(tmp_path, "source")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made)], check=True)
        assert [each.python for each in find_environments(tmp_path)] == [interpreter_in(made)]
        monkeypatch.setenv("ANNOT_PROBE_PYTHON", str(here))
        assert [each.python for each in find_environments(tmp_path)] == [here]
        monkeypatch.setenv("ANNOT_PROBE_PYTHON", "/nowhere/python")
        assert [each.python for each in find_environments(tmp_path, [here])] == [here]

    @pytest.mark.parametrize("content", [None, "#!/bin/sh\necho hello\n", "#!/bin/sh\nexit 1\n"])
    def test_what_is_no_interpreter_is_said(self, content: str | None, tmp_path: Path) -> None:
        python = tmp_path / "python"
        if content is not None:
            python.write_text(content)
            python.chmod(0o755)
        with pytest.raises(UserMistake, match="is no Python interpreter"):
            inspect_interpreter(python)

    def test_the_fingerprint_follows_the_versions(self, this_interpreter: Environment) -> None:
        about = this_interpreter.about
        other = about.model_copy(update={"distributions": {**about.distributions, "torch": "1"}})
        assert (
            this_interpreter.fingerprint == inspect_interpreter(this_interpreter.python).fingerprint
        )
        assert this_interpreter.fingerprint != this_interpreter._replace(about=other).fingerprint

    @pytest.mark.parametrize(
        ("distributions", "gpus", "device"),
        [
            ({}, 0, "cpu"),
            ({"torch": "2.13.0+cpu"}, 1, "cpu"),
            ({"torch": "2.13.0", "nvidia-cuda-runtime": "13"}, 1, "cuda"),
            ({"torch": "2.13.0", "nvidia-cuda-runtime": "13"}, 0, ""),
            ({"torch": "2.13.0"}, 1, "cpu"),
        ],
    )
    def test_what_an_engine_runs_on(
        self, distributions: dict[str, str], gpus: int, device: str, this_interpreter: Environment
    ) -> None:
        about = this_interpreter.about.model_copy(
            update={"distributions": distributions, "gpus": gpus}
        )
        assert this_interpreter._replace(about=about).device == device
