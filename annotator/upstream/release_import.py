"""Turns source releases into a git repository: one commit a release, the oldest first.

Git's blob ids are hashes of content, so what is recorded from an imported release can be compared file
by file with a clone of upstream.

Each release is first stored as a commit without parents under `refs/annot/releases/`: that is the memory
of what has been imported. The public history (branch, tags) is a chain made anew from all of them, so the same
set of releases gets the same commit ids on every machine, in whatever order they arrived; it appears in
one transaction.
"""

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import IO, NamedTuple

from packaging.version import Version

from annotator.model.failures import Incomplete
from annotator.upstream.bare_repository import BareRepository
from annotator.upstream.commits import upstream_trailer
from annotator.upstream.git_program import complaint, git_command, git_environment
from annotator.upstream.progress import ProgressCallback, Step, silent
from annotator.upstream.release_choice import is_final
from annotator.upstream.repository import UPSTREAM_REFS
from annotator.upstream.sdist import Member, is_generated, named_commit

RELEASE_REFS = "refs/annot/releases/"
BRANCH = "main"
IDENTITY = "annot release import <annot@localhost>"

_FAST_IMPORT_SETTINGS = {
    "core.compression": "3",  # half the time of the default level for 5 % more space
    "fastimport.unpackLimit": "0",  # always a pack, never loose files
}


@dataclass(frozen=True, slots=True)
class Release:
    """What is known of a source release before its files are read.

    Attributes:
        package: name on the index.
        version: PEP 440 version, in its normal form.
        archive: file name of the archive.
        sha256: its checksum, verified by the caller.
        uploaded: when the index received it; None if it does not say, then the newest file counts.
    """

    package: str
    version: str
    archive: str
    sha256: str
    uploaded: datetime | None


class Imported(NamedTuple):
    """What an import did.

    Attributes:
        files: number of files stored.
        generated: files left out because packaging tools wrote them.
        links: links left out.
        upstream_commit: as much of upstream's commit id as the release names, maybe nothing.
    """

    files: int
    generated: int
    links: int
    upstream_commit: str


_LATEST = 4_102_444_800
"""The year 2100, in seconds since 1970: no archive dates a commit later."""


class _Stored(NamedTuple):
    version: Version
    tree: str
    date: str
    message: str


