"""Mooncake's master and clients: what is written, asked for and removed, replicas, and clients that die."""

import ctypes
import os
import random
import signal
import time
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference import object_store
from annotator.probes.reference.object_store import ObjectStore
from annotator.probes.rigs import mooncake_store
from annotator.probes.rigs.lmcache_server import wait
from annotator.probes.rigs.mooncake_store import MEGABYTE

OK, NO_ROOM, ABSENT, UNDER_LEASE, LEASE_EXPIRED = 0, -200, -704, -706, -707
LEASE = 0.6
"""Seconds, short enough to wait for."""


class Operation(NamedTuple):
    """An operation on one of two clients."""

    verb: str
    key: str
    client: int


def objects(context: Context, clients: Sequence[Any], names: "count[int]") -> None:
    """Any operations in any order, with waits in which leases run out."""
    overwritten: list[str] = []

    def draw(generator: random.Random) -> list[Operation]:
        verbs = ("put", "put", "put", "get", "get", "exists", "remove", "remove", "wait")
        return [
            Operation(generator.choice(verbs), generator.choice("ab"), generator.randrange(2))
            for _ in range(generator.randrange(6, 24))
        ]

    def differs(operations: Sequence[Operation]) -> str | None:
        prefix = f"sequence-{next(names)}-"
        model = ObjectStore({"first": 16 * MEGABYTE, "second": 16 * MEGABYTE}, LEASE)
        for number, (verb, letter, which) in enumerate(operations):
            store, key, began = clients[which], prefix + letter, time.monotonic()
            if verb == "wait":
                time.sleep(LEASE * 1.2)
            elif verb == "put":
                value = f"{key} by {number}".encode() * (1 + 500 * (number % 3))
                outcome = model.put(key, value, began)
                if store.put(key, value) != OK:
                    return f"put {letter} fails where the model says: {outcome}"
            elif verb == "get":
                found, expected = store.get(key), model.get(key, began) or b""
                if found != expected:
                    if expected:
                        overwritten.append(f"after a second put {letter} is {found[:40]!r}")
                    return f"get {letter} gives {found[:40]!r}, not {expected[:40]!r}"
            elif verb == "exists":
                if (found := store.is_exist(key)) != (expected_there := model.ask(key, began)):
                    return f"{letter} is there: {found}, not {expected_there}"
            else:
                found = store.remove(key)
                ended = time.monotonic()
                codes = {
                    ABSENT: object_store.ABSENT,
                    UNDER_LEASE: object_store.UNDER_LEASE,
                    OK: object_store.REMOVED,
                }
                if _lease_in_doubt(model, key, began, ended):
                    began = float("inf") if found == OK else began
                if codes.get(found) != (answer := model.remove(key, began)):
                    return f"remove {letter} gives {codes.get(found, found)}, not {answer}"
        return None

    what = "sequences of put, get, exists, remove and waits on two clients go as in the model"
    compare(context, "lease-protects", draw, differs, 12, what)
    first, second = clients
    first.put("written-twice", b"first")
    again = second.put("written-twice", b"second")
    kept = first.get("written-twice")
    evidence = f"the second put gives {again}, and the object is {kept!r}"
    holds = again == OK and kept == b"first" and not overwritten
    context.verdict("second-put-is-noop", holds, overwritten[0] if overwritten else evidence)


def _lease_in_doubt(model: ObjectStore, key: str, began: float, ended: float) -> bool:
    """Says whether a lease may have run out just while an operation ran.

    The model counts it from before the call that granted it, the master from within the call.
    """
    return key in model.objects and began - 0.2 < model.objects[key].lease_ends < ended + 0.2


def leases(context: Context, store: Any) -> None:
    """Which questions grant a lease: each is asked of an object that nobody has asked for, which is then removed."""
    questions = {
        "lookup-grants-lease": store.get_replica_desc,
        "exist-renews-lease": lambda key: store.batch_is_exist([key]),
    }
    removed_unasked = _put_and_remove(store, "unasked", lambda _: None)
    for check, question in questions.items():
        removed = _put_and_remove(store, check, question)
        evidence = f"remove gives {removed} after the question and {removed_unasked} without it"
        context.verdict(check, (removed, removed_unasked) == (UNDER_LEASE, OK), evidence)


def _put_and_remove(store: Any, key: str, question: Any) -> int:
    store.put(key, b"value")
    question(key)
    return int(store.remove(key))


def _places(store: Any, key: str) -> list[tuple[str, int]]:
    """Returns segment and length of each replica."""
    buffers = [d.get_memory_descriptor().buffer_descriptor for d in store.get_replica_desc(key)]
    return [(b.transport_endpoint, b.size) for b in buffers]


