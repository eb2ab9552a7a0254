"""Repositories that are damaged, odd or hostile: an answer, or a plain sentence and exit code 2 or 3."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from annotator.cli.app import run

SOURCE = "def f(x):\n    total = x + 1\n    return total * 2\n"
OTHER = "def f(x):\n    total = x + 2\n    return total * 2\n"


class Answer(NamedTuple):
    """What a command said."""

    code: int
    output: str

    @property
    def outcomes(self) -> dict[str, str]:
        """Outcome of each anchor of a check in JSON."""
        return {
            one["id"]: one["resolution"]["outcome"] for one in json.loads(self.output)["anchors"]
        }


def annot(*arguments: str) -> Answer:
    """Runs a command in this process, as a shell would: what it prints is all that there is."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(list(arguments))
    assert "Traceback" not in said.getvalue(), said.getvalue()
    return Answer(code, said.getvalue())


class Upstream:
    """A working clone that is written to with git itself."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return self.git_bytes(*arguments, stdin=stdin).decode().strip()

    def git_bytes(self, *arguments: str, stdin: bytes = b"") -> bytes:
        command = ["git", "-c", "user.name=Ada", "-c", "user.email=a@b.c", "-c", "gc.auto=0"]
        done = subprocess.run(
            [*command, *arguments], cwd=self.folder, input=stdin, capture_output=True, check=True
        )
        return done.stdout

    def commit(self, tag: str, entries: dict[str | bytes, tuple[str, bytes | str]]) -> None:
        """A commit of exactly these entries: path → mode and content (or object id, of a submodule)."""
        index = b""
        for path, (mode, content) in entries.items():
            name = os.fsencode(path) if isinstance(path, str) else path
            data = content.encode() if isinstance(content, str) else content
            if mode == "160000":
                blob = data.decode()
            else:
                blob = self.git("hash-object", "-w", "--stdin", stdin=data)
            index += f"{mode} {blob}\t".encode() + name + b"\0"
        self.git("read-tree", "--empty")
        self.git("update-index", "-z", "--index-info", stdin=index)
        self.git("commit", "-q", "--allow-empty", "-m", tag)
        self.git("tag", tag)


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    return Upstream(tmp_path / "upstream")


MakeStudy = Callable[..., Path]


@pytest.fixture
def study_of(make_study: Callable[[str], Path]) -> MakeStudy:
    """Makes a study with one anchor a target."""

    def make(*targets: str) -> Path:
        items = [
            f"  - {{id: q01-{number}, target: {json.dumps(target, ensure_ascii=False)},"
            ' note: {zh: "注", en: "N"}}\n'
            for number, target in enumerate(targets)
        ]
        return make_study("".join(items))

    return make


def check(study: Path, upstream: Upstream | Path, *more: str) -> Answer:
    repo = upstream.folder if isinstance(upstream, Upstream) else upstream
    return annot(*("check", "--study", str(study), "--repo", str(repo), "--format", "json", *more))


def plain(text: str) -> tuple[str, str]:
    return "100644", text


# --- what stands where a file was


LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 9\n"
INSTEAD: dict[str, tuple[tuple[str, bytes | str], str]] = {
    "a link to another file": (("120000", "b.py"), "gone"),
    "a link out of the tree": (("120000", "/etc/passwd"), "gone"),
    "a link to itself": (("120000", "a.py"), "gone"),
    "a submodule": (("160000", "a" * 40), "gone"),
    "an LFS pointer": (plain(LFS), "gone"),
    "nothing at all": (plain(""), "gone"),
    "zeros": (("100644", b"\0" * 5000), "gone"),
    "UTF-16": (("100644", SOURCE.encode("utf-16")), "gone"),
    "broken syntax": (plain("def f(x:\n  (((\n"), ""),
    "one endless line": (plain("x = [" + "1," * 400_000 + "]"), "gone"),
    "a program now": (("100755", SOURCE), "ok"),
    "line ends of DOS": (plain(SOURCE.replace("\n", "\r\n")), "ok"),
    "a mark of byte order": (("100644", b"\xef\xbb\xbf" + SOURCE.encode()), "ok"),
    "bytes that are no UTF-8": (("100644", SOURCE.encode() + b"# \xff\xfe\n"), "ok"),
}


@pytest.mark.parametrize("name", INSTEAD)
def test_what_stands_where_the_file_was(name: str, upstream: Upstream, study_of: MakeStudy) -> None:
    entry, outcome = INSTEAD[name]
    upstream.commit("v1", {"a.py": plain(SOURCE), "b.py": plain("B = 1\n")})
    upstream.commit("v2", {"a.py": entry, "b.py": plain("B = 1\n")})
    study = study_of("a.py::f", "b.py::B")
    answer = check(study, upstream, "--commit", "v2")
    assert answer.outcomes["q01-1"] == "ok"
    assert answer.outcomes["q01-0"] != "ok" or outcome == "ok"
    if outcome:
        assert answer.outcomes["q01-0"] in {outcome, "error"}, answer.output


# --- names


def test_paths_that_differ_in_case_only(upstream: Upstream, study_of: MakeStudy) -> None:
    upstream.commit("v1", {"Pool.py": plain(SOURCE), "pool.py": plain(OTHER)})
    upstream.commit("v2", {"Pool.py": plain(SOURCE), "pool.py": plain(SOURCE + "x = 1\n")})
    answer = check(study_of("Pool.py::f", "pool.py::f"), upstream, "--commit", "v2")
    assert answer.outcomes == {"q01-0": "ok", "q01-1": "changed"}


ODD_NAMES = [b"\xff\xfe.py", "键.py".encode(), "é.py".encode(), "é.py".encode(), b"a\nb.py", b'q"q.py', b"-x.py", b" .py", b"a\\b.py", b"\x1b[31m.py"]  # fmt: skip


def test_odd_paths_in_the_tree(upstream: Upstream, study_of: MakeStudy) -> None:
    entries: dict[str | bytes, tuple[str, bytes | str]] = {name: plain(OTHER) for name in ODD_NAMES}
    upstream.commit("v1", {"a.py": plain(SOURCE), **entries})
    upstream.commit("v2", {b"\xfdnew.py": plain(SOURCE), **entries})
    upstream.git_bytes("update-ref", b"refs/tags/\xff", "HEAD")  # type: ignore[arg-type]
    study = study_of("a.py::f", "键.py::f")
    answer = check(study, upstream)
    assert answer.outcomes["q01-0"] in {"gone", "ambiguous"}  # the new name cannot be written down
    assert answer.outcomes["q01-1"] == "ok"
    answer.output.encode("utf-8")  # no half a character in it
    common = ("--study", str(study), "--repo", str(upstream.folder))
    for command in (
        ("check", "--commit", "v2", *common),
        ("show", "q01-0", "--commit", "v2", *common),
        ("trace", "q01-0", *common),
        ("map", "--commits", "v1..v2", "--jobs", "1", *common),
    ):
        said = annot(*command)
        assert said.code in {0, 1}, said.output
        assert "\x1b[31m" not in said.output
        said.output.encode("utf-8")


HOSTILE_REFS = ["--upload-pack=touch ran", "-x", "$(touch ran)", "`touch ran`", "a;touch ran", "--output=ran", "HEAD", "v1.0\x07", "…/键"]  # fmt: skip


def test_refs_that_look_like_options(
    upstream: Upstream, study_of: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE)})
    commit = upstream.git("rev-parse", "HEAD")
    packed = [f"{commit} refs/tags/{name.replace(' ', chr(0xA0))}\n" for name in HOSTILE_REFS]
    (upstream.folder / ".git" / "packed-refs").write_text(
        "# pack-refs with: peeled fully-peeled \n" + "".join(sorted(packed)), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    study = study_of("a.py::f")
    assert check(study, upstream).code == 0
    for ref in HOSTILE_REFS:
        answer = check(study, upstream, f"--commit={ref}")
        assert answer.code in {0, 2}, answer.output
    assert check(study, upstream, "--commit", "v9").code == 2  # close names are listed
    said = annot("where", "a.py::f", "--from", "--upload-pack=x", "--repo", str(upstream.folder))
    assert said.code == 2
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c 'touch ran'",
        "--upload-pack=touch ran",
        "-oProxyCommand=touch ran",
        "ssh://-oProxyCommand=touch%20ran/x",
        "git@-oProxyCommand=touch:ran",
        "fd::17/foo",
        "http://example.org/x",
        "file://../../x",
        "javascript:alert(1)",
    ],
)
def test_unsafe_addresses(
    address: str, study_of: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a study from strangers, and on the command line."""
    monkeypatch.chdir(tmp_path)
    study = study_of("a.py::f")
    file = study / "anchors" / "upstreams.yaml"
    text = file.read_text(encoding="utf-8")
    hostile = text.replace("git: https://example.org/demo.git", f"git: {json.dumps(address)}")
    assert hostile != text
    file.write_text(hostile, encoding="utf-8")
    sync = annot("sync", "--study", str(study), "--from", "git")
    assert sync.code in {2, 3}
    (tmp_path / "n.md").write_text("see [it](https://example.org/t/d/blob/v1/a.py#L1)\n", "utf-8")
    for command in (("init", "fresh", "--repo", address), ("import", "n.md", "--into", "fresh", "--repo", address)):  # fmt: skip
        assert annot(*command).code in {2, 3}
    assert not list(tmp_path.rglob("ran"))
    assert not (tmp_path / "fresh" / "anchors").exists()


