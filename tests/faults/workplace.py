"""A place to work in: an upstream on a git host and on a package index, a study of it, notes, a cache."""

import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import textwrap
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

VERSIONS = ("1.0", "1.1", "1.2")


def _pool(extra: str) -> str:
    methods = "".join(
        f"    def step_{number}(self, block):\n        self.free.append(block + {number})\n        return {number}\n\n"
        for number in range(8)
    )
    return f"class Pool:\n{methods}    def take(self, count):\n        {extra}return self.free[:count]\n"


_GEOMETRY = '''\
"""Shapes."""

SCALE = 3


def area(width, height):
    """The area."""
    total = width * height
    return total * SCALE


def volume(width, height, depth):
    return area(width, height) * depth
'''
_GUIDE = "# Guide\n\n## Freeing\n\nBlocks go back.\n"

TREES: dict[str, dict[str, str]] = {
    "1.0": {"pkg/pool.py": _pool(""), "pkg/shapes.py": _GEOMETRY, "docs/guide.md": _GUIDE},
    "1.1": {
        "pkg/pool.py": _pool("count = max(count, 1)\n        "),
        "pkg/geometry.py": _GEOMETRY,
        "docs/guide.md": _GUIDE,
    },
    "1.2": {
        "pkg/pool.py": "# one more line\n" + _pool("count = max(count, 1)\n        "),
        "pkg/geometry.py": _GEOMETRY,
        "docs/guide.md": _GUIDE,
        "LICENSE": "Apache License\n",
    },
}

_NOTES = """\
# Reading notes

<!-- annot: demo@v1.0 -->
## How blocks go back

They [go back]({web}/blob/v1.0/pkg/pool.py#L2-L4), one by one\u2014in order.

## How areas grow

Areas [grow]({web}/blob/v1.0/pkg/shapes.py#L6-L9). Caf\u00e9.

## What volumes are

Volumes [are areas]({web}/blob/v1.0/pkg/shapes.py#L12-L13) too.
"""


def anchor(number: int, target: str) -> str:
    """One anchor of the study, as YAML."""
    return f'  - id: q01-a{number}\n    target: {target}\n    note: {{zh: "注", en: "Note"}}  # {number}\n'


