"""What a repository says of itself to someone who begins a study."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.folders import cache_folder
from annotator.upstream.in_place import place_of, read_in_place
from annotator.upstream.origin import find_origin, web_address
from annotator.upstream.sources import open_sources

MakeRepository = Callable[..., Path]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=T", "-c", "user.email=t@localhost", *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("address", "web"),
    [
        ("https://host.org/owner/project.git", "https://host.org/owner/project"),
        ("https://me:secret@host.org/owner/project/", "https://host.org/owner/project"),
        ("https://host.org:8443/owner/project", "https://host.org:8443/owner/project"),
        ("git@host.org:owner/project.git", "https://host.org/owner/project"),
        ("ssh://git@host.org:22/owner/project.git", "https://host.org/owner/project"),
        ("file:///srv/project.git", ""),
        ("/srv/project.git", ""),
        ("http://host.org/owner/project", ""),
        ("ext::sh -c whoami", ""),
        ("", ""),
    ],
)
def test_the_web_page_of_an_address(address: str, web: str) -> None:
    assert web_address(address) == web


def test_a_plain_local_repository(make_repository: MakeRepository) -> None:
    path = make_repository({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"})
    origin = find_origin(str(path))
    assert (origin.address, origin.git, origin.web) == (str(path), str(path), "")
    assert (origin.title, origin.branch, origin.release) == ("upstream-1", "main", "")
    assert origin.commit == git(path, "rev-parse", "v2")


@pytest.mark.parametrize(("ref", "release"), [("v1", "v1"), ("main~1", "")])
def test_a_tag_is_kept_as_a_release(
    ref: str, release: str, make_repository: MakeRepository
) -> None:
    path = make_repository({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"})
    origin = find_origin(str(path), ref)
    assert (origin.release, origin.commit) == (release, git(path, "rev-parse", "v1"))


def test_a_clone_names_its_git_host(make_repository: MakeRepository, tmp_path: Path) -> None:
    clone = tmp_path / "mine"
    git(tmp_path, "clone", "-q", str(make_repository({"a.py": ""})), str(clone))
    assert find_origin(str(clone)).git == str(clone), "a local origin is no address for others"
    git(clone, "remote", "set-url", "origin", "git@host.org:owner/project.git")
    (clone / "sub").mkdir()
    origin = find_origin(str(clone / "sub"))
    assert (origin.address, origin.web) == (str(clone), "https://host.org/owner/project")
    assert (origin.git, origin.title) == ("git@host.org:owner/project.git", "project")


def test_a_detached_head_has_the_branch_that_holds_it(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    clone = tmp_path / "mine"
    git(tmp_path, "clone", "-q", str(make_repository({"a": "1"}, {"a": "2"})), str(clone))
    git(clone, "checkout", "-q", "v1")
    assert find_origin(str(clone)).branch == "main"


def test_an_address_is_asked(make_repository: MakeRepository) -> None:
    path = make_repository({"a": "1"}, {"a": "2"})
    origin = find_origin(path.as_uri(), "v1")
    assert (origin.branch, origin.release, origin.web) == ("main", "v1", "")
    with pytest.raises(UserMistake, match="has no tag or branch 'v9'"):
        find_origin(path.as_uri(), "v9")


@pytest.mark.parametrize(
    ("repo", "failure", "said"),
    [
        ("nowhere", UserMistake, "neither a folder nor an address"),
        ("ext::sh -c whoami", UserMistake, "annot does not clone from"),
        ("file:///nowhere/at/all", Incomplete, "gives nothing"),
    ],
)
def test_what_is_no_repository(repo: str, failure: type[Exception], said: str) -> None:
    with pytest.raises(failure, match=said):
        find_origin(repo)


def test_a_folder_without_git_and_a_repository_without_commits(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no git repository"):
        find_origin(str(tmp_path))
    git(tmp_path, "init", "-q", "-b", "main")
    with pytest.raises(UserMistake):
        find_origin(str(tmp_path))


def test_a_repository_read_in_place_is_never_behind(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    clone = tmp_path / "mine"
    git(tmp_path, "clone", "-q", str(make_repository({"a": "1"})), str(clone))
    assert place_of("demo") is None
    read_in_place("demo", clone).close()
    (clone / "a").write_text("2", encoding="utf-8")
    git(clone, "commit", "-q", "-a", "-m", "two")
    with open_sources("demo") as sources:
        (source,) = sources.describe()
        assert source.kind == "local"
        assert sources.find("HEAD")[1] == git(clone, "rev-parse", "HEAD")
    clone.rename(tmp_path / "elsewhere")
    assert place_of("demo") is None, "a repository that has gone is no source"


def test_a_repository_without_commits_is_not_read_in_place(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with pytest.raises(UserMistake, match="has no commit yet"):
        read_in_place("demo", tmp_path)
    assert place_of("demo") is None


@pytest.mark.parametrize("content", ["", "relative/path", "/nowhere/at/all", "\0", "/tmp\n/x"])
def test_a_note_of_a_place_that_says_nothing_useful_is_none(content: str) -> None:
    """A kill while it was written left it empty, which the working folder was taken for."""
    file = cache_folder() / "sources" / "demo" / "in-place"
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    assert place_of("demo") is None
