"""Builds real git repositories, source archives and a local package index."""

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Worktree:
    """An ordinary repository that tests write to with the git program itself."""

    path: Path

    def git(self, *arguments: str) -> str:
        return self.git_bytes(*arguments)

    def git_bytes(self, *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, check=True, capture_output=True, input=stdin
        )
        return done.stdout.decode().strip()

    def commit(self, message: str, files: Mapping[str, str | bytes | None]) -> str:
        """Writes `files` (None deletes one), commits and returns the commit's id."""
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")


def make_sdist(name: str, version: str, files: Mapping[str, str | bytes], mtime: int = 0) -> bytes:
    """A source archive as packaging tools make it, the same bytes each time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(f"{name}-{version}/{path}")
            info.size, info.mtime = len(data), mtime
            info.mode = 0o755 if path.endswith(".sh") else 0o664
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


@dataclass
class LocalIndex:
    """A package index on this machine that answers over HTTP as PEP 691 has it."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    entries: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def offer(self, package: str, filename: str, data: bytes, **entry: object) -> None:
        """Adds a file to a package; `entry` overrides what the index says about it."""
        self.files[filename] = data
        described: dict[str, object] = {
            "filename": filename,
            "url": f"../../files/{filename}",
            "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
            "size": len(data),
            "upload-time": "2026-01-02T03:04:05.678Z",
            "yanked": False,
        }
        self.entries.setdefault(package, []).append(described | entry)

    def downloads(self) -> list[str]:
        return [path.rpartition("/")[2] for path in self.requests if path.startswith("/files/")]

    def answer(self, path: str) -> tuple[int, str, bytes]:
        self.requests.append(path)
        kind, _, name = path.strip("/").partition("/")
        if kind == "simple" and name in self.entries:
            versions = sorted({str(e["filename"]) for e in self.entries[name]})
            page = {"meta": {"api-version": "1.1"}, "name": name, "versions": versions}
            page |= {"files": self.entries[name]}
            return 200, "application/vnd.pypi.simple.v1+json", json.dumps(page).encode()
        if kind == "files" and name in self.files:
            return 200, "application/octet-stream", self.files[name]
        return 404, "text/plain", b"no such page"
