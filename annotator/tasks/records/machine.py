"""What this machine says about itself: accelerators, driver, system, processors.

Every source is optional; what is not there is left to people. Programs are started with lists of arguments and a
time limit, and what they print is only read.
"""

import csv
import os
import platform
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from annotator.tasks.records.found import Found

_SECONDS = 20.0
_NODES = Path("/sys/devices/system/node")


def machine_facts() -> Iterator[Found]:
    """Everything about the machine that can be found without being told anything."""
    yield from gpu_facts(
        _output(
            "nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"
        ),
        _output("nvidia-smi", "topo", "-m"),
    )
    yield Found("system.os", _operating_system(), "the operating system")
    yield Found("host.cpu", _processor(), "the operating system")
    yield Found("host.numa", numa_nodes(_NODES), str(_NODES))
    yield Found("host.memory", _memory(), "the operating system")


def gpu_facts(listing: str, topology: str) -> Iterator[Found]:
    """Facts from what `nvidia-smi` prints.

    Args:
        listing: rows of name, memory and driver version, comma separated; one a GPU.
        topology: the matrix of `nvidia-smi topo -m`.
    """
    rows = [
        [cell.strip() for cell in row] for row in csv.reader(listing.splitlines()) if len(row) == 3
    ]
    if not rows:
        return
    where = "nvidia-smi"
    models = Counter(row[0] for row in rows)
    yield Found("gpu.model", ", ".join(models), where)
    yield Found(
        "gpu.count",
        str(len(rows)) if len(models) == 1 else ", ".join(f"{n} {m}" for m, n in models.items()),
        where,
    )
    yield Found("gpu.memory", ", ".join(dict.fromkeys(row[1] for row in rows)), where)
    yield Found("system.driver", ", ".join(dict.fromkeys(row[2] for row in rows)), where)
    yield Found("gpu.topology", topology_matrix(topology), "nvidia-smi topo -m")


def topology_matrix(printed: str) -> str:
    """The matrix of `nvidia-smi topo -m` and the names of its network cards, without colours and legend."""
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", printed)
    matrix, _, legend = plain.partition("Legend:")
    rows = ["  ".join(line.split("\t")).rstrip() for line in matrix.splitlines() if line.strip()]
    rows += [line.strip() for line in legend.splitlines() if re.match(r"\s*NIC\d+:", line)]
    return "\n".join(" ".join(row.split()) for row in rows)


def numa_nodes(folder: Path) -> str:
    """`node0: 0-63, node1: 64-127`, from the kernel's files; empty where there are none."""
    nodes = []
    for node in sorted(folder.glob("node[0-9]*"), key=lambda path: int(path.name[4:])):
        try:
            nodes.append(f"{node.name}: {(node / 'cpulist').read_text(encoding='ascii').strip()}")
        except (OSError, ValueError):
            continue
    return ", ".join(nodes)


def _operating_system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    kernel = f"{platform.system()} {platform.release()}"
    return f"{name}, {kernel}" if name else f"{kernel} {platform.version()}"


def _processor() -> str:
    model = platform.processor()
    try:
        listing = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass
    else:
        found = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", listing, re.MULTILINE)
        model = found[1].strip() if found else model
    return f"{model or platform.machine()}, {os.cpu_count()} logical cores"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return ""
    return f"{size / (1 << 30):.0f} GiB"


def _output(program: str, *arguments: str) -> str:
    """What a program prints; nothing if it is not installed, fails, or takes too long."""
    found = shutil.which(program)
    if found is None:
        return ""
    try:
        done = subprocess.run(
            [found, *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
