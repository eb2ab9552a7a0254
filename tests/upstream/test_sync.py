"""One command that brings an upstream's source, from wherever it can be had."""

import pytest
from upstream_builders import LocalIndex, Worktree, make_sdist

from annotator.model.failures import Incomplete, UserMistake
from annotator.model.upstream import Upstream
from annotator.upstream.folders import clone_folder, releases_folder
from annotator.upstream.sources import open_sources
from annotator.upstream.sync import sync_upstream

NOWHERE = "file:///nowhere/at/all"
UNKNOWN = "f3871c3cbf8a608f7ee833ec4c2c5277f77bee41"


def upstream(address: str, package: str | None = "pkg", **pin: object) -> Upstream:
    return Upstream.model_validate(
        {
            "title": "Pkg",
            "web": "https://host.example/team/pkg",
            "git": address,
            "package": package,
            "licence": "Apache-2.0",
            "pin": {"date": "2026-10-23", **(pin or {"release": "v1.0"})},
        }
    )


@pytest.fixture
def host(worktree: Worktree) -> Worktree:
    for version in ("v1.0", "v1.1", "v1.2"):
        worktree.commit(version, {"a.py": version.removeprefix("v")})
        worktree.git("tag", version)
    worktree.commit("work on the next one", {"a.py": "next"})
    return worktree


@pytest.fixture
def offered(index: LocalIndex) -> LocalIndex:
    for version in ("1.0", "1.1", "1.2"):
        index.offer("pkg", f"pkg-{version}.tar.gz", make_sdist("pkg", version, {"a.py": version}))
    return index


def test_the_git_host_is_asked_first(host: Worktree, offered: LocalIndex) -> None:
    report = sync_upstream("pkg", upstream(host.path.as_uri()))
    assert report.origin == "git"
    assert report.folder == clone_folder("pkg")
    assert report.head == host.git("rev-parse", "HEAD")
    assert report.present == ("v1.0",)
    assert sorted(report.fetched) == ["main", "v1.0"]
    assert report.warnings == ()
    assert offered.requests == []


def test_the_index_is_asked_where_the_host_does_not_answer(offered: LocalIndex) -> None:
    report = sync_upstream("pkg", upstream(NOWHERE))
    assert report.origin == "pypi"
    assert report.folder == releases_folder("pkg")
    assert report.present == report.fetched == ("v1.0", "v1.2")  # the pin and the newest
    assert NOWHERE in report.warnings[0]


def test_without_package_the_hosts_failure_is_told(offered: LocalIndex) -> None:
    with pytest.raises(Incomplete, match="nowhere"):
        sync_upstream("pkg", upstream(NOWHERE, package=None))
    with pytest.raises(UserMistake, match="no source releases"):
        sync_upstream("pkg", upstream(NOWHERE, package=None), origin="pypi")
    with pytest.raises(Incomplete, match="nowhere"):
        sync_upstream("pkg", upstream(NOWHERE), origin="git")


def test_a_pinned_commit_is_fetched_by_its_id(host: Worktree) -> None:
    pin = host.git("rev-parse", "HEAD~2")
    report = sync_upstream("pkg", upstream(host.path.as_uri(), commit=pin), origin="git")
    assert report.present == (pin,)
    assert report.warnings == ()


def test_a_pin_that_cannot_be_had_brings_its_neighbours(host: Worktree) -> None:
    study = upstream(host.path.as_uri(), commit=UNKNOWN, stand_in="v1.1", bracket=("v1.0", "v1.2"))
    report = sync_upstream("pkg", study, origin="git")
    assert report.present == ("v1.0", "v1.1", "v1.2")
    assert UNKNOWN in report.warnings[0]


def test_a_pinned_commit_brings_its_neighbours_from_the_index(offered: LocalIndex) -> None:
    study = upstream(NOWHERE, commit=UNKNOWN, stand_in="v1.0", bracket=("v1.0", "v1.1"))
    report = sync_upstream("pkg", study, origin="pypi")
    assert report.present == ("v1.0", "v1.1", "v1.2")


@pytest.mark.parametrize("origin", ["git", "pypi"])
def test_chosen_releases(origin: str, host: Worktree, offered: LocalIndex) -> None:
    study = upstream(host.path.as_uri(), release="v1.1")
    report = sync_upstream("pkg", study, origin=origin, releases="1.1..1.2")
    assert report.present == ("v1.1", "v1.2")
    with pytest.raises(UserMistake, match=r"1\.7"):
        sync_upstream("pkg", study, origin=origin, releases="1.7")


def test_a_wrong_branch_is_the_users_mistake(host: Worktree) -> None:
    host.git("branch", "--move", "trunk")
    with pytest.raises(UserMistake, match="no branch 'main'"):
        sync_upstream("pkg", upstream(host.path.as_uri()))


def test_both_sources_can_be_told_apart(host: Worktree, offered: LocalIndex) -> None:
    """The same file has the same blob id in the clone and in the imported release."""
    sync_upstream("pkg", upstream(host.path.as_uri()), origin="git")
    sync_upstream("pkg", upstream(host.path.as_uri()), origin="pypi")
    with open_sources("pkg") as sources:
        clone, releases = (source.repository for source in sources.describe())
        in_clone = clone.tree(clone.resolve("v1.0")).files
        in_release = releases.tree(releases.resolve("v1.0")).files
        assert in_clone["a.py"] == in_release["a.py"] != ""
        assert (clone.is_release_import, releases.is_release_import) == (False, True)


@pytest.mark.upstream
def test_a_real_release_from_the_real_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """The import against an official archive, where an index can be reached."""
    monkeypatch.delenv("PIP_CONFIG_FILE")
    study = upstream(NOWHERE).model_copy(update={"package": "lmcache"})
    report = sync_upstream("lmcache", study, origin="pypi", releases="0.4.1")
    assert report.present == ("v0.4.1",)
    with open_sources("lmcache") as sources:
        repository, commit = sources.find("0.4.1")
        files = repository.tree(commit).files
        assert "lmcache/__init__.py" in files
        assert not {"PKG-INFO", "lmcache/_version.py"} & files.keys()
        assert b"SPDX-License-Identifier" in repository.read_one(files["setup.py"])
