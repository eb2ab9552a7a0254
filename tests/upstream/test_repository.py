"""Reading repositories of every kind, through their objects."""

import shutil
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from upstream_builders import Worktree

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.blobs import WINDOW, Oversize
from annotator.upstream.git_program import git_environment
from annotator.upstream.repository import open_repository

UNKNOWN = "f3871c3cbf8a608f7ee833ec4c2c5277f77bee41"
LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def three_commits(worktree: Worktree) -> list[str]:
    ids = [
        worktree.commit("one", {"a.py": "a = 1\n", "pkg/b.py": LINES}),
        worktree.commit("two\n\nBecause of it.\n", {"a.py": "a = 2\n"}),
        worktree.commit(
            "three", {"pkg/b.py": None, "pkg/c.py": LINES + "more\n", "ünï.md": "# ü\n"}
        ),
    ]
    worktree.git("tag", "v0.1.0", ids[0])
    worktree.git("tag", "--annotate", "--message", "second", "v0.2.0", ids[1])
    return ids


@pytest.mark.parametrize(
    "kind", ["ordinary", "bare", "shallow", "partial", "worktree", "subfolder"]
)
def test_every_kind_of_repository_opens(
    kind: str, worktree: Worktree, three_commits: list[str], tmp_path: Path
) -> None:
    address, other = worktree.path.as_uri(), tmp_path / "other"
    path = other
    if kind == "ordinary":
        path = worktree.path
    elif kind == "bare":
        worktree.git("clone", "--quiet", "--bare", address, str(other))
    elif kind == "shallow":
        worktree.git("clone", "--quiet", "--depth=1", address, str(other))
    elif kind == "partial":
        worktree.git("clone", "--quiet", "--bare", "--filter=blob:none", address, str(other))
    elif kind == "worktree":
        worktree.git("worktree", "add", "--quiet", "--detach", str(other), "HEAD")
    else:
        path = worktree.path / "pkg"
    with open_repository(path) as repository:
        assert repository.head == three_commits[-1]
        assert repository.is_shallow == (kind == "shallow")
        assert repository.is_partial == (kind == "partial")
        assert not repository.is_release_import
        files = repository.tree(repository.head).files
        assert list(files) == ["a.py", "pkg/c.py", "ünï.md"]
        assert repository.read_one(files["a.py"]) == b"a = 2\n"


def test_sha256_repository(make_worktree: Callable[..., Worktree]) -> None:
    worktree = make_worktree("sha256", "--object-format=sha256")
    old = worktree.commit("one", {"a.py": LINES, "b.py": "b\n"})
    new = worktree.commit("two", {"a.py": None, "c.py": LINES})
    with open_repository(worktree.path) as repository:
        assert len(repository.head) == 64
        tree = repository.tree(new)
        assert dict(repository.read(tree.files.values())) == {
            tree.files["b.py"]: b"b\n",
            tree.files["c.py"]: LINES.encode(),
        }
        assert repository.renames(old, new) == {"a.py": ("c.py", 1.0)}
        assert [commit.id for commit in repository.first_parent_commits(old, new)] == [new]


def test_a_folder_without_repository_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no git repository"):
        open_repository(tmp_path)
    with pytest.raises(UserMistake, match="no folder"):
        open_repository(tmp_path / "missing")


def test_a_synced_folder_is_not_looked_for_upward(worktree: Worktree) -> None:
    worktree.commit("one", {"cache/x": "x\n"})
    with pytest.raises(UserMistake):
        open_repository(worktree.path / "cache", search_upward=False)


def test_a_repository_of_another_user_needs_the_users_trust(
    worktree: Worktree, three_commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch for such tests
    with pytest.raises(UserMistake, match="another user") as caught:
        open_repository(worktree.path)
    assert f"safe.directory {worktree.path}" in caught.value.hint


def test_variables_of_a_running_hook_do_not_lead_astray(
    worktree: Worktree,
    three_commits: list[str],
    make_worktree: Callable[..., Worktree],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = make_worktree("notes")
    notes.commit("notes", {"README": "notes\n"})
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(notes.path / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(notes.path / ".git" / "objects"))
    with open_repository(worktree.path) as repository:
        assert repository.head == three_commits[-1]


# --- resolve


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        ("HEAD", 2),
        ("HEAD~2", 0),
        ("main", 2),
        ("v0.1.0", 0),
        ("0.1.0", 0),
        ("v0.2.0", 1),
        ("refs/tags/v0.2.0", 1),
        ("v0.2.0~1", 0),
    ],
)
def test_refs_resolve_to_full_ids(
    ref: str, number: int, worktree: Worktree, three_commits: list[str]
) -> None:
    with open_repository(worktree.path) as repository:
        assert repository.resolve(ref) == three_commits[number]
        assert repository.resolve(three_commits[number][:10]) == three_commits[number]


