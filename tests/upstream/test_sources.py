"""Which repository answers for a ref."""

from pathlib import Path

import pytest
from upstream_builders import LocalIndex, Worktree, make_sdist

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.clone import update_clone
from annotator.upstream.folders import CACHE_VARIABLE, cache_folder, clone_folder, releases_folder
from annotator.upstream.release_choice import parse_releases
from annotator.upstream.release_sync import sync_releases
from annotator.upstream.sources import open_sources

UNKNOWN = "f3871c3cbf8a608f7ee833ec4c2c5277f77bee41"


@pytest.fixture
def both(worktree: Worktree, index: LocalIndex) -> dict[str, str]:
    """A shallow clone (v2.0 and HEAD) and imported releases (v1.0, v1.1)."""
    ids = {
        "old": worktree.commit("old", {"a.py": "0"}),
        "v2.0": worktree.commit("two", {"a.py": "2"}),
    }
    worktree.git("tag", "v2.0")
    ids["HEAD"] = worktree.commit("three", {"a.py": "3"})
    update_clone(worktree.path.as_uri(), clone_folder("pkg"), branch="main", tags=["v2.0"])
    for version in ("1.0", "1.1"):
        data = make_sdist("pkg", version, {"a.py": version})
        index.offer("pkg", f"pkg-{version}.tar.gz", data)
    sync_releases("pkg", parse_releases("1.0,1.1"), releases_folder("pkg"))
    return ids


@pytest.mark.parametrize(
    ("ref", "kind", "content"),
    [
        ("HEAD", "clone", b"3"),
        ("@", "clone", b"3"),
        ("v2.0", "clone", b"2"),
        ("2.0", "clone", b"2"),
        ("main", "clone", b"3"),
        ("1.0", "releases", b"1.0"),
        ("v1.1", "releases", b"1.1"),
        ("v1.1~1", "releases", b"1.0"),
    ],
)
def test_the_first_repository_that_has_it(
    ref: str, kind: str, content: bytes, both: dict[str, str]
) -> None:
    with open_sources("pkg") as sources:
        repository, commit = sources.find(ref)
        assert {s.kind: s.repository for s in sources.describe()}[kind] is repository
        assert repository.read_one(repository.tree(commit).files["a.py"]) == content


def test_steps_back_from_head_never_leave_the_first_repository(both: dict[str, str]) -> None:
    """The shallow clone has no HEAD~1; the one of the imported releases would be another commit."""
    with open_sources("pkg") as sources, pytest.raises(Incomplete, match="HEAD~1"):
        sources.find("HEAD~1")


def test_a_given_repository_comes_first(both: dict[str, str], worktree: Worktree) -> None:
    worktree.git("checkout", "--quiet", both["old"])
    with open_sources("pkg", worktree.path) as sources:
        assert [source.kind for source in sources.describe()] == ["given", "clone", "releases"]
        repository, commit = sources.find("HEAD")
        assert commit == both["old"] == sources.describe()[0].head
        assert repository.path == worktree.path
        assert sources.find("1.0")[0] is sources.describe()[2].repository


def test_without_any_source_it_is_incomplete() -> None:
    with open_sources("pkg") as sources, pytest.raises(Incomplete) as caught:
        sources.find("HEAD")
    assert "annot sync pkg" in caught.value.hint


def test_an_unknown_commit_is_incomplete_and_an_unknown_name_a_mistake(
    both: dict[str, str],
) -> None:
    with open_sources("pkg") as sources:
        with pytest.raises(Incomplete) as incomplete:
            sources.find(UNKNOWN)
        assert "annot sync pkg" in incomplete.value.hint
        with pytest.raises(UserMistake) as mistake:
            sources.find("v1.2")
        assert "v1.0" in mistake.value.hint
        assert "v1.1" in mistake.value.hint
        with pytest.raises(UserMistake):
            sources.find("--all")


def test_a_first_sync_that_did_not_finish_is_no_source(worktree: Worktree) -> None:
    worktree.git("init", "--quiet", "--bare", str(clone_folder("pkg")))
    with open_sources("pkg") as sources:
        assert sources.describe() == ()


def test_a_damaged_clone_is_incomplete(tmp_path: Path) -> None:
    clone_folder("pkg").mkdir(parents=True)
    (clone_folder("pkg") / "HEAD").write_text("nonsense")
    with pytest.raises(Incomplete) as caught:
        open_sources("pkg")
    assert str(clone_folder("pkg")) in caught.value.hint


def test_a_given_folder_that_is_no_repository_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no git repository"):
        open_sources("pkg", tmp_path)


def test_the_cache_lies_where_the_system_keeps_caches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "own"))
    assert clone_folder("x") == tmp_path / "own" / "sources" / "x" / "clone.git"
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder().name.lower() in {"annot", "cache"}
