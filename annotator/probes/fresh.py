"""Calls a function in a fresh interpreter with another environment. Standard library only.

Some behaviour is fixed when upstream is imported (a seed read from a variable, say), so it can only be seen under
several settings by starting over. The function has to be at the top of a module that the fresh interpreter can
import, and its arguments and its answer have to be JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any


def call_in_fresh_process(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    environment: Mapping[str, str | None],
    seconds: float,
) -> Any:
    """The answer of `function(*arguments)` from a new process.

    Args:
        function: a function at the top of a module.
        arguments: its arguments.
        environment: variables to set, or with None to take away.
        seconds: how long to wait.

    Raises:
        RuntimeError: if the process fails or gives no answer in time.
    """
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for name, value in environment.items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        request = json.dumps(
            [function.__module__, function.__qualname__, arguments, str(answer)],
        )
        # Output stays with the parent's, whose tail is shown if the run fails.
        done = subprocess.run(  # this very module, under this very interpreter
            [sys.executable, "-m", __name__, request],
            env=variables,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
        if done.returncode != 0 or not answer.is_file():
            raise RuntimeError(
                f"{function.__qualname__} in a fresh process ended with {done.returncode}"
            )
        return json.loads(answer.read_text(encoding="utf-8"))


def main() -> None:
    """Calls what the request on the command line names, and writes the answer where it says."""
    module, name, arguments, answer = json.loads(sys.argv[1])
    result = getattr(import_module(module), name)(*arguments)
    Path(answer).write_text(json.dumps(result), encoding="utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads that upstream left behind cannot hold it up


if __name__ == "__main__":
    main()
