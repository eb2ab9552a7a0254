"""Makes and updates a bare clone of an upstream: only the commits asked for, without their history.

GitPython reads git's progress here. It is imported when a clone is made and not before, since the
import takes 130 ms.
"""

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

from git import RemoteProgress
from git.cmd import handle_process_output

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.git_program import complaint, git_command, git_environment, try_git
from annotator.upstream.package_index import without_password
from annotator.upstream.progress import ProgressCallback, Step, silent
from annotator.upstream.refs import is_full_id
from annotator.upstream.release_import import locked

REACH_TIMEOUT = 10.0
"""Seconds to wait for the git host's first answer."""

STALL_TIMEOUT = 30
"""Seconds without noteworthy traffic after which a transfer is given up."""

INCOMING = "refs/annot/incoming/"
PINS = "refs/annot/pins/"

_SCP_ADDRESS = re.compile(r"[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[\w~][\w./~+-]*")
_NETWORK_SETTINGS = {
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": str(STALL_TIMEOUT),
    "protocol.version": "2",
}


class RemoteRefs(NamedTuple):
    """What a git host offers.

    Attributes:
        branches: branch → commit id.
        tags: tag → object id.
    """

    branches: Mapping[str, str]
    tags: Mapping[str, str]


class CloneUpdate(NamedTuple):
    """What an update of a clone did.

    Attributes:
        fetched: the branch, tags and commits that were fetched or had moved.
        refused: full commit ids that the host did not give one by one.
    """

    fetched: tuple[str, ...]
    refused: tuple[str, ...]


def check_address(address: str) -> str:
    """Returns `address` if annot clones from it: https, ssh, or a plainly local absolute path.

    Raises:
        UserMistake: for anything else, such as helpers that run programs (`ext::…`) and options.
    """
    parts = urlsplit(address)
    is_plain = "::" not in address and all(32 < ord(char) < 127 for char in address)
    if is_plain and (
        (parts.scheme in {"https", "ssh"} and re.match(r"[A-Za-z0-9\[]", parts.hostname or "-"))
        or (parts.scheme == "file" and parts.path.startswith("/"))
        or _SCP_ADDRESS.fullmatch(address)
    ):
        return address
    if Path(address).is_absolute() and "\n" not in address:
        return address
    raise UserMistake(
        f"annot does not clone from {without_password(address)!r}",
        hint="write an https:// or ssh:// address, user@host:path, or an absolute path",
    )


def remote_refs(address: str, timeout: float = REACH_TIMEOUT) -> RemoteRefs:
    """Asks a git host for its branches and tags.

    Raises:
        UserMistake: if annot does not clone from this address.
        Incomplete: if the host does not answer within `timeout` seconds, or refuses.
    """
    check_address(address)
    shown = without_password(address)
    try:
        done = try_git(
            ["ls-remote", "--heads", "--tags", "--", address],
            network=True,
            settings=_NETWORK_SETTINGS | _ssh_settings(timeout),
            timeout=timeout,
        )
    except Incomplete as error:
        raise Incomplete(f"{shown}: {error}", hint=_HINT) from error
    if done.returncode != 0:
        raise Incomplete(f"{shown} gives nothing: {complaint(done.stderr)}", hint=_HINT)
    branches: dict[str, str] = {}
    tags: dict[str, str] = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        object_id, _, ref = line.partition("\t")
        if ref.startswith("refs/heads/"):
            branches[ref.removeprefix("refs/heads/")] = object_id
        elif ref.startswith("refs/tags/") and not ref.endswith("^{}"):
            tags[ref.removeprefix("refs/tags/")] = object_id
    return RemoteRefs(branches, tags)


_HINT = "look at the network; `annot sync --from pypi` takes releases from a package index instead"


