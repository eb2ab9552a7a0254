"""Disks that are full and folders that cannot be written, for a user whom permissions do not bind as well."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own, of that size."""
    with _mounted(folder, "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs"):
        yield folder


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write below the folder, root included."""
    with _mounted(folder, "--bind", str(folder)):
        _mount("-o", "remount,ro,bind", str(folder))
        yield


@contextlib.contextmanager
def _mounted(folder: Path, *how: str) -> Iterator[None]:
    _mount(*how, str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _mount(*arguments: str) -> None:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root may mount here")
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


def as_nobody(command: list[str]) -> list[str]:
    """The command without root's privileges."""
    if os.geteuid() != 0:
        return command
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    try:
        subprocess.run([*drop, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no setpriv to give up root's privileges with")
    return [*drop, *command]