class Workplace:
    """Everything that a command of annot reads or writes, in one folder.

    Attributes:
        folder: the folder.
        study: the project's folder, with `anchors/` in it.
        cache: annot's cache.
        host: the upstream's repository.
        index: the folder that a package index serves.
    """

    WEB = "https://example.org/team/demo"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.study = folder / "project"
        self.cache = folder / "cache"
        self.host = folder / "host.git"
        self.index = folder / "index"

    def build(self) -> None:
        """Makes it anew."""
        for path in (self.study / "anchors" / "route", self.cache, self.study / "notes"):
            path.mkdir(parents=True)
        self._make_host()
        self._make_index()
        upstreams = f"""\
            schema: 1
            upstreams:
              demo:
                title: Demo
                web: {self.WEB}
                git: {self.host.as_uri()}
                package: demo
                licence: Apache-2.0
                pin: {{release: v1.0, date: "2026-10-23"}}
            """
        targets = [f"pkg/pool.py::Pool.step_{number}" for number in range(8)]
        targets += ["pkg/pool.py::Pool.take", "pkg/shapes.py::area", "pkg/shapes.py::volume"]
        targets += ["docs/guide.md#freeing"]
        question = textwrap.dedent(
            """\
            schema: 1
            id: q01
            number: 1
            upstream: demo
            title: {zh: "题", en: "Title"}
            question: {zh: "问？", en: "What?"}
            anchors:
            """
        ) + "".join(anchor(number, target) for number, target in enumerate(targets))
        self.write("anchors/upstreams.yaml", textwrap.dedent(upstreams))
        self.write("anchors/route/01-q.yaml", question)
        self.write("notes/a.md", _NOTES.format(web=self.WEB))
        self.write("notes/b.md", _NOTES.format(web=self.WEB).replace("\n", "\r\n"))

    def write(self, name: str, text: str) -> None:
        """Writes a file of the project, byte for byte."""
        path = self.study / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def environment(self, **more: str) -> dict[str, str]:
        """All variables of a command that works here."""
        kept = ("PATH", "LANG", "SYSTEMROOT", "PYTHONPATH")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": str(self.folder),
            "ANNOT_CACHE_DIR": str(self.cache),
            "ANNOT_DATA_DIR": str(self.folder / "data"),
            "ANNOT_LANG": "en",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "NO_PROXY": "127.0.0.1",
            **more,
        }

    def copy_to(self, other: Path) -> None:
        """Copies all of it."""
        shutil.copytree(self.folder, other, symlinks=True)

    def bring_back(self, other: Path) -> None:
        """Makes it as it was when it was copied."""
        shutil.rmtree(self.folder)
        shutil.copytree(other, self.folder, symlinks=True)

    # what is to be seen of it

    def files(self) -> dict[str, str]:
        """Digest of each of the project's files that anybody reads, by name."""
        return {
            path.relative_to(self.study).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.study.rglob("*"))
            if path.is_file()
            and not any(part.startswith(".") for part in path.relative_to(self.study).parts)
        }

    def refs(self) -> dict[str, list[str]]:
        """What branches and tags of each synced repository name: trees, which no clock gets into."""
        form = "--format=%(refname) %(tree)%(*tree)"
        return {
            repository.name: _git(repository, "for-each-ref", form, "refs/heads", "refs/tags")
            for repository in self.repositories()
        }

    def repositories(self) -> list[Path]:
        """The synced repositories that git takes for such."""
        return sorted(head.parent for head in self.cache.glob("sources/*/*.git/HEAD"))

    def damage(self) -> list[str]:
        """What is corrupt in the cache: repositories, databases."""
        found = []
        for repository in self.repositories():
            done = subprocess.run(
                ["git", "-C", str(repository), "fsck", "--no-dangling", "--no-progress"],
                capture_output=True,
                text=True,
                check=False,
            )
            said = [
                line
                for line in (done.stdout + done.stderr).splitlines()
                if not line.startswith("notice:")  # of a HEAD whose branch is not born yet
            ]
            if done.returncode != 0 or said:
                found.append(f"{repository.name}: {done.returncode} {said}")
        for file in self.cache.rglob("*.sqlite*"):
            if file.name.endswith(("-wal", "-shm", "-journal")):
                continue
            with closing(sqlite3.connect(file)) as database:
                if (answer := database.execute("PRAGMA integrity_check").fetchone()) != ("ok",):
                    found.append(f"{file.name}: {answer}")
        for file in (self.study / "anchors").rglob("*.json"):
            json.loads(file.read_bytes())
        return found

    def _make_host(self) -> None:
        work = self.folder / "work"
        work.mkdir(parents=True)
        _git(work, "init", "--quiet", "--initial-branch=main")
        for number, (version, tree) in enumerate(TREES.items()):
            _git(work, "rm", "-rq", "--ignore-unmatch", ".")
            for name, text in tree.items():
                (work / name).parent.mkdir(parents=True, exist_ok=True)
                (work / name).write_text(text, encoding="utf-8")
            _git(work, "add", "--all")
            _git(work, "commit", "--quiet", "-m", version, at=1_700_000_000 + number)
            _git(work, "tag", f"v{version}")
        _git(self.folder, "clone", "--quiet", "--bare", str(work), str(self.host))
        shutil.rmtree(work)

    def _make_index(self) -> None:
        (self.index / "files").mkdir(parents=True)
        page = self.index / "simple" / "demo"
        page.mkdir(parents=True)
        links = []
        for version, tree in TREES.items():
            name = f"demo-{version}.tar.gz"
            data = _sdist(version, tree)
            (self.index / "files" / name).write_bytes(data)
            checksum = hashlib.sha256(data).hexdigest()
            links.append(f'<a href="/files/{name}#sha256={checksum}">{name}</a>')
        (page / "index.html").write_text("\n".join(links), encoding="utf-8")


def _sdist(version: str, tree: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for path, text in tree.items():
            info = tarfile.TarInfo(f"demo-{version}/{path}")
            info.size, info.mtime = len(text.encode()), 1_600_000_000
            tar.addfile(info, io.BytesIO(text.encode()))
    return packed.getvalue()


def _git(folder: Path, *arguments: str, at: int = 0) -> list[str]:
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", f"{at} +0000"))
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()
