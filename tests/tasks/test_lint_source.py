"""What texts say of the source, against the source: a study and a tiny tree make findings."""

import subprocess

import pytest

from annotator.cli.app import run
from annotator.store.study_loader import load_study
from annotator.tasks.lint.source import lint_source
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder

POOL = '''\
from dataclasses import field
import torch
from e.base import Base


class Pool(Base):
    """A pool."""

    size: int = 16
    ratio: float = field(default=0.9)
    limit: int = compute_limit()

    def get(self, count=1, *, mode="fast", late=None):
        return self.blocks


class Model(torch.nn.Module):
    pass


TIMEOUT_S = 30
'''
BEFORE = {
    "e/pool.py": POOL,
    "e/base.py": "class Base:\n    def shared_part(self): ...\n",
    "e/other.py": "class Other:\n    def unrelated(self): ...\n",
    "docs/cache.md": "Set `--block-size` or `CACHE_ROOT`.\n",
    "logo.png": "only_in_a_picture",
}
AFTER = {**BEFORE, "e/planning.py": "def plan_groups(): ...\n"}
ANCHOR = '  - {{id: a, target: "e/pool.py::{at}", note: {{en: "{note}"}}}}\n'


@pytest.fixture
def told(make_study, make_repository):
    """Lints a study with one anchor against the tree v1, with v0.2.0 at hand too."""

    def tell(note, at="Pool"):
        folder = make_study(ANCHOR.format(at=at, note=note.replace('"', '\\"')))
        repository = make_repository(BEFORE, AFTER)
        subprocess.run(["git", "-C", str(repository), "tag", "v0.2.0", "v2"], check=True)
        with Workspace(cache_folder(), repository) as workspace:
            found = lint_source(workspace, load_study(folder / "anchors"))
        assert not found.unchecked
        return [f"[{one.rule}] {one.message}" for one in found.findings]

    return tell


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("`Pool.get`, `blocks`, `TIMEOUT_S`", id="symbols"),
        pytest.param("`Pool.shared_part`", id="inherited-member"),
        pytest.param("`Model.state_dict_of_torch` no longer there", id="said-to-be-gone"),
        pytest.param("`torch.cuda.unknown_here`", id="another-library"),
        pytest.param("`--block-size`, `--no-block-size`, `--count`", id="options-and-their-fields"),
        pytest.param("`CACHE_ROOT=1`", id="environment"),
        pytest.param("`e/pool.py`, `pool.py`, `docs/`, `e/*.py`", id="paths"),
        pytest.param("`out/made/at_run_time.json`", id="path-outside-the-tree"),
        pytest.param("`shared_*`, `*_part`", id="gaps"),
    ],
)
def test_names_that_are_there(told, note):
    assert told(note) == []


@pytest.mark.parametrize(
    ("note", "message"),
    [
        pytest.param("`blocs_of_pool`", "`blocs_of_pool` is nowhere in the source of demo at v1", id="identifier"),
        pytest.param("`unrelatd`", "`unrelatd` is nowhere in the source of demo at v1; close to it is `unrelated`", id="close-name"),
        pytest.param("`Pool.gett_it`", "`gett_it` of `Pool.gett_it` is nowhere in the source of demo at v1", id="member-nowhere"),
        pytest.param("`Pool.unrelated`", "`Pool.unrelated` is nowhere in the source of demo at v1", id="member-of-another-class"),
        pytest.param("`--blok-size`", "`--blok-size` is nowhere in the source of demo at v1", id="option"),
        pytest.param("`e/pol.py`", "`e/pol.py` is nowhere in the source of demo at v1", id="file"),
        pytest.param("`plans_*`", "`plans_*` is nowhere in the source of demo at v1", id="gap"),
        pytest.param("`only_in_a_picture`", "`only_in_a_picture` is nowhere in the source of demo at v1", id="picture"),
        pytest.param("`plan_groups`", "`plan_groups` is nowhere in the source of demo at v1", id="of-a-later-version-unsaid"),
        pytest.param("As of v0.2.0 `plan_grups`.", "`plan_grups` is nowhere in the source of demo at v1, nor of demo at v0.2.0", id="not-in-the-version-said"),
    ],
)  # fmt: skip
def test_names_that_are_not(told, note, message):
    assert told(note) == [f"[unknown-name] {message}"]


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("From 0.2 on `plan_groups` in `e/planning.py`.", id="version-at-hand"),
        pytest.param("v0.2.0 is better. It has `plan_groups`.", id="said-in-another-sentence"),
        pytest.param("First in v9.9.9: `unheard_of`.", id="version-not-at-hand"),
        pytest.param("`unheard_of` does not exist.", id="said-not-to-exist"),
    ],
)
def test_names_of_other_versions(told, note):
    assert told(note) == []


