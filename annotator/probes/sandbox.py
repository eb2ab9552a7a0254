"""Runs a command that nobody vouches for: limited, cut off from the network, and with nothing left of it."""

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from annotator.probes import keeper

_CLEANING_SECONDS = 20

_ALL_NAMESPACES = (
    *("--user", "--map-root-user", "--net"),
    *("--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
)
_NETWORK_NAMESPACE = ("--user", "--map-root-user", "--net")

_KEPT_VARIABLES = ("SYSTEMROOT",)
_KEPT_FOR_GPU = ("LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


class Limits(NamedTuple):
    """What a command may use before it is killed with all that it started.

    Attributes:
        seconds: time.
        megabytes: resident memory of all its processes together.
        folder_megabytes: its folder, and any one file.
        files: entries in its folder.
        processes: processes at one moment.
        open_files: open files of one process.
        output_bytes: how much of the end of its output is kept.
        result_bytes: the largest result that is read.
    """

    seconds: float = 180
    megabytes: int = 4000
    folder_megabytes: int = 2048
    files: int = 100_000
    processes: int = 256
    open_files: int = 4096
    output_bytes: int = 8_000
    result_bytes: int = 4_000_000


class Ended(BaseModel):
    """How a command ended.

    Attributes:
        how: `exited`, the limit that it broke (a field of `Limits`), `not-started`, or `lost` if the watcher itself
            was killed.
        code: its exit code; negative for a signal.
        seconds: how long it took.
        megabytes: most memory at one moment.
        output: the end of what it printed.
        survivors: processes that could not be killed.
        result: the text of its result file, none if it left no plain file or too large a one.
        left: whether anything of its folder could not be removed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: str
    code: int = -1
    seconds: float = 0.0
    megabytes: int = 0
    output: str = ""
    survivors: int = 0
    result: str | None = None
    left: bool = False


class Namespaces(NamedTuple):
    """What this system lets a command be cut off from without privileges.

    Attributes:
        prefix: what to put before the command.
        network: whether it gets an empty network of its own.
        processes: whether it sees and can outlive no process but its own, and has its own mounts.
    """

    prefix: tuple[str, ...]
    network: bool
    processes: bool


@functools.cache
def namespaces() -> Namespaces:
    """The most that works here, found out by trying."""
    program = shutil.which("unshare")
    if program is not None and sys.platform == "linux":
        for options in (_ALL_NAMESPACES, _NETWORK_NAMESPACE):
            prefix = (program, *options, "--")
            with suppress(OSError, subprocess.TimeoutExpired):
                done = subprocess.run(
                    [*prefix, sys.executable, "-I", "-S", "-c", ""],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=20,
                    check=False,
                )
                if done.returncode == 0:
                    return Namespaces(prefix, True, options is _ALL_NAMESPACES)
    return Namespaces((), False, False)


class Sandbox:
    """A folder of its own for one command that nobody vouches for, and the watcher that removes it in any case.

    Use it as a context manager: fill the folder, then run the command.

    Attributes:
        folder: the folder.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="annot-probe-"))
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", "-S", str(keeper.__file__)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us: the watcher ends when its lifeline does
        )
        assert self._watcher.stdin is not None  # noqa: S101 - it was asked for
        assert self._watcher.stdout is not None  # noqa: S101
        self._lifeline, self._reports = self._watcher.stdin, self._watcher.stdout
        self._tell(str(self.folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._lifeline.close()
        try:
            self._watcher.wait(_CLEANING_SECONDS)
        except subprocess.TimeoutExpired:
            self._watcher.kill()
            self._watcher.wait()
        self._reports.close()
        if self.folder.exists():
            keeper.remove_folder(str(self.folder))

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        limits: Limits,
        *,
        cwd: Path,
        result: Path,
    ) -> Ended:
        """Runs a command to its end or its limits, once. The folder is gone afterwards.

        Args:
            command: program and arguments.
            environment: all of its environment variables.
            limits: what it may use.
            cwd: where it starts.
            result: the file in which it leaves its result.
        """
        plan = {
            "command": [*namespaces().prefix, *command],
            "folder": str(self.folder),
            "cwd": str(cwd),
            "environment": dict(environment),
            "result": str(result),
            **limits._asdict(),
        }
        self._tell(plan)
        report = self._reports.read()
        try:
            return Ended.model_validate_json(report)
        except ValidationError:
            return Ended(how="lost")

    def _tell(self, message: object) -> None:
        with suppress(BrokenPipeError):  # a watcher that is gone leaves no report, which says it
            self._lifeline.write(json.dumps(message).encode() + b"\n")
            self._lifeline.flush()


def child_environment(
    folder: Path,
    interpreter: Path,
    paths: Sequence[Path],
    extra: Mapping[str, str],
    *,
    gpu: bool,
) -> dict[str, str]:
    """All variables of a child: none of the user's but what the system needs.

    Args:
        folder: the child's own folder, with `home` and `tmp` in it.
        interpreter: its Python.
        paths: where it imports from, before the interpreter's own packages.
        extra: what the upstream wants.
        gpu: whether it may see GPUs.
    """
    home, tmp = str(folder / "home"), str(folder / "tmp")
    kept = (*_KEPT_VARIABLES, *(_KEPT_FOR_GPU if gpu else ()))
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        **({} if gpu else {"CUDA_VISIBLE_DEVICES": ""}),
        "PATH": os.pathsep.join((str(interpreter.parent), os.defpath)),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",
        "PYTHONUTF8": "1",
        "HOME": home,
        "USERPROFILE": home,
        "USER": "annot",
        "LOGNAME": "annot",
        "TMPDIR": tmp,
        "TEMP": tmp,
        "TMP": tmp,
        "XDG_CACHE_HOME": f"{home}/.cache",
        "XDG_CONFIG_HOME": f"{home}/.config",
        "HF_HOME": f"{home}/.cache/huggingface",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PIP_NO_INDEX": "1",
        **extra,
    }
