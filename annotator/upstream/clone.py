"""Makes and updates a bare clone of an upstream: only the commits asked for, without their history.

GitPython reads git's progress here. It is imported when a clone is made and not before, since the
import takes 130 ms.
"""

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, NamedTuple

from git import RemoteProgress
from git.cmd import handle_process_output

from annotator.model.failures import Incomplete
from annotator.upstream.addresses import check_clone_address, without_password
from annotator.upstream.bare_repository import BareRepository, locked
from annotator.upstream.git_program import complaint, git_command, git_environment, try_git
from annotator.upstream.progress import ProgressCallback, Step, silent
from annotator.upstream.refs import is_full_id

REACH_TIMEOUT = 10.0
"""Seconds to wait for the git host's first answer."""

STALL_TIMEOUT = 30
"""Seconds without noteworthy traffic after which a transfer is given up."""

INCOMING = "refs/annot/incoming/"
PINS = "refs/annot/pins/"

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


def remote_refs(address: str, timeout: float = REACH_TIMEOUT) -> RemoteRefs:
    """Asks a git host for its branches and tags.

    Raises:
        UserMistake: if annot does not clone from this address.
        Incomplete: if the host does not answer within `timeout` seconds, or refuses.
    """
    check_clone_address(address)
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


class Clone(BareRepository):
    """The bare clone in the cache. Nothing public changes before `publish`."""

    def __init__(self, git_dir: Path, address: str) -> None:
        super().__init__(git_dir)
        self.address = check_clone_address(address)

    def has(self, commit: str) -> bool:
        """Whether the commit with this full id is there with its tree."""
        return self.attempt("cat-file", "-e", f"{commit}^{{tree}}").returncode == 0

    def has_history(self) -> bool:
        """Whether an earlier sync fetched the history, which a shallow fetch would cut off again."""
        return self.attempt("config", "--get", "remote.origin.promisor").returncode == 0

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

    def index_history(self) -> None:
        """Writes git's commit-graph with filters of changed paths: a file's commits are then listed ten times faster.

        Nothing depends on it, so failing does no harm.
        """
        self.attempt("commit-graph", "write", "--reachable", "--changed-paths", "--split")

    def publish(self) -> tuple[str, ...]:
        """Moves everything from `INCOMING` to its place, in one transaction; names what changed."""
        now = self.refs()
        incoming = {ref.removeprefix(INCOMING): ref for ref in now if ref.startswith(INCOMING)}
        updates = {
            _place(name): now[ref]
            for name, ref in incoming.items()
            if now.get(_place(name)) != now[ref]
        }
        changed = [name for name in incoming if _place(name) in updates]
        self.move_refs(updates, incoming.values())
        return tuple(name.partition("/")[2] for name in changed)


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
        address: where to clone from; see `check_clone_address`.
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
        clone.prepare(branch)
        clone.run("config", "remote.origin.url", clone.address)
        history = history or clone.has_history()
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
        changed = clone.publish()
        if history:
            clone.index_history()
        clone.point_head(branch)
        return CloneUpdate(changed, tuple(refused))


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
