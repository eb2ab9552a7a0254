"""Says what an interpreter has installed. Standard library only; runs in that interpreter, imports nothing of it."""

import ctypes
import importlib.util
import json
import os
import platform
import re
import sys
from importlib import metadata
from typing import Any

_COMPILED = (".so", ".pyd", ".dylib")


def main() -> None:
    """Prints one line of JSON about this interpreter and the packages named on the command line."""
    distributions = {
        re.sub(r"[-_.]+", "-", name).lower(): found.version
        for found in metadata.distributions()
        if (name := found.metadata["Name"])
    }
    about = {
        "python": platform.python_version(),
        "machine": f"{sys.platform}-{platform.machine()}",
        "distributions": distributions,
        "packages": {name: _package(name) for name in sys.argv[1:]},
        "gpus": _gpus(),
    }
    sys.stdout.write(json.dumps(about) + "\n")


def _package(name: str) -> dict[str, Any] | None:
    """Folder of an installed package, and its compiled files below that."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = next(iter(spec.submodule_search_locations))
    compiled = [
        os.path.relpath(os.path.join(root, file), folder).replace(os.sep, "/")
        for root, _, files in os.walk(folder)
        for file in files
        if file.endswith(_COMPILED)
    ]
    return {"folder": folder, "compiled": sorted(compiled)}


def _gpus() -> int:
    """Number of GPUs that the CUDA driver sees."""
    for library in ("libcuda.so.1", "nvcuda.dll"):
        try:
            driver = ctypes.CDLL(library)
        except OSError:
            continue
        count = ctypes.c_int(0)
        if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0:
            return count.value
    return 0


if __name__ == "__main__":
    main()
