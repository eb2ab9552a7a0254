"""End to end on official source releases, imported from the package index."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from annotator.probes.known import probe_names
from annotator.report.result_schemas import report_schemas
from annotator.store.lock_file import read_lock
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.tasks.lock import make_lock
from annotator.tasks.workspace import Workspace

pytestmark = pytest.mark.upstream

PLACES = {
    # a function that went to a new module between the two releases
    "vllm/v1/core/kv_cache_utils.py::unify_kv_cache_spec_page_size": (
        "moved",
        "vllm/v1/core/kv_cache_planning.py",
        "unify_kv_cache_spec_page_size",
    ),
    "vllm/v1/core/block_pool.py::BlockPool.touch": (
        "changed",
        "vllm/v1/core/block_pool.py",
        "BlockPool.touch",
    ),
    "vllm/v1/core/kv_cache_utils.py::hash_block_tokens": (
        "ok",
        "vllm/v1/core/kv_cache_utils.py",
        "hash_block_tokens",
    ),
}


def annot(source: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "annotator", *arguments],
        env={**os.environ, "ANNOT_CACHE_DIR": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_stand_in_has_not_drifted_from_itself(real_source: Path) -> None:
    done = annot(real_source, "check", "--upstream", "vllm", "--commit", "v0.32.0")
    assert done.returncode == 0, done.stdout + done.stderr


def test_check_against_the_newest_release(real_source: Path) -> None:
    arguments = ("check", "--upstream", "vllm", "--commit", "v0.33.0", "--format", "json")
    first, second = annot(real_source, *arguments), annot(real_source, *arguments)
    assert first.returncode == 1, first.stderr
    assert first.stdout == second.stdout, "remembered answers are the same answers"
    report = json.loads(first.stdout)
    jsonschema.Draft202012Validator(report_schemas()["check"]).validate(report)
    assert {group["number"] for group in report["groups"]} >= set(range(1, 21))
    assert report["summary"]["ok"] > 150
    assert report["summary"]["changed"] > 10
    assert report["summary"]["moved"] > 0
    assert not report["summary"].keys() & {"error", "skipped"}


@pytest.mark.parametrize("target", PLACES)
def test_where_between_releases(target: str, real_source: Path) -> None:
    done = annot(
        real_source, "where", target, "--from", "0.32.0", "--to", "0.33.0", "--format", "json"
    )
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["path"], answer["symbol"]) == PLACES[target]


@pytest.mark.parametrize("upstream", ["vllm", "lmcache"])
def test_the_committed_lock_is_what_the_source_says(
    upstream: str, real_source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANNOT_CACHE_DIR", str(real_source))
    folder = find_study(Path(__file__).parent.parent).path
    study, committed = load_study(folder, probe_names()), read_lock(folder, upstream)
    with Workspace(real_source) as workspace:
        report = make_lock(workspace, study, upstream, study.upstreams[upstream], None)
    assert not report.problems
    assert not report.warnings
    assert committed is not None
    stale = [
        id_ for id_, entry in report.lock.entries.items() if committed.entries.get(id_) != entry
    ]
    assert not stale, "run `annot lock`"
    assert committed.entries.keys() == report.lock.entries.keys()
