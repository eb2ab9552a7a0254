"""Servers that a probe starts for itself: on 127.0.0.1, on a free port, and never left over."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

HOST = "127.0.0.1"

_LEASH = """
import subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
def let_go():
    sys.stdin.buffer.read()
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
threading.Thread(target=let_go, daemon=True).start()
sys.exit(server.wait())
"""


def free_port() -> int:
    """Returns a TCP port of the loopback interface that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def leashed(
    command: Sequence[str], log: str, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """Runs a server for as long as the block, or for as long as this process lives.

    Between us and the server stands a small process that holds a pipe to us. When the pipe closes, be it at the end
    of the block or because we were killed, it stops the server. All three share our process group.

    Args:
        command: the server and its arguments.
        log: path of a file for what the server prints.
        **environment: variables added to ours.
    """
    with open(log, "wb") as output:
        leash = subprocess.Popen(
            [sys.executable, "-c", _LEASH, *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
        )
        try:
            yield leash
        finally:
            if leash.stdin:
                leash.stdin.close()
            try:
                leash.wait(15)
            except subprocess.TimeoutExpired:
                leash.kill()
                leash.wait()


def log_tail(path: str, characters: int = 400) -> str:
    """Returns the end of what a server printed, for the message of an error."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()[-characters:]
