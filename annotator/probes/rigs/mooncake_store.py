"""Mooncake's own master on loopback, clients that lend memory to it, and transfer engines, all over TCP."""

import importlib
import importlib.metadata
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.loopback import HOST, free_port, leashed, log_tail

MEGABYTE = 1 << 20
PACKAGES = ("mooncake-transfer-engine", "mooncake-transfer-engine-non-cuda")

_LENDER = """
import sys, time
from mooncake.store import MooncakeDistributedStore
store = MooncakeDistributedStore()
if store.setup({setup!r}):
    sys.exit("setup failed")
import os
print("ready", os.getpid(), store.get_hostname(), flush=True)
time.sleep(3600)
"""


def prepare(context: Context) -> None:
    """Imports the package and notes its version.

    Raises:
        ImportError: if it is not installed, or the system lacks a library that it needs (libibverbs say).
    """
    os.environ.setdefault("GLOG_minloglevel", "3")
    for name in ("mooncake.store", "mooncake.engine"):
        importlib.import_module(name)
    for package in PACKAGES:
        try:
            context.versions["mooncake"] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue


@contextmanager
def master(context: Context, **flags: str) -> Iterator[str]:
    """Runs a master for as long as the block.

    Args:
        context: of the probe.
        **flags: flags of the program.

    Yields:
        Its address.
    """
    import mooncake

    port = free_port()
    given = {
        "rpc_address": HOST,
        "rpc_port": str(port),
        "metrics_host": HOST,
        "metrics_port": str(free_port()),
        "enable_metric_reporting": "false",
        "rpc_thread_num": "2",
        **flags,
    }
    program = os.path.join(os.path.dirname(mooncake.__file__), "mooncake_master")
    log = os.path.join(context.folder, f"master-{port}.log")
    with leashed([program, *(f"-{key}={value}" for key, value in given.items())], log) as process:
        _wait_for_port(port, process, log)
        yield f"{HOST}:{port}"


def _wait_for_port(port: int, process: Any, log: str) -> None:
    import socket

    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"mooncake_master ended on its own: {log_tail(log)}")
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("mooncake_master does not listen")


def _setup(address: str, lends: int, protocol: str = "tcp") -> dict[str, str]:
    return {
        "local_hostname": HOST,
        "metadata_server": "P2PHANDSHAKE",
        "global_segment_size": str(lends),
        "local_buffer_size": str(32 * MEGABYTE if protocol == "tcp" else 0),
        "protocol": protocol,
        "rdma_devices": "",
        "master_server_addr": address,
    }


@contextmanager
def client(address: str, lends: int = 16 * MEGABYTE, protocol: str = "tcp") -> Iterator[Any]:
    """Connects a client.

    Args:
        address: of the master.
        lends: bytes of memory that it lends.
        protocol: of its transfer engine.
    """
    from mooncake.store import MooncakeDistributedStore

    store = MooncakeDistributedStore()
    if code := store.setup(_setup(address, lends, protocol)):
        raise RuntimeError(f"a client could not be set up over {protocol}: error {code}")
    try:
        yield store
    finally:
        store.close()


@contextmanager
def lender(context: Context, address: str, lends: int) -> Iterator[tuple[int, str]]:
    """Runs another process that lends memory and does nothing else.

    Yields:
        Its process id, and the name of its segment.
    """
    log = os.path.join(context.folder, "lender.log")
    program = _LENDER.format(setup=_setup(address, lends))
    with leashed([sys.executable, "-c", program], log) as process:
        deadline = time.monotonic() + 30
        while True:
            with open(log, encoding="utf-8", errors="replace") as file:
                ready = [line.split() for line in file if line.startswith("ready ")]
            if ready:
                yield int(ready[0][1]), ready[0][2]
                return
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the second client did not start: {log_tail(log)}")
            time.sleep(0.05)


@contextmanager
def engines(count: int) -> Iterator[list[tuple[Any, str]]]:
    """Starts transfer engines over TCP that find each other without a metadata service.

    Yields:
        Each with the name of its segment.
    """
    from mooncake.engine import TransferEngine

    made = []
    for _ in range(count):
        engine = TransferEngine()
        if code := engine.initialize(HOST, "P2PHANDSHAKE", "tcp", ""):
            raise RuntimeError(f"a transfer engine could not be started over TCP: error {code}")
        made.append((engine, f"{HOST}:{engine.get_rpc_port()}"))
    yield made
    made.clear()