@pytest.mark.parametrize(
    ("at", "note", "wrong"),
    [
        pytest.param("Pool", "`size: int = 8`", ("size", "8", "16"), id="field"),
        pytest.param("Pool.size", "the default `size=8`", ("size", "8", "16"), id="field-itself"),
        pytest.param("Pool", "`ratio` (0.5 by default)", ("ratio", "0.5", "0.9"), id="field-call"),
        pytest.param("Pool.get", "`mode` 默认 `shared_part`", ("mode", "'shared_part'", "'fast'"), id="parameter"),
        pytest.param("Pool.get", "`count`（默认 2）", ("count", "2", "1"), id="in-chinese-brackets"),
        pytest.param("Pool.get", "`mode` defaults to true.", ("mode", "True", "'fast'"), id="word"),
        pytest.param("TIMEOUT_S", "`TIMEOUT_S = 60` by default", ("TIMEOUT_S", "60", "30"), id="constant"),
    ],
)  # fmt: skip
def test_wrong_defaults(told, at, note, wrong):
    name, said, actual = wrong
    message = f"the default of `{name}` is said to be {said}, it is {actual}"
    assert told(note, at) == [f"[wrong-default] {message}"]


@pytest.mark.parametrize(
    ("at", "note"),
    [
        pytest.param("Pool", "`size: int = 16`, `ratio` (0.9 by default)", id="right"),
        pytest.param("Pool.get", 'the default `mode="fast"`', id="right-text"),
        pytest.param("Pool.get", "called with `count=5`", id="a-call-states-no-default"),
        pytest.param("Pool", "`limit: int = 5`", id="computed"),
        pytest.param("Pool.get", "`late` (5 by default)", id="worked-out-later"),
        pytest.param("Pool", "`count` (5 by default)", id="of-another-definition"),
        pytest.param("Pool", "`size` is 8 by default in v0.1.0", id="of-another-version"),
        pytest.param("TIMEOUT_S", "`TIMEOUT_S`（默认 0.5 分钟）", id="in-another-unit"),
    ],
)
def test_defaults_that_cannot_be_called_wrong(told, at, note):
    assert told(note, at) == []


def test_a_second_lint_reads_the_words_from_the_cache(told, monkeypatch):
    assert told("`Pool.get`") == []
    monkeypatch.setattr("annotator.tasks.lint.tree_words._collect", None)
    assert told("`Pool.gett_it`") != []


def test_a_damaged_cache_is_no_matter(told):
    (cache_folder() / "words.sqlite").write_bytes(b"no database" * 100)
    assert told("`Pool.get`") == []


def test_without_source_one_line_says_how_to_get_it(make_study, capsys):
    folder = make_study(ANCHOR.format(at="Pool", note="`nowhere_at_all`").replace("note:", "reason: {en: R}, note:"))  # fmt: skip
    assert run(["lint", "--study", str(folder)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "not checked" in line]
    assert line.startswith("names of demo were not checked: ")
    assert "annot sync demo" in line


@pytest.mark.parametrize(("options", "code"), [([], 2), (["--no-source"], 0)])
def test_source_can_be_left_out(make_study, make_repository, options, code):
    anchor = ANCHOR.format(at="Pool", note="`nowhere_at_all`")
    folder = make_study(anchor.replace("note:", "reason: {en: R}, note:"))
    repo = make_repository(BEFORE)
    assert run(["lint", "--study", str(folder), "--repo", str(repo), *options]) == code


FAR = """\
schema: 1
upstream: far
resources:
  - {id: F1, title: {en: T}, focus: {en: F}, anchors: [
      {id: f, target: x.py, note: {en: "`never_looked_up`"}}]}
"""


@pytest.mark.parametrize(
    ("note", "count"),
    [("`unheard_of` is Far's.", 0), ("`unheard_of` is ours.", 1)],
    ids=["of-an-upstream-not-at-hand", "of-this-upstream"],
)
def test_one_upstream_of_two_is_at_hand(make_study, make_repository, note, count):
    anchors = make_study(ANCHOR.format(at="Pool", note=note)) / "anchors"
    upstreams = (anchors / "upstreams.yaml").read_text(encoding="utf-8")
    more = upstreams.partition("upstreams:\n")[2].replace("demo:", "far:").replace("Demo", "Far")
    (anchors / "upstreams.yaml").write_text(upstreams + more.replace("v1", "v77"), encoding="utf-8")
    (anchors / "resources").mkdir()
    (anchors / "resources" / "far.yaml").write_text(FAR, encoding="utf-8")
    with Workspace(cache_folder(), make_repository(BEFORE)) as workspace:
        found = lint_source(workspace, load_study(anchors))
    assert [one.upstream for one in found.unchecked] == ["far"]
    assert len(found.findings) == count
