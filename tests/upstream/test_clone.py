"""Clones of a git host: only what is asked for, all of it or nothing."""

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from upstream_builders import Worktree

from annotator.model.failures import Incomplete
from annotator.upstream.clone import remote_refs, update_clone
from annotator.upstream.repository import open_repository

if TYPE_CHECKING:
    from annotator.upstream.progress import Step


@pytest.fixture
def host(worktree: Worktree) -> Worktree:
    """A git host with a branch of three commits and a tag at the second."""
    worktree.commit("one", {"a.py": "1\n"})
    worktree.commit("two", {"a.py": "2\n"})
    worktree.git("tag", "--annotate", "--message", "first", "v1.0")
    worktree.commit("three", {"a.py": "3\n"})
    return worktree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sources" / "x" / "clone.git"


def test_a_host_lists_branches_and_tags(host: Worktree) -> None:
    refs = remote_refs(host.path.as_uri())
    assert list(refs.branches) == ["main"]
    assert list(refs.tags) == ["v1.0"]


@pytest.mark.parametrize("address", ["file:///nowhere/at/all", "https://127.0.0.1:9/x.git"])
def test_a_host_that_does_not_answer_is_incomplete(address: str) -> None:
    with pytest.raises(Incomplete) as caught:
        remote_refs(address)
    assert address in str(caught.value)
    assert "--from pypi" in caught.value.hint


def test_a_host_that_is_silent_is_given_up_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"https://127.0.0.1:{silent.getsockname()[1]}/x.git"
        started = time.monotonic()
        with pytest.raises(Incomplete, match=r"did not answer within 0\.3 s"):
            remote_refs(address, timeout=0.3)
        assert time.monotonic() - started < 5


def test_only_the_wanted_commits_are_fetched(host: Worktree, folder: Path) -> None:
    first = host.git("rev-parse", "HEAD~2")
    done = update_clone(host.path.as_uri(), folder, branch="main", tags=["v1.0"], commits=[first])
    assert sorted(done.fetched) == sorted(["main", "v1.0", first])
    assert done.refused == ()
    with open_repository(folder) as repository:
        assert repository.is_shallow
        assert repository.head == host.git("rev-parse", "HEAD")
        for ref, content in (("HEAD", b"3\n"), ("v1.0", b"2\n"), (first, b"1\n")):
            files = repository.tree(repository.resolve(ref)).files
            assert repository.read_one(files["a.py"]) == content
    listed = Worktree(folder).git("for-each-ref", "--format=%(refname)").splitlines()
    assert listed == [f"refs/annot/pins/{first}", "refs/heads/main", "refs/tags/v1.0"]


def test_an_update_follows_the_branch_even_if_it_was_rewritten(
    host: Worktree, folder: Path
) -> None:
    update_clone(host.path.as_uri(), folder, branch="main")
    assert update_clone(host.path.as_uri(), folder, branch="main").fetched == ()
    host.git("reset", "--quiet", "--hard", "HEAD~1")
    rewritten = host.commit("another three", {"a.py": "4\n"})
    assert update_clone(host.path.as_uri(), folder, branch="main").fetched == ("main",)
    with open_repository(folder) as repository:
        assert repository.head == rewritten


def test_a_commit_that_is_there_is_not_fetched_again(host: Worktree, folder: Path) -> None:
    first = host.git("rev-parse", "HEAD~2")
    update_clone(host.path.as_uri(), folder, branch="main", commits=[first])
    host.git("config", "uploadpack.allowAnySHA1InWant", "false")
    steps: list[Step] = []
    done = update_clone(
        host.path.as_uri(), folder, branch="main", commits=[first], progress=steps.append
    )
    assert done == ((), ())


def test_a_failed_update_leaves_the_clone_as_it_was(host: Worktree, folder: Path) -> None:
    update_clone(host.path.as_uri(), folder, branch="main")
    before = Worktree(folder).git("for-each-ref")
    host.commit("four", {"a.py": "4\n"})
    for branch, tag in (("main", "v9"), ("v9", "v1.0")):
        with pytest.raises(Incomplete, match="v9"):
            update_clone(host.path.as_uri(), folder, branch=branch, tags=[tag])
        assert Worktree(folder).git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert Worktree(folder).git("for-each-ref") == before


def test_a_commit_that_the_host_does_not_give_is_told(host: Worktree, folder: Path) -> None:
    unknown = "f3871c3cbf8a608f7ee833ec4c2c5277f77bee41"
    done = update_clone(host.path.as_uri(), folder, branch="main", commits=[unknown])
    assert done.refused == (unknown,)
    assert done.fetched == ("main",)


def test_history_comes_on_demand_without_old_files(host: Worktree, folder: Path) -> None:
    update_clone(host.path.as_uri(), folder, branch="main")
    update_clone(host.path.as_uri(), folder, branch="main", tags=["v1.0"], history=True)
    host.commit("four", {"b.py": "4\n"})
    update_clone(host.path.as_uri(), folder, branch="main")  # does not cut it off again
    with open_repository(folder) as repository:
        assert not repository.is_shallow
        assert repository.is_partial
        first, head = repository.resolve("HEAD~3"), repository.head
        assert len(repository.first_parent_commits(first, head, ["a.py"])) == 2
        assert repository.read_one(repository.tree(first).files["a.py"]) == b"1\n"
    indexed = Worktree(folder).git("commit-graph", "verify")
    assert list(folder.glob("objects/info/commit-graph*")), indexed


def test_progress_is_told(host: Worktree, folder: Path) -> None:
    host.commit("many", {f"f{number}": f"{number}\n" for number in range(200)})
    steps: list[Step] = []
    update_clone(host.path.as_uri(), folder, branch="main", progress=steps.append)
    assert {step.stage for step in steps} >= {"the host counts objects", "receiving objects"}
    assert any(step.done == step.total for step in steps)


def test_an_unreachable_host_does_not_spoil_the_clone(
    host: Worktree, folder: Path, make_worktree: Callable[..., Worktree]
) -> None:
    update_clone(host.path.as_uri(), folder, branch="main")
    with pytest.raises(Incomplete):
        update_clone("file:///nowhere/at/all", folder, branch="main")
    with open_repository(folder) as repository:
        assert repository.tree(repository.head).files
