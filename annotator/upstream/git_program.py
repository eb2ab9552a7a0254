"""Runs the `git` program so that neither a repository nor the environment can steer it.

Reading goes through git's plumbing commands rather than GitPython's objects for two reasons: GitPython
needs 130 ms to import, more than a whole check with nothing to do, and it cannot read SHA-256
repositories. GitPython follows the transfers of a clone (`annotator.upstream.clone`).
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotator.model.failures import Incomplete

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
}
"""Settings that win over a repository's own, which may be hostile."""

_REPOSITORY_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""Set by git while it runs a hook; they would point every command at the notes' own repository."""

_NETWORK_PROTOCOLS = "file:git:http:https:ssh"


def git_environment(*, network: bool = False) -> dict[str, str]:
    """The environment to run git in.

    Args:
        network: whether the command may talk to another repository. Without it git cannot even fetch
            missing objects of a partial clone one by one behind our back, nor start a program that
            such a clone's configuration names as transport.
    """
    environment = {k: v for k, v in os.environ.items() if k not in _REPOSITORY_VARIABLES}
    environment |= {
        "GIT_ALLOW_PROTOCOL": _NETWORK_PROTOCOLS if network else "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "LANGUAGE": "C",
        "LC_ALL": "C",
    }
    return environment


def git_command(arguments: Sequence[str], settings: Mapping[str, str] | None = None) -> list[str]:
    """The full command line for `git ARGUMENTS`, with the safe settings (and `settings`) in front."""
    command = ["git", "--no-pager", "--literal-pathspecs"]
    for key, value in (_SETTINGS | dict(settings or {})).items():
        command += ["-c", f"{key}={value}"]
    return [*command, *arguments]


def try_git(
    arguments: Sequence[str],
    *,
    folder: Path | None = None,
    stdin: bytes = b"",
    network: bool = False,
    settings: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs `git ARGUMENTS` and returns how it went, whatever its exit code.

    Args:
        arguments: the command and its arguments; callers validate what comes from outside.
        folder: folder to run in.
        stdin: text for its standard input.
        network: see `git_environment`.
        settings: configuration for this command only.
        timeout: seconds to wait.

    Raises:
        Incomplete: if git is not installed or does not end in time.
    """
    try:
        return subprocess.run(
            git_command(arguments, settings),
            cwd=folder,
            input=stdin,
            capture_output=True,
            env=git_environment(network=network),
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        if folder is not None and not folder.is_dir():
            raise Incomplete(f"{folder} is no folder any more") from error
        raise Incomplete("git is not installed", hint="install git 2.30 or newer") from error
    except subprocess.TimeoutExpired as error:
        raise Incomplete(f"git did not answer within {timeout:g} s") from error


def run_git(
    arguments: Sequence[str],
    *,
    folder: Path | None = None,
    stdin: bytes = b"",
    settings: Mapping[str, str] | None = None,
) -> bytes:
    """Runs `git ARGUMENTS` without network and returns its standard output.

    Raises:
        Incomplete: if it fails, with what git said.
    """
    done = try_git(arguments, folder=folder, stdin=stdin, settings=settings)
    if done.returncode != 0:
        command = next((word for word in arguments if not word.startswith("-")), "")
        raise Incomplete(f"git {command} failed: {complaint(done.stderr)}")
    return done.stdout


def complaint(stderr: bytes) -> str:
    """What git complained about, in one line: its fatal and error messages, else all it said."""
    lines = [
        line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()
    ]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:", "ERROR:"))]
    return "; ".join(dict.fromkeys(fatal or lines)) or "no reason given"