class Clone:
    """The bare clone in the cache. Use inside `locked`; nothing public changes before `publish`."""

    def __init__(self, git_dir: Path, address: str) -> None:
        self.git_dir = git_dir
        self.address = check_address(address)

    def prepare(self) -> None:
        """Makes an empty clone, or clears away what an interrupted sync left behind."""
        if not (self.git_dir / "HEAD").is_file():
            self.git_dir.mkdir(parents=True, exist_ok=True)
            self._git("init", "--quiet", "--bare", "--template=", str(self.git_dir))
        for pattern in ("objects/pack/tmp_*", "*.lock", "refs/**/*.lock"):
            for leftover in self.git_dir.glob(pattern):
                leftover.unlink(missing_ok=True)
        self._git("config", "remote.origin.url", self.address)

    def has(self, commit: str) -> bool:
        """Whether the commit with this full id is there with its tree."""
        return self._try("cat-file", "-e", f"{commit}^{{tree}}").returncode == 0

    def fetch(self, refspecs: Sequence[str], progress: ProgressCallback, *, history: bool) -> None:
        """Fetches `refspecs`, whose targets lie under `INCOMING`.

        Args:
            refspecs: what to fetch, as git writes it.
            progress: told how far it is.
            history: whether to fetch all history too, without the files of old commits.

        Raises:
            Incomplete: if the host does not give them.
        """
        arguments = ["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--force"]
        arguments += ["--no-auto-maintenance", "--recurse-submodules=no"]
        if not history:
            arguments += ["--depth=1"]
        else:
            arguments += ["--filter=blob:none"]
            if (self.git_dir / "shallow").is_file():
                arguments += ["--unshallow"]
        command = [f"--git-dir={self.git_dir}", *arguments, "origin", *refspecs]
        said = _run_with_progress(command, progress)
        if said is not None:
            raise Incomplete(f"{without_password(self.address)}: {said}", hint=_HINT)

    def publish(self, branch: str) -> tuple[str, ...]:
        """Moves everything from `INCOMING` to its place, in one transaction; names what changed."""
        listing = self._git("for-each-ref", "--format=%(refname) %(objectname)").decode("utf-8")
        now = dict(line.rsplit(" ", 1) for line in listing.splitlines())
        updates: list[str] = []
        changed: list[str] = []
        for ref, object_id in now.items():
            if not ref.startswith(INCOMING):
                continue
            place = _place(ref.removeprefix(INCOMING))
            if now.get(place) != object_id:
                updates.append(f"update {place} {object_id}\n")
                changed.append(ref.removeprefix(INCOMING).partition("/")[2])
            updates.append(f"delete {ref}\n")
        self._git("update-ref", "--stdin", stdin="".join(updates).encode("utf-8"))
        self._git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
        return tuple(changed)

    def _try(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return try_git([f"--git-dir={self.git_dir}", *arguments], stdin=stdin)

    def _git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = self._try(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise Incomplete(
                f"{self.git_dir}: git {arguments[0]} failed: {complaint(done.stderr)}",
                hint=f"delete the folder {self.git_dir} and sync again",
            )
        return done.stdout


def update_clone(
    address: str,
    git_dir: Path,
    *,
    branch: str,
    tags: Iterable[str] = (),
    commits: Iterable[str] = (),
    history: bool = False,
    progress: ProgressCallback = silent,
) -> CloneUpdate:
    """Brings a branch, tags and single commits of a git host into the bare clone at `git_dir`.

    Args:
        address: where to clone from; see `check_address`.
        git_dir: the clone, made if it is not there.
        branch: the branch that HEAD stands for.
        tags: tags, which the host must have.
        commits: full commit ids; one that is there already is not fetched again.
        history: whether to fetch all history too, without the files of old commits.
        progress: told how far it is.

    Raises:
        Incomplete: if the host does not answer or a ref is not there. The clone is then as it was.
    """
    with locked(git_dir):
        clone = Clone(git_dir, address)
        clone.prepare()
        refs = [f"heads/{branch}", *(f"tags/{tag}" for tag in tags)]
        clone.fetch([f"+refs/{ref}:{INCOMING}{ref}" for ref in refs], progress, history=history)
        refused = []
        for commit in commits:
            if not is_full_id(commit):
                raise ValueError(f"{commit!r} is no full commit id")
            if not clone.has(commit):
                try:
                    refspec = f"+{commit}:{INCOMING}pins/{commit}"
                    clone.fetch([refspec], progress, history=history)
                except Incomplete:
                    refused.append(commit)
        return CloneUpdate(clone.publish(branch), tuple(refused))


def _place(incoming: str) -> str:
    kind, _, name = incoming.partition("/")
    return f"{PINS}{name}" if kind == "pins" else f"refs/{kind}/{name}"


def _ssh_settings(timeout: float) -> dict[str, str]:
    """Keeps ssh from asking and from waiting, unless the user configured a program of their own."""
    configured = "GIT_SSH_COMMAND" in os.environ or "GIT_SSH" in os.environ
    if configured or try_git(["config", "--get", "core.sshCommand"]).returncode == 0:
        return {}
    options = f"-oBatchMode=yes -oConnectTimeout={timeout:.0f} -oServerAliveInterval=15"
    return {"core.sshCommand": f"ssh {options}"}


def _run_with_progress(command: Sequence[str], progress: ProgressCallback) -> str | None:
    """Runs a transfer; returns what went wrong, or None."""
    reader = _FetchProgress(progress)
    child = subprocess.Popen(
        git_command(command, _NETWORK_SETTINGS | _ssh_settings(REACH_TIMEOUT)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=git_environment(network=True),
        encoding="utf-8",
        errors="replace",
    )
    try:
        handler: Callable[[str], None] = reader.new_message_handler()
        handle_process_output(child, None, handler, decode_streams=False)
        status = child.wait()
    except BaseException:
        child.kill()
        with suppress(OSError):
            child.wait()
        raise
    if status == 0:
        return None
    return complaint("\n".join([*reader.other_lines, *reader.error_lines]).encode("utf-8"))


class _FetchProgress(RemoteProgress):
    """Passes git's progress on in our form."""

    _STAGES: ClassVar = {
        RemoteProgress.COUNTING: "the host counts objects",
        RemoteProgress.COMPRESSING: "the host packs objects",
        RemoteProgress.RECEIVING: "receiving objects",
        RemoteProgress.RESOLVING: "unpacking objects",
    }

    def __init__(self, progress: ProgressCallback) -> None:
        super().__init__()
        self._callback = progress

    def update(
        self,
        op_code: int,
        cur_count: str | float,
        max_count: str | float | None = None,
        message: str = "",
    ) -> None:
        """Called by GitPython for each line of progress."""
        stage = self._STAGES.get(op_code & self.OP_MASK)
        if stage:
            total = int(float(max_count)) if max_count else None
            self._callback(Step(stage, int(float(cur_count)), total, "objects"))