def test_a_tag_without_v_is_found_by_a_version_with_v(worktree: Worktree) -> None:
    commit = worktree.commit("one", {"a": "a\n"})
    worktree.git("tag", "1.2.0")
    with open_repository(worktree.path) as repository:
        assert repository.resolve("v1.2.0") == commit


def test_an_unknown_ref_lists_close_names(worktree: Worktree, three_commits: list[str]) -> None:
    with open_repository(worktree.path) as repository:
        with pytest.raises(UserMistake) as caught:
            repository.resolve("v0.3.0")
        assert "v0.1.0" in caught.value.hint
        assert "v0.2.0" in caught.value.hint


def test_a_tree_is_no_commit(worktree: Worktree, three_commits: list[str]) -> None:
    with (
        open_repository(worktree.path) as repository,
        pytest.raises(UserMistake, match="no commit"),
    ):
        repository.resolve(worktree.git("rev-parse", "HEAD^{tree}"))


def test_a_full_id_that_is_missing_is_incomplete(
    worktree: Worktree, three_commits: list[str], tmp_path: Path
) -> None:
    with open_repository(worktree.path) as repository, pytest.raises(Incomplete) as caught:
        repository.resolve(UNKNOWN)
    assert "annot sync" in caught.value.hint
    shallow = tmp_path / "shallow"
    worktree.git("clone", "--quiet", "--depth=1", worktree.path.as_uri(), str(shallow))
    with open_repository(shallow) as repository, pytest.raises(Incomplete) as caught:
        repository.resolve(three_commits[0])
    assert "shallow" in str(caught.value)
    assert "--depth 1" in caught.value.hint


def test_options_are_not_resolved(worktree: Worktree, three_commits: list[str]) -> None:
    with open_repository(worktree.path) as repository, pytest.raises(UserMistake):
        repository.resolve("--all")


# --- trees and blobs


def test_links_and_submodules_are_kept_apart(worktree: Worktree) -> None:
    inner = worktree.commit("one", {"real.py": "x = 1\n"})
    worktree.git("update-index", "--add", "--cacheinfo", f"160000,{inner},third_party/sub")
    link = worktree.git("hash-object", "-w", "real.py")
    worktree.git("update-index", "--add", "--cacheinfo", f"120000,{link},link.py")
    worktree.git("update-index", "--add", "--cacheinfo", f"100755,{link},run.sh")
    worktree.git("commit", "--quiet", "--message", "two")
    worktree.git("update-index", "--force-remove", "link.py")
    worktree.git("update-index", "--add", "--cacheinfo", f"120000,{link},link2.py")
    worktree.git("commit", "--quiet", "--message", "three")
    with open_repository(worktree.path) as repository:
        assert repository.renames(repository.resolve("HEAD~1"), repository.head) == {}
        tree = repository.tree(repository.resolve("HEAD~1"))
        assert tree.files == {"real.py": link, "run.sh": link}
        assert tree.links == {"link.py", "third_party/sub"}


def test_paths_that_are_not_utf8_are_kept_apart(worktree: Worktree) -> None:
    """No study and no report, which are UTF-8, could name them."""
    worktree.commit("one", {"a": "a\n"})
    blob = worktree.git("hash-object", "-w", "a")
    entry = b"100644 blob " + blob.encode() + b"\t"
    listing = entry + b"caf\xe9\ttab\n.py\0" + entry + "caf\xe9\ttab\n.py\0".encode()
    tree = worktree.git_bytes("mktree", "-z", stdin=listing)
    commit = worktree.git("commit-tree", "-m", "x", tree)
    worktree.git("update-ref", b"refs/tags/\xff", commit)  # type: ignore[arg-type]
    with open_repository(worktree.path) as repository:
        found = repository.tree(commit)
        assert dict(found.files) == {"caf\xe9\ttab\n.py": blob}
        [unnamed] = found.unnamed
        assert unnamed.encode("utf-8", "surrogateescape") == b"caf\xe9\ttab\n.py"
        assert repository.tags() == {}