def test_a_repository_whose_folder_is_no_text(
    upstream: Upstream, study_of: MakeStudy, tmp_path: Path
) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE)})
    folder = tmp_path / os.fsdecode(b"\xff\xfe")
    try:
        upstream.folder.rename(folder)
    except OSError:
        pytest.skip("this file system has no such names")
    study = study_of("a.py::f")
    assert check(study, folder).outcomes == {"q01-0": "ok"}
    assert check(study, folder).outcomes == {"q01-0": "ok"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "annotator",
            "check",
            "--study",
            str(study),
            "--repo",
            os.fsencode(folder) + b"x",
        ],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "does not exist" in done.stderr


# --- many


def test_very_many_refs(upstream: Upstream, study_of: MakeStudy) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE)})
    commit = upstream.git("rev-parse", "HEAD")
    refs = sorted(f"refs/tags/v0.{major}.{minor}" for major in range(200) for minor in range(250))
    packed = "# pack-refs with: peeled fully-peeled sorted \n"
    packed += "".join(f"{commit} {ref}\n" for ref in [*refs, "refs/tags/v1"])
    (upstream.folder / ".git" / "packed-refs").write_text(packed, encoding="utf-8")
    started = time.process_time()
    study = study_of("a.py::f")
    assert check(study, upstream, "--commit", "v0.199.249").code == 0
    assert check(study, upstream, "--commit", "v0.199.x").code == 2
    assert time.process_time() - started < 10


