"""A made-up upstream, `demo`, whose module `demo.behave` does to the runner what it likes."""

import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.model.probe import ProbeRun
from annotator.probes import runner as runner_module
from annotator.probes.choice import Reach
from annotator.probes.contract import Check, Probe, Tier
from annotator.probes.environments import Environment, inspect_interpreter
from annotator.probes.own_code import code_of
from annotator.probes.runner import Runner, Source
from annotator.probes.sandbox import Limits
from annotator.upstream.repository import open_repository

PROBE_CODE = b"""
from annotator.probes.contract import Check, Probe

def observe(context):
    import demo.behave
    demo.behave.run(context)

PROBE = Probe(
    name="demo", zh="", en="", upstream="demo", tiers=("source",), paths=("demo",),
    checks=(Check("good", "", ""),), version=1, observe=observe,
)
"""

GOOD = 'context.verdict("good", True, "seen")'


def make_probe(tiers: tuple[Tier, ...] = ("source",), **more: Any) -> Probe:
    """The probe whose code is `PROBE_CODE`."""
    about: dict[str, Any] = {
        "paths": ("demo",),
        "seconds": 20,
        "megabytes": 2000,
        "version": 1,
        **more,
    }
    return Probe(
        name="demo",
        zh="试",
        en="A trial",
        upstream="demo",
        tiers=tiers,
        checks=(Check("good", "好", "It is good"), Check("better", "更好", "It is better")),
        observe=lambda context: None,
        **about,
    )


@pytest.fixture(scope="session")
def this_interpreter() -> Environment:
    return inspect_interpreter(Path(sys.executable))


@pytest.fixture
def own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the runner give the child the test's probe instead of one of the catalogue."""
    shared = {name: text for name, text in code_of("apc-hash").items() if name.count("/") <= 2}
    folder = {"annotator/probes/catalogue/__init__.py": b""}
    code = {**shared, **folder, "annotator/probes/catalogue/demo.py": PROBE_CODE}
    monkeypatch.setattr(runner_module, "code_of", lambda name: code)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where runs make their folders; nothing may be left there."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


RunDemo = Callable[..., ProbeRun]


@pytest.fixture
def run_demo(
    make_repository: Callable[..., Path],
    this_interpreter: Environment,
    own_code: None,
    scratch: Path,
) -> RunDemo:
    """Runs the demo probe on an upstream with this body of `run(context)`."""

    def run(
        body: str,
        *,
        probe: Probe | None = None,
        limits: Limits | None = None,
        reach: Reach = "source",
        environments: list[Environment] | None = None,
    ) -> ProbeRun:
        source = f"def run(context):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        path = make_repository({"demo/__init__.py": "", "demo/behave.py": source})
        environments = [this_interpreter] if environments is None else environments
        with open_repository(path) as repository:
            where = Source(repository, repository.resolve("v1"), "v1.0")
            runner = Runner(environments, None, limits=limits)
            return runner.run(probe or make_probe(), where, reach)

    return run


def processes_with(word: str) -> list[str]:
    """Command lines of running processes that hold a word."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (
                (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            )
        except OSError:
            continue
        if word in command and int(entry.name) != os.getpid():
            found.append(command)
    return found
