"""What a ref stands for where a probe runs nothing of upstream's tree."""

from pathlib import Path

import pytest

from annotator.model.failures import AnnotError
from annotator.probes.environments import Environment
from annotator.probes.runner import Runner, Source
from annotator.tasks.probe import source_of
from annotator.tasks.workspace import Workspace
from tests.probes.conftest import make_probe


@pytest.mark.parametrize(
    ("installed", "ref", "label"),
    [
        pytest.param("1.2", "HEAD", "v1.2", id="what-is-installed"),
        pytest.param("1.2", "v1.2", "v1.2", id="its-tag"),
        pytest.param("1.2", "1.2", "v1.2", id="its-version"),
        pytest.param("1.2", "v1.3", None, id="another-release"),
        pytest.param("", "v1.3", "v1.3", id="nothing-installed-which-the-run-will-say"),
    ],
)
def test_an_installed_package_needs_no_source(
    installed: str, ref: str, label: str | None, this_interpreter: Environment, tmp_path: Path
) -> None:
    runner = Runner([_with(this_interpreter, installed)], None)
    with Workspace(tmp_path) as workspace:
        if label is None:
            with pytest.raises(AnnotError):
                source_of(workspace, runner, make_probe(paths=()), ref)
        else:
            expected = Source(None, "", label)
            assert source_of(workspace, runner, make_probe(paths=()), ref) == expected


def test_a_probe_that_runs_the_tree_needs_it(this_interpreter: Environment, tmp_path: Path) -> None:
    runner = Runner([_with(this_interpreter, "1.2")], None)
    with Workspace(tmp_path) as workspace, pytest.raises(AnnotError):
        source_of(workspace, runner, make_probe(), "v1.2")


def _with(environment: Environment, version: str) -> Environment:
    """That environment, as if it had the package of the made-up upstream."""
    known = environment.about.distributions | ({"demo": version} if version else {})
    return environment._replace(about=environment.about.model_copy(update={"distributions": known}))