# --- damage


def objects(upstream: Upstream, kind: str) -> list[Path]:
    listing = upstream.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")  # fmt: skip
    ids = [line.split()[0] for line in listing.splitlines() if line.endswith(kind)]
    return [upstream.folder / ".git" / "objects" / id_[:2] / id_[2:] for id_ in ids]


def _empty(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")


def _flip(path: Path) -> None:
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def _cut(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-5])


HURTS: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": _empty,
    "flipped": _flip,
    "cut off": _cut,
}


@pytest.mark.parametrize("kind", ["blob", "tree", "commit", "tag"])
@pytest.mark.parametrize("hurt", HURTS)
def test_damaged_objects_never_look_green(
    kind: str, hurt: str, upstream: Upstream, study_of: MakeStudy
) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE), "d/b.py": plain("B = 1\n")})
    upstream.commit("v2", {"a.py": plain(OTHER), "d/b.py": plain("B = 2\n")})
    upstream.git("tag", "-f", "-a", "-m", "x", "v2", "v2")
    for path in objects(upstream, kind):
        HURTS[hurt](path)
    study = study_of("a.py::f", "d/b.py::B")
    for more in (("--commit", "v2"), ("--commit", "v2", "--blame"), ()):
        assert check(study, upstream, *more).code in {2, 3}
    common = ("--study", str(study), "--repo", str(upstream.folder))
    for command in (("lock",), ("trace", "q01-0"), ("map",), ("where", "a.py::f")):
        assert annot(*command, *common).code != 1 or kind == "tag"