def config(**fields: Any) -> Any:
    """Returns how an object is to be stored."""
    from mooncake.store import ReplicateConfig

    config = ReplicateConfig()
    for name, value in fields.items():
        setattr(config, name, value)
    return config


def replicas(context: Context, store: Any) -> None:
    """Two segments, and objects that ask for one to three replicas."""
    wrong, found = [], {}
    for wanted in (1, 2, 3):
        for size in (1, 1000, MEGABYTE + 1):
            key = f"replicas-{wanted}-{size}"
            store.put(key, bytes(size), config(replica_num=wanted))
            places = _places(store, key)
            found[f"{wanted} wanted of 2 segments"] = len(places)
            if len(places) != min(wanted, 2) or len({s for s, _ in places}) != len(places):
                wrong.append(f"{wanted} replicas wanted, in {len(places)} places")
            if any(length != size for _, length in places):
                wrong.append(
                    f"an object of {size} bytes has buffers of {[length for _, length in places]}"
                )
    context.saw("store.replicas", dict(found))
    evidence = f"one whole buffer each, in different segments: {found}"
    context.verdict("one-buffer-per-replica", not wrong, wrong[0] if wrong else evidence)
    code = store.put("too-big", bytes(17 * MEGABYTE))
    context.verdict(
        "full-put-fails", code == NO_ROOM, f"17 MiB into segments of 16 MiB gives {code}"
    )


def planes(context: Context, address: str, store: Any) -> None:
    """What a client without a transfer engine can do."""
    store.put("planes", b"value")
    with mooncake_store.client(address, lends=0, protocol="rpc_only") as bare:
        asked, size, data = bare.is_exist("planes"), bare.get_size("planes"), bare.get("planes")
        code = bare.put("planes-2", b"value")
    evidence = f"exists: {asked}, size: {size}, data read: {data!r}, put gives {code}"
    context.verdict("two-planes", (asked, size, data) == (1, 5, b"") and code != OK, evidence)


def borrower(context: Context) -> None:
    """A client that lends nothing: alone, and beside one that lends."""
    with (
        mooncake_store.master(context) as address,
        mooncake_store.client(address, lends=0) as bare,
    ):
        alone = bare.put("alone", b"value")
        with mooncake_store.client(address) as lends:
            beside = bare.put("beside", b"value")
            read = bare.get("beside")
            places = len(_places(bare, "beside")) if beside == OK else 0
            both = bare.put("both", b"value", config(replica_num=2))
            copies_ = len(_places(lends, "both")) if both == OK else 0
    evidence = (
        f"alone a put gives {alone}; beside a client that lends {beside}, reads {read!r};"
        f" {copies_} replica where 2 are wanted"
    )
    holds = (alone, beside, read, places, copies_) == (NO_ROOM, OK, b"value", 1, 1)
    context.verdict("no-segment-without-size", holds, evidence)


def dead_client(context: Context, address: str, store: Any) -> None:
    """A second client in a process of its own, killed."""
    with mooncake_store.lender(context, address, 16 * MEGABYTE) as (process, segment):
        store.put("both", b"value", config(replica_num=2))
        store.put("only-there", b"value", config(preferred_segment=segment))
        before = (len(_places(store, "both")), store.is_exist("only-there"))
        os.kill(process, signal.SIGKILL)
        at_once = (len(_places(store, "both")), store.is_exist("only-there"))

        def lost() -> tuple[int, int] | None:
            now = (len(_places(store, "both")), store.is_exist("only-there"))
            return now if now[1] == 0 else None

        try:
            later = wait(lost, 15)
        except TimeoutError:
            later = (len(_places(store, "both")), store.is_exist("only-there"))
    evidence = f"(replicas of one object, whether the other is there): {before}, just after its death {at_once}, later {later}"
    context.verdict(
        "dead-client-unmounted", (before, at_once, later) == ((2, 1), (2, 1), (1, 0)), evidence
    )


def late_read(context: Context) -> None:
    """A master whose leases have run out by the time that anybody can have read."""
    size = 4 * MEGABYTE
    value = random.Random(context.seed).randbytes(size)  # noqa: S311 - for tests, not secrets
    buffer = ctypes.create_string_buffer(size)
    address_of_buffer = ctypes.addressof(buffer)
    with (
        mooncake_store.master(context, default_kv_lease_ttl="0") as address,
        mooncake_store.client(address) as store,
    ):
        store.put("late", value)
        store.register_buffer(address_of_buffer, size)
        code = store.get_into("late", address_of_buffer, size)
        arrived = buffer.raw == value
        store.unregister_buffer(address_of_buffer)
    evidence = f"with leases of 0 ms a read gives {code}; its bytes had arrived: {arrived}"
    context.verdict("lease-checked-after-read", code == LEASE_EXPIRED and arrived, evidence)
