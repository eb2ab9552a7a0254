"""Servers that probes start: they go when they are no longer needed, and when the probe is killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from annotator.probes.rigs.loopback import HOST, free_port, leashed, log_tail

SERVER = """
import socket, sys, time
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen()
print("listening", flush=True)
time.sleep(600)
"""

PROBE = """
import sys, time
from annotator.probes.rigs.loopback import leashed
with leashed([sys.executable, "-c", {server!r}, "{port}"], {log!r}):
    time.sleep(600)
"""


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def becomes(port: int, state: bool) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if listens(port) is state:
            return True
        time.sleep(0.05)
    return False


def test_a_server_lives_as_long_as_its_block(tmp_path: Path):
    port, log = free_port(), str(tmp_path / "log")
    with leashed([sys.executable, "-c", SERVER, str(port)], log):
        assert becomes(port, True)
    assert not listens(port)
    assert log_tail(log) == "listening\n"


def test_a_server_goes_when_the_block_fails(tmp_path: Path):
    port = free_port()
    with (
        suppress(KeyError),
        leashed([sys.executable, "-c", SERVER, str(port)], str(tmp_path / "log")),
    ):
        assert becomes(port, True)
        raise KeyError
    assert not listens(port)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_server_goes_when_the_probe_is_killed(tmp_path: Path):
    port = free_port()
    program = PROBE.format(server=SERVER, port=port, log=str(tmp_path / "log"))
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": root}
    ) as probe:
        assert becomes(port, True)
        probe.send_signal(signal.SIGKILL)
    assert becomes(port, False)