@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "objects", "refs", "index", "shallow", "objects/info/alternates", "objects/info/commit-graph", "info/grafts"])  # fmt: skip
@pytest.mark.parametrize("content", [b"", b"\0\xff" * 40, b"[" * 5000, None], ids=["empty", "bytes", "brackets", "a folder"])  # fmt: skip
def test_a_damaged_git_folder(
    name: str, content: bytes | None, upstream: Upstream, study_of: MakeStudy
) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE)})
    path = upstream.folder / ".git" / name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    assert check(study_of("a.py::f"), upstream).code in {0, 2, 3}


def test_a_partial_clone_whose_remote_is_gone(
    upstream: Upstream, study_of: MakeStudy, tmp_path: Path
) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE)})
    upstream.commit("v2", {"a.py": plain(OTHER)})
    upstream.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial.git"
    upstream.git(
        "clone", "-q", "--bare", "--filter=blob:none", upstream.folder.as_uri(), str(clone)
    )
    upstream.folder.rename(tmp_path / "aside")
    study = study_of("a.py::f")
    offline = check(study, clone, "--commit", "v2")
    assert offline.code == 3
    assert "partial clone" in offline.output
    (tmp_path / "aside").rename(upstream.folder)
    assert check(study, clone, "--commit", "v2").outcomes == {"q01-0": "changed"}


def test_a_repository_with_sha_256(tmp_path: Path, study_of: MakeStudy) -> None:
    upstream = Upstream(tmp_path / "sha256", "--object-format=sha256")
    upstream.commit("v1", {"a.py": plain(SOURCE), "b.py": plain("B = 1\n")})
    upstream.commit("v2", {"a.py": plain(OTHER), "c.py": plain("B = 1\n")})
    study = study_of("a.py::f", "b.py::B")
    common = ("--study", str(study), "--repo", str(upstream.folder))
    assert annot("lock", *common).code == 0
    assert check(study, upstream, "--commit", "v2", "--blame").outcomes == {
        "q01-0": "changed",
        "q01-1": "moved",
    }
    assert check(study, upstream, "--commit", "v1").code == 0
    assert annot("trace", "q01-0", *common).code == 0


# --- hostile


EVIL_CONFIG = """\
[core]
    fsmonitor = {evil}
    sshCommand = {evil}
    editor = {evil}
    pager = {evil}
    askPass = {evil}
    gitProxy = {evil}
    hooksPath = {hooks}
    attributesFile = {attributes}
    alternateRefsCommand = {evil}
[diff]
    external = {evil}
[diff "x"]
    textconv = {evil}
    command = {evil}
[filter "x"]
    clean = {evil}
    smudge = {evil}
    process = {evil}
[merge "x"]
    driver = {evil}
[credential]
    helper = !{evil}
[gpg]
    program = {evil}
[log]
    showSignature = true
[alias]
    rev-list = !{evil}
    cat-file = !{evil}
    ls-tree = !{evil}
    show-ref = !{evil}
[uploadpack]
    packObjectsHook = {evil}
[remote "origin"]
    url = ext::{evil}
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {evil}
    vcs = evil
[extensions]
    partialClone = origin
[protocol "ext"]
    allow = always
[trace2]
    eventTarget = {trace}
[include]
    path = {include}
"""