def test_blobs_come_in_the_given_order_and_as_often(
    worktree: Worktree, three_commits: list[str]
) -> None:
    with open_repository(worktree.path) as repository:
        files = repository.tree(repository.head).files
        asked = [files["pkg/c.py"], files["a.py"], files["pkg/c.py"]]
        assert [blob for blob, _ in repository.read(asked)] == asked
        assert list(repository.read([])) == []


def test_many_large_blobs_do_not_block(worktree: Worktree) -> None:
    """Far more than the pipes hold, in both directions."""
    files = {f"f{number}": f"{number}\n".encode() * 30_000 for number in range(3 * WINDOW)}
    worktree.commit("one", files)
    with open_repository(worktree.path) as repository:
        blobs = repository.tree(repository.head).files
        names = {blob: name for name, blob in blobs.items()}
        seen = {names[blob]: content for blob, content in repository.read(blobs.values())}
    assert seen == files


def test_loops_over_blobs_may_be_interleaved_left_and_threaded(worktree: Worktree) -> None:
    worktree.commit("one", {f"f{number}": f"{number}\n" for number in range(3 * WINDOW)})
    with open_repository(worktree.path) as repository:
        files = repository.tree(repository.head).files
        expected = {blob: f"{name[1:]}\n".encode() for name, blob in files.items()}
        left = repository.read(files.values())
        next(left)
        left.close()
        one, other = repository.read(files.values()), repository.read(reversed(files.values()))
        assert all(
            expected[a] == x and expected[b] == y for (a, x), (b, y) in zip(one, other, strict=True)
        )
        results: list[bool] = []
        threads = [
            threading.Thread(
                target=lambda: results.append(dict(repository.read(files.values())) == expected)
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [True] * 4


def test_a_blob_above_the_limit_is_marked_and_the_next_one_read(
    worktree: Worktree,
) -> None:
    worktree.commit("one", {"big": "x" * 5000, "small": "y"})
    with open_repository(worktree.path) as repository:
        files = repository.tree(repository.head).files
        big, small = repository.read([files["big"], files["small"]], size_limit=4999)
        assert isinstance(big[1], Oversize)
        assert big[1].size == 5000
        assert big[1] == b""
        assert small[1] == b"y"
        assert len(repository.read_one(files["big"], size_limit=5000)) == 5000


def test_a_missing_blob_is_incomplete_and_reading_goes_on(
    worktree: Worktree, three_commits: list[str]
) -> None:
    with open_repository(worktree.path) as repository:
        with pytest.raises(Incomplete, match=str(worktree.path)):
            repository.read_one(UNKNOWN)
        with pytest.raises(Incomplete, match="commit"):
            repository.read_one(three_commits[0])
        files = repository.tree(repository.head).files
        assert repository.read_one(files["a.py"]) == b"a = 2\n"
        with pytest.raises(ValueError, match="no full object id"):
            repository.read_one("HEAD")


def test_a_closed_repository_can_be_read_again(
    worktree: Worktree, three_commits: list[str]
) -> None:
    repository = open_repository(worktree.path)
    blob = repository.tree(repository.head).files["a.py"]
    for _ in range(2):
        assert repository.read_one(blob) == b"a = 2\n"
        repository.close()


def test_replacement_objects_do_not_count(worktree: Worktree, three_commits: list[str]) -> None:
    """A hostile clone could show other content under a reviewed id."""
    worktree.git("replace", three_commits[2], three_commits[0])
    with open_repository(worktree.path) as repository:
        assert "pkg/c.py" in repository.tree(three_commits[2]).files


# --- differences and history


def test_changed_paths_and_renames(worktree: Worktree, three_commits: list[str]) -> None:
    first, _, third = three_commits
    with open_repository(worktree.path) as repository:
        assert repository.changed_paths(first, third) == {
            "a.py": "M",
            "pkg/b.py": "D",
            "pkg/c.py": "A",
            "ünï.md": "A",
        }
        ((old, (new, similarity)),) = repository.renames(first, third).items()
        assert (old, new) == ("pkg/b.py", "pkg/c.py")
        assert 0.9 < similarity < 1
        assert repository.renames(first, first) == {}


def test_renames_fall_back_to_unchanged_files_where_contents_are_missing(
    worktree: Worktree,
) -> None:
    old = worktree.commit("one", {"same": LINES, "edited": LINES + "x\n"})
    new = worktree.commit("two", {"same": None, "edited": None, "s2": LINES, "e2": LINES + "y\n"})
    missing = worktree.git("rev-parse", f"{new}:e2")
    (worktree.path / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    with open_repository(worktree.path) as repository:
        assert repository.renames(old, new) == {"same": ("s2", 1.0)}


def test_first_parent_history(worktree: Worktree) -> None:
    base = worktree.commit("base", {"a.py": "1\n", "b.py": "1\n"})
    worktree.git("checkout", "--quiet", "-b", "side")
    worktree.commit("on the side", {"a.py": "2\n"})
    worktree.git("checkout", "--quiet", "main")
    plain = worktree.commit("plain\n\nWith a body.\n\nSigned-off-by: Ada\n", {"b.py": "2\n"})
    worktree.git("merge", "--quiet", "--no-ff", "--message", "merge side", "side")
    merge = worktree.git("rev-parse", "HEAD")
    with open_repository(worktree.path) as repository:
        every = repository.first_parent_commits(base, merge)
        assert [commit.id for commit in every] == [plain, merge]
        assert [len(commit.parents) for commit in every] == [1, 2]
        assert every[0].author == "Ada"
        assert every[0].subject == "plain"
        assert every[0].body == "With a body.\n\nSigned-off-by: Ada"
        assert every[0].date[:4].isdigit()
        assert [c.subject for c in repository.first_parent_commits(base, merge, ["a.py"])] == [
            "merge side"
        ]
        assert repository.first_parent_commits(base, merge, [":(glob)**"]) == []
        assert repository.merge_base(base, merge) == base
        assert repository.commit(plain) == every[0]
        assert repository.upstream_commit(plain) == plain


def test_the_line_of_first_parents(worktree: Worktree) -> None:
    root = worktree.commit("root", {"a.py": "1\n"})
    base = worktree.commit("base", {"a.py": "2\n"})
    worktree.git("checkout", "--quiet", "-b", "side")
    side = worktree.commit("on the side", {"a.py": "3\n"})
    worktree.git("checkout", "--quiet", "main")
    plain = worktree.commit("plain", {"b.py": "2\n"})
    worktree.git("merge", "--quiet", "--no-ff", "--message", "merge side", "side")
    merge = worktree.git("rev-parse", "HEAD")
    with open_repository(worktree.path) as repository:
        assert repository.first_parent_line(base, merge) == (base, [plain, merge])
        assert repository.first_parent_line(side, merge) == (base, [plain, merge])
        assert repository.first_parent_line(merge, base) == ("", [])
        assert repository.first_parent_line(root, base) == (root, [base])
        assert repository.first_parent_line(plain, root) == ("", [])


def test_some_files_of_a_commit(worktree: Worktree) -> None:
    commit = worktree.commit("one", {"a.py": "1\n", "d/b*.py": "2\n", "d/bc.py": "3\n"})
    wanted = ["d/b*.py", "d", "none.py", "a.py", ":(glob)**"]
    with open_repository(worktree.path) as repository:
        some = repository.files_at(commit, wanted)
        files = repository.tree(commit).files
        assert some == {path: files[path] for path in ("a.py", "d/b*.py")}
        assert repository.files_at(commit, wanted) == some
        assert repository.files_at(commit, ["a.py", *(f"{n}.py" for n in range(9999))]) == {
            "a.py": files["a.py"]
        }
        with pytest.raises(Incomplete):
            repository.files_at("0" * 40, ["a.py"])


def test_unrelated_commits_have_no_merge_base(worktree: Worktree) -> None:
    one = worktree.commit("one", {"a": "a\n"})
    worktree.git("checkout", "--quiet", "--orphan", "fresh")
    other = worktree.commit("other", {"a": "b\n"})
    with open_repository(worktree.path) as repository:
        assert repository.merge_base(one, other) is None


def test_history_is_chained(worktree: Worktree, three_commits: list[str]) -> None:
    with open_repository(worktree.path) as repository:
        listed = repository.first_parent_commits(three_commits[0], three_commits[2])
    assert all(newer.parents == (older.id,) for older, newer in pairwise(listed))


# --- hostile configuration


def test_programs_named_by_a_repository_are_not_run(
    worktree: Worktree, three_commits: list[str], tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    evil.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "diff.x.textconv"):
        worktree.git("config", key, str(evil))
    worktree.git("config", "log.showSignature", "true")
    worktree.git("config", "alias.rev-list", f"!{evil}")
    worktree.commit("attributes", {".gitattributes": "*.py diff=x\n"})
    ran.unlink(missing_ok=True)  # what the builder's own commands started
    with open_repository(worktree.path) as repository:
        head = repository.head
        repository.renames(three_commits[0], head)
        repository.first_parent_commits(three_commits[0], head)
        repository.read_one(repository.tree(head).files["a.py"])
    assert not ran.exists()


# --- partial clones


@pytest.fixture
def partial(worktree: Worktree, three_commits: list[str], tmp_path: Path) -> Worktree:
    path = tmp_path / "partial.git"
    worktree.git(
        "clone", "--quiet", "--bare", "--filter=blob:none", worktree.path.as_uri(), str(path)
    )
    return Worktree(path)


def packs(clone: Worktree) -> int:
    return len(list((clone.path / "objects" / "pack").glob("*.pack")))


def test_what_a_partial_clone_left_out_is_fetched_in_one_go(partial: Worktree) -> None:
    before = packs(partial)
    with open_repository(partial.path) as repository:
        files = repository.tree(repository.head).files
        assert repository.read_one(files["a.py"]) == b"a = 2\n"
        assert packs(partial) == before + 1
        assert len(dict(repository.read(files.values()))) == 3
        assert packs(partial) == before + 2
        assert len(dict(repository.read(files.values()))) == 3
    assert packs(partial) == before + 2


def test_what_was_fetched_once_needs_no_remote_any_more(
    partial: Worktree, worktree: Worktree
) -> None:
    with open_repository(partial.path) as repository:
        blobs = list(repository.tree(repository.head).files.values())
        fetched = list(repository.read(blobs))
        shutil.move(worktree.path, worktree.path.with_name("gone"))
        assert list(repository.read(blobs)) == fetched
    with open_repository(partial.path) as repository:
        assert list(repository.read(blobs)) == fetched


def test_reading_never_uses_the_network() -> None:
    """Not even with a git that does not know GIT_NO_LAZY_FETCH (before 2.44)."""
    assert git_environment()["GIT_ALLOW_PROTOCOL"] == "none"
    assert "ext" not in git_environment(network=True)["GIT_ALLOW_PROTOCOL"].split(":")


def test_renames_in_a_partial_clone(partial: Worktree, three_commits: list[str]) -> None:
    with open_repository(partial.path) as repository:
        assert list(repository.renames(three_commits[0], three_commits[2])) == ["pkg/b.py"]


def test_a_partial_clone_without_its_remote_is_incomplete(
    partial: Worktree, worktree: Worktree
) -> None:
    shutil.move(worktree.path, worktree.path.with_name("gone"))
    with open_repository(partial.path) as repository:
        files = repository.tree(repository.head).files
        with pytest.raises(Incomplete, match=r"partial\.git is a partial clone"):
            list(repository.read(files.values()))


@pytest.mark.parametrize(
    "key", ["core.sshCommand", "core.gitProxy", "credential.helper", "remote.origin.uploadpack"]
)
def test_a_partial_clone_may_not_name_programs_for_its_transfers(
    key: str, partial: Worktree, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    partial.git("config", key, f"touch '{ran}'; false")
    with open_repository(partial.path) as repository:
        files = repository.tree(repository.head).files
        with pytest.raises(Incomplete, match="names a program"):
            list(repository.read(files.values()))
    assert not ran.exists()


def test_a_partial_clone_cannot_start_a_transport_helper(partial: Worktree, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    partial.git("config", "protocol.ext.allow", "always")
    partial.git("config", "remote.origin.url", f"ext::sh -c touch% {ran}")
    with open_repository(partial.path) as repository:
        files = repository.tree(repository.head).files
        with pytest.raises(Incomplete):
            list(repository.read(files.values()))
    assert not ran.exists()
