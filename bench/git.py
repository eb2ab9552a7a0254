"""Runs `git` as a user would, for the baselines."""

import os
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ATTRIBUTES = (
    "*.py diff=python\n"
    "*.rs diff=rust\n"
    "*.md diff=markdown\n"
    "*.c diff=cpp\n*.h diff=cpp\n*.cc diff=cpp\n*.cpp diff=cpp\n*.hpp diff=cpp\n*.cu diff=cpp\n*.cuh diff=cpp\n"
)
"""What git has to be told before `-L :name:` finds an indented method or a kernel."""


def git(
    git_dir: Path,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
    objects: Sequence[Path] = (),
) -> subprocess.CompletedProcess[str]:
    """Runs `git ARGUMENTS` on a repository and returns how it went, whatever its exit code.

    Args:
        git_dir: the repository's git folder.
        arguments: the command and its arguments.
        settings: configuration for this command.
        objects: git folders whose objects are to be seen as well.
    """
    options = [item for key, value in (settings or {}).items() for item in ("-c", f"{key}={value}")]
    environment = os.environ | {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(
            str(other / "objects") for other in objects if other != git_dir
        ),
        "LC_ALL": "C",
    }
    return subprocess.run(
        ["git", "--no-pager", "--git-dir", str(git_dir), *options, *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env=environment,
        check=False,
    )


def git_lines(git_dir: Path, *arguments: str) -> list[str]:
    """The lines that `git ARGUMENTS` prints.

    Raises:
        subprocess.CalledProcessError: if it fails.
    """
    done = git(git_dir, *arguments, settings={"core.quotePath": "false"})
    done.check_returncode()
    return [line for line in done.stdout.split("\n") if line]


def attributes_setting(folder: Path) -> dict[str, str]:
    """The setting that makes git know languages; writes the attributes file into `folder`."""
    file = folder / "attributes"
    file.write_text(ATTRIBUTES, encoding="utf-8")
    return {"core.attributesFile": str(file)}


def export_tree(git_dir: Path, commit: str, path: str, folder: Path) -> None:
    """Writes the files below one path of a commit into a folder; nothing can land outside of it."""
    with tempfile.TemporaryFile() as archive:
        subprocess.run(
            ["git", "--git-dir", str(git_dir), "archive", "--format=tar", commit, "--", path],
            stdout=archive,
            check=True,
        )
        archive.seek(0)
        with tarfile.open(fileobj=archive) as tar:
            tar.extractall(folder, filter="data")


def read_file(git_dir: Path, commit: str, path: str) -> bytes | None:
    """The content of a file in one commit, none if it is not there."""
    done = subprocess.run(
        ["git", "--git-dir", str(git_dir), "cat-file", "blob", f"{commit}:{path}"],
        capture_output=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None
