"""Mooncake's transfer engines over TCP: which memory may be touched, and copies."""

import ctypes
import random
from collections.abc import Sequence
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference.registered_memory import RegisteredMemory
from annotator.probes.rigs.lmcache_server import wait

OK = 0


def registration(context: Context, engine: Any) -> None:
    """Ranges of one buffer, registered and forgotten in any order."""
    buffer = ctypes.create_string_buffer(1000)
    base = ctypes.addressof(buffer)

    def draw(generator: random.Random) -> list[tuple[str, int, int]]:
        return [
            (
                generator.choice(("register", "register", "unregister")),
                generator.randrange(0, 900, 50),
                generator.choice((0, 50, 50, 100)),
            )
            for _ in range(generator.randrange(2, 25))
        ]

    def differs(steps: Sequence[tuple[str, int, int]]) -> str | None:
        model = RegisteredMemory()
        try:
            for verb, start, length in steps:
                if verb == "register":
                    found = engine.register_memory(base + start, length) == OK
                    expected = model.register(start, length)
                else:
                    found = engine.unregister_memory(base + start) == OK
                    expected = model.unregister(start)
                if found != expected:
                    return f"{verb} {length} bytes at {start}: accepted {found}, not {expected}"
        finally:
            for _, start, _ in steps:
                engine.unregister_memory(base + start)
        return None

    compare(
        context,
        "no-overlap",
        draw,
        differs,
        60,
        "orders of registering ranges are accepted as in the model",
    )


def copies(context: Context, near: Any, far: Any, segment: str) -> None:
    """Reads and writes between two engines, compared with two byte arrays."""
    size = 4096
    here, there = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
    local, remote = ctypes.addressof(here), ctypes.addressof(there)
    near.register_memory(local, size)
    far.register_memory(remote, size // 2)
    registered = RegisteredMemory({0: size // 2})

    def draw(generator: random.Random) -> list[tuple[str, int, int, int]]:
        return [
            (
                generator.choice(("read", "write")),
                generator.randrange(size // 2),
                generator.randrange(size // 2 + 100),
                generator.choice((1, 16, 300, 1500)),
            )
            for _ in range(generator.randrange(1, 10))
        ]

    def differs(steps: Sequence[tuple[str, int, int, int]]) -> str | None:
        ours, theirs = (bytearray(random.Random(side).randbytes(size)) for side in (1, 2))  # noqa: S311 - for tests, not secrets
        ctypes.memmove(local, bytes(ours), size)
        ctypes.memmove(remote, bytes(theirs), size)
        for verb, at, to, length in steps:
            move = near.transfer_sync_read if verb == "read" else near.transfer_sync_write
            done = move(segment, local + at, remote + to, length) == OK
            if done != registered.covers(to, length):
                return f"{verb} of {length} bytes at {to} of {size // 2} registered: done {done}"
            if not done:
                _reconnect(near, segment, remote)
            if done and verb == "read":
                ours[at : at + length] = theirs[to : to + length]
            elif done:
                theirs[to : to + length] = ours[at : at + length]
            if (here.raw, there.raw) != (bytes(ours), bytes(theirs)):
                return f"after {verb} of {length} bytes the memories are not as in the model"
        return None

    compare(
        context,
        "copies",
        draw,
        differs,
        30,
        "sequences of reads and writes leave both memories as in the model",
    )
    near.unregister_memory(local)
    far.unregister_memory(remote)


def _reconnect(near: Any, segment: str, remote: int) -> None:
    """After a refusal the peer closes the connection, and a request that still goes out on it fails as well."""
    end = ctypes.create_string_buffer(1)
    wait(lambda: near.transfer_sync_read(segment, ctypes.addressof(end), remote, 1) == OK or None)