@pytest.fixture
def hostile(upstream: Upstream, tmp_path: Path) -> Iterator[Upstream]:
    """A clone in which everything that can name a program names one; afterwards none may have run."""
    upstream.commit("v1", {"a.py": plain(SOURCE), "old.py": plain("B = 1\n")})
    attributes = (
        "* diff=x filter=x merge=x working-tree-encoding=UTF-16 ident export-subst text eol=crlf\n"
    )
    modules = '[submodule "../../x"]\n\tpath = sub\n\turl = -u./evil\n\tupdate = !touch ran\n'
    upstream.commit(
        "v2",
        {
            "a.py": plain(OTHER),
            "new.py": plain("B = 1\n"),
            ".gitattributes": plain(attributes),
            ".gitmodules": plain(modules),
            "sub": ("160000", "a" * 40),
            ".git-blame-ignore-revs": plain("--output=ran\n"),
        },
    )
    evil, ran = tmp_path / "evil", tmp_path / "ran"
    evil.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{ran}'\n", encoding="utf-8")
    evil.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-auto-gc"):  # fmt: skip
        shutil.copy(evil, hooks / hook)
        shutil.copy(evil, upstream.folder / ".git" / "hooks" / hook)
    (tmp_path / "attributes").write_text(attributes, encoding="utf-8")
    included = tmp_path / "included"
    included.write_text(f"[core]\n\tfsmonitor = {evil}\n", encoding="utf-8")
    text = EVIL_CONFIG.format(
        evil=evil,
        hooks=hooks,
        attributes=tmp_path / "attributes",
        trace=tmp_path / "trace",
        include=included,
    )
    with (upstream.folder / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(text)
    ran.unlink(missing_ok=True)
    yield upstream
    assert not ran.exists(), ran.read_text(encoding="utf-8")


NOTE = "<!-- annot: demo@v1 -->\n`a.py:2` and [f](https://example.org/demo/blob/v1/a.py#L1-L3)\n"

EVERY_COMMAND: dict[str, tuple[str, ...]] = {
    "check": ("check", "--commit", "v2", "--blame"),
    "lock": ("lock",),
    "show": ("show", "q01-0", "--commit", "v2"),
    "trace": ("trace", "q01-0"),
    "bisect": ("bisect", "q01-0"),
    "explain": ("explain", "q01-0", "--commit", "v2"),
    "where": ("where", "a.py::f", "--from", "v1", "--to", "v2"),
    "map of releases": ("map",),
    "map of commits": ("map", "--commits", "v1..v2", "--jobs", "1"),
    "notes check": ("notes", "check", "note.md", "--commit", "v2"),
    "notes fix": ("notes", "fix", "note.md", "--commit", "v2", "--write"),
    "import": ("import", "note.md"),
    "add": ("add", "a.py:2", "--question", "1", "--note", "N", "--write"),
    "review": ("review", "--list", "--commit", "v2"),
    "accept": ("accept", "--all-moved", "--commit", "v2", "--by", "Ada"),
    "pin": ("pin", "v2", "--upstream", "demo", "--dry-run"),
    "open": ("open", "q01-0", "--editor", "true"),
    "lint": ("lint",),
    "doctor": ("doctor",),
}


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_no_command_runs_what_a_clone_names(
    name: str,
    hostile: Upstream,
    study_of: MakeStudy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = study_of("a.py::f", "old.py::B")
    monkeypatch.chdir(study)
    Path("note.md").write_text(NOTE, encoding="utf-8")
    command: list[str] = [*EVERY_COMMAND[name]]
    if command[0] not in {"lint", "doctor"}:
        command += ["--repo", str(hostile.folder)]
    annot(*command)


def test_a_hostile_host_is_only_talked_to(
    hostile: Upstream, study_of: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of("a.py::f")
    file = study / "anchors" / "upstreams.yaml"
    text = file.read_text(encoding="utf-8")
    address = hostile.folder.as_uri()
    file.write_text(text.replace("https://example.org/demo.git", address), encoding="utf-8")
    for command in (("sync",), ("sync", "--history"), ("check", "--commit", "v1")):
        annot(*command, "--study", str(study))


EVIL_TEXT = "\x1b]0;owned\x07\x1b[2J\u202ereversed\x9b31m"


def test_what_upstream_says_does_not_steer_the_terminal(
    upstream: Upstream, study_of: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream.commit("v1", {"a.py": plain(SOURCE)})
    upstream.git("read-tree", "--empty")
    blob = upstream.git("hash-object", "-w", "--stdin", stdin=f"# {EVIL_TEXT}\n{OTHER}".encode())
    upstream.git("update-index", "--add", "--cacheinfo", f"100644,{blob},a.py")
    upstream.git("-c", f"user.name=Eve {EVIL_TEXT}", "commit", "-q", "-m", f"Fix {EVIL_TEXT}")
    study = study_of("a.py::f")
    common = ("--study", str(study), "--repo", str(upstream.folder))
    for command in (
        ("check", "--blame", *common),
        ("trace", "q01-0", *common),
        ("bisect", "q01-0", *common),
        ("show", "q01-0", "--commit", "HEAD", *common),
        ("explain", "q01-0", *common),
    ):
        said = annot(*command)
        assert said.code in {0, 1}, said.output
        for steering in ("\x1b", "\x07", "\x9b", "\u202e"):
            assert steering not in said.output, (command, said.output)