class ReleaseRepository(BareRepository):
    """The bare repository that releases are imported into. Use it inside `locked`."""

    def versions(self) -> list[str]:
        """The imported versions, oldest first."""
        return [str(stored.version) for stored in self._stored()]

    def add(
        self, release: Release, members: Iterable[Member], progress: ProgressCallback = silent
    ) -> Imported:
        """Stores the files of one release; `publish` makes it visible.

        Nothing changes if it fails half-way.

        Raises:
            Incomplete: if git cannot store it, or from reading `members`.
        """
        name = f"{release.package} {release.version}"
        paths: list[tuple[str, bool]] = []
        generated = links = newest = 0
        commit = ""
        with self._fast_import(release) as stream:
            for member in members:
                newest = max(newest, member.modified)
                if member.content is None:
                    links += 1
                elif is_generated(member.path, member.content):
                    generated += 1
                    commit = commit or named_commit(member.content)
                else:
                    paths.append((member.path, member.executable))
                    stream.write(b"blob\nmark :%d\ndata %d\n" % (len(paths), len(member.content)))
                    stream.write(member.content)
                    stream.write(b"\n")
                    if len(paths) % 500 == 0:
                        progress(Step(f"storing {name}", len(paths), unit="files"))
            if not paths:
                raise Incomplete(f"{release.archive} holds no source files")
            uploaded = int(release.uploaded.timestamp()) if release.uploaded else newest
            stream.write(_import_commit(release, commit, paths, uploaded))
        progress(Step(f"stored {name}", len(paths), len(paths), "files"))
        return Imported(len(paths), generated, links, commit)

    def publish(self) -> None:
        """Builds the chain of all releases and moves branch, tags and upstream refs in one transaction."""
        wanted: dict[str, str] = {}
        parent = newest_final = ""
        for stored in self._stored():
            text = chain_commit(stored.tree, parent, stored.date, stored.message)
            written = self.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text)
            parent = written.decode("ascii").strip()
            wanted[f"refs/tags/v{stored.version}"] = parent
            if is_final(stored.version):
                newest_final = parent
            if upstream := upstream_trailer(stored.message):
                wanted[UPSTREAM_REFS + upstream] = parent
        if parent:
            wanted[f"refs/heads/{BRANCH}"] = newest_final or parent
        self.move_refs(wanted)

    def _stored(self) -> list[_Stored]:
        fields = "%00".join(("%(refname)", "%(tree)", "%(committerdate:raw)", "%(contents)"))
        listing = self.run("for-each-ref", f"--format={fields}%00", RELEASE_REFS)
        words = listing.decode("utf-8", "replace").split("\0")
        rows = zip(*(words[offset::4] for offset in range(4)), strict=False)
        stored = [
            _Stored(Version(ref.strip().removeprefix(RELEASE_REFS)), tree, date, message)
            for ref, tree, date, message in rows
        ]
        return sorted(stored, key=lambda one: one.version)

    @contextmanager
    def _fast_import(self, release: Release) -> Iterator[IO[bytes]]:
        """A `git fast-import` child.

        If the block fails, the child misses the word that all has been said, and stores nothing.
        """
        arguments = [f"--git-dir={self.git_dir}", "fast-import", "--quiet", "--done", "--depth=0"]
        child = subprocess.Popen(
            git_command(arguments, _FAST_IMPORT_SETTINGS),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=git_environment(),
            bufsize=1024 * 1024,
        )
        stdin, stderr = child.stdin, child.stderr
        if stdin is None or stderr is None:
            raise Incomplete("git fast-import has no pipes")
        try:
            yield stdin
            stdin.write(b"done\n")
            stdin.close()
        except BrokenPipeError:
            pass  # git ended first and says why below
        finally:
            with suppress(OSError):
                stdin.close()
            said = stderr.read()
            stderr.close()
            failed = child.wait() != 0
            if failed:
                self.clear_leftovers()  # where the disk is full, half a pack is in the way
        if failed:
            raise Incomplete(
                f"git could not store {release.package} {release.version}: {complaint(said)}",
                hint="look at the free space of the disk, then sync again",
            )


def chain_commit(tree: str, parent: str, date: str, message: str) -> bytes:
    """The text of a commit object; depends on nothing but its arguments.

    Args:
        tree: full id of its tree.
        parent: full id of its parent, empty for the first one.
        date: seconds since 1970 and offset, as git writes it.
        message: the commit message.
    """
    lines = [f"tree {tree}"]
    if parent:
        lines.append(f"parent {parent}")
    lines += [f"author {IDENTITY} {date}", f"committer {IDENTITY} {date}", "", message]
    return "\n".join(lines).encode("utf-8")


def release_message(release: Release, upstream_commit: str) -> str:
    """The commit message of a release: its name, and trailers that say where it comes from."""
    trailers = [f"Archive: {release.archive}", f"Archive-SHA256: {release.sha256}"]
    if upstream_commit:
        trailers.insert(0, f"Upstream-Commit: {upstream_commit}")
    return "\n".join([f"{release.package} {release.version}", "", *trailers, ""])


def _import_commit(
    release: Release, upstream_commit: str, paths: list[tuple[str, bool]], uploaded: int
) -> bytes:
    message = release_message(release, upstream_commit).encode("utf-8")
    seconds = min(max(0, uploaded), _LATEST)
    head = (
        f"commit {RELEASE_REFS}{release.version}\n"
        f"author {IDENTITY} {seconds} +0000\ncommitter {IDENTITY} {seconds} +0000\n"
    )
    # Paths hold neither backslashes nor control characters, see sdist, so quotes are all to escape.
    lines = [head.encode("utf-8"), b"data %d\n" % len(message), message]
    for mark, (path, executable) in enumerate(paths, 1):
        mode = b"100755" if executable else b"100644"
        quoted = path.encode("utf-8", "surrogateescape").replace(b'"', b'\\"')
        lines.append(b'M %s :%d "%s"\n' % (mode, mark, quoted))
    return b"".join(lines)
