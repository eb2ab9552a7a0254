"""LMCache's first tier against the model: the life of objects, the order of eviction, locks that expire."""

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from unittest import mock

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference.l1_cache import ABSENT, DONE, L1Cache, LeastRecentlyUsed, TimedLock
from annotator.probes.rigs.lmcache_l1 import PLACE, first_tier, layout, object_key, object_keys

Step = tuple[str, tuple[str, ...], str]
"""An operation on L1: its name, keys, and the writer."""


def _draw_steps(generator: random.Random) -> list[Step]:
    verbs = (
        "reserve_write",
        "finish_write",
        "reserve_temporary",
        "reserve_read",
        "read",
        "finish_read",
        "delete",
    )
    steps = []
    for _ in range(generator.randrange(3, 60)):
        names = generator.sample("abcd", generator.randrange(1, 4))
        steps.append(
            (generator.choice(verbs), tuple(sorted(names)), generator.choice(("", "other")))
        )
    return steps


def life_cycle(context: Context) -> None:
    """Any operations in any order on L1."""

    def differs(steps: Sequence[Step]) -> str | None:
        model = L1Cache(places=5)
        with first_tier(model.places) as manager:
            for step in steps:
                verb, names, _ = step
                found, expected = _on_upstream(manager, step), _on_model(model, step)
                if found != expected:
                    return f"{verb} {' '.join(names)} gives {found}, not {expected}"
                used = manager.get_memory_usage()[0]
                if used != model.used() * PLACE:
                    return f"after {verb} {used} bytes are used, not {model.used() * PLACE}"
        return None

    what = "sequences of operations on L1 get the model's answers and memory"
    compare(context, "l1-life-cycle", _draw_steps, differs, 150, what)
    with first_tier(1) as manager:
        verbs = ("reserve_write", "reserve_read", "finish_write", "reserve_read")
        first, before, finished, after = (_on_upstream(manager, (v, ("a",), ""))[0] for v in verbs)
    context.saw("l1.reading_what_is_being_written", before)
    evidence = f"a read gives {before} while the object is written, {after} when it is finished"
    holds = (first, before, finished, after) == (DONE, ABSENT, DONE, DONE)
    context.verdict("staging-invisible", holds, evidence)


def _on_upstream(manager: Any, step: Step) -> list[str]:
    verb, names, writer = step
    keys = object_keys(names)
    tag = {"tag": writer} if hasattr(manager, "_staging") else {}  # until 0.5.5 writers were alike
    if verb in ("reserve_write", "reserve_temporary"):
        flags = [verb == "reserve_temporary"] * len(keys)
        answers = manager.reserve_write(keys, flags, layout(), **tag)
    elif verb == "finish_write":
        answers = manager.finish_write(keys, **tag)
    else:
        answers = getattr(manager, "unsafe_read" if verb == "read" else verb)(keys)
    return [a.name if hasattr(a := answers[key], "name") else a[0].name for key in keys]


def _on_model(model: L1Cache, step: Step) -> list[str]:
    verb, names, writer = step
    if verb in ("reserve_write", "reserve_temporary"):
        return model.reserve_write(names, writer, temporary=verb == "reserve_temporary")
    if verb == "finish_write":
        return model.finish_write(names, writer)
    answers: list[str] = getattr(model, verb)(names)
    return answers


def lru(context: Context) -> None:
    """The order of eviction alone."""
    from lmcache.v1.distributed.eviction_policy.lru import LRUEvictionPolicy

    def draw(generator: random.Random) -> list[tuple[str, str]]:
        verbs = ("created", "created", "touched", "removed", "victims")
        return [
            (
                generator.choice(verbs),
                "".join(generator.sample("abcdefgh", generator.randrange(1, 5))),
            )
            for _ in range(generator.randrange(2, 30))
        ]

    def differs(steps: Sequence[tuple[str, str]]) -> str | None:
        upstream, model = LRUEvictionPolicy(), LeastRecentlyUsed()
        for verb, names in steps:
            if verb == "victims":
                locked = set(names[1:])
                for share in (0.0, 0.2, 0.5, 1.0):
                    expected = model.victims(share, (set(model.order) - locked).__contains__)
                    found = _victims(upstream, share, locked)
                    if found != expected:
                        return f"{share} of {model.order} without {sorted(locked)}: {found}, not {expected}"
            else:
                getattr(upstream, f"on_keys_{verb}")(object_keys(names))
                getattr(model, verb)(names)
        return None

    compare(
        context,
        "lru-order",
        draw,
        differs,
        200,
        "histories of use are evicted in the model's order",
    )


def _victims(policy: Any, share: float, locked: set[str]) -> list[str]:
    """Returns whom upstream evicts, in order."""

    def evictable(key: Any) -> bool:
        return key.chunk_hash.decode() not in locked

    actions = policy.get_eviction_actions(share, key_eligible_filter=evictable)
    return [key.chunk_hash.decode() for action in actions for key in action.keys]


def eviction_loop(context: Context) -> None:
    """The loop around it, with its ticks made by us."""
    from lmcache.v1.distributed.config import EvictionConfig
    from lmcache.v1.distributed.storage_controllers import eviction_controller

    def kept_after(ticks: int, stored: int, locked: str = "") -> list[str]:
        names = "abcdefghij"[:stored]
        with first_tier(10) as manager:
            controller = eviction_controller.L1EvictionController(
                manager, EvictionConfig("LRU", 0.8, 0.2)
            )
            for name in names:
                manager.reserve_write([object_key(name)], [False], layout())
                manager.finish_write([object_key(name)])
            manager.reserve_read(object_keys(locked))
            left = iter(range(ticks))

            def tick(_: float) -> None:
                if next(left, None) is None:
                    controller._stop_flag.set()
                    raise StopIteration

            clock = mock.patch.object(eviction_controller.time, "sleep", tick)
            with clock, suppress(StopIteration):
                controller.eviction_loop()
            return [
                name
                for name in names
                if manager.is_key_evictable(object_key(name)) or name in locked
            ]

    found = {
        "7 of 10 places used": "".join(kept_after(2, 7)),
        "10 of 10, one tick": "".join(kept_after(1, 10)),
        "10 of 10, three ticks": "".join(kept_after(3, 10)),
        "10 of 10, one tick, the oldest locked": "".join(kept_after(1, 10, "a")),
    }
    expected = dict(zip(found, ("abcdefg", "cdefghij", "defghij", "adefghij"), strict=True))
    context.saw("l1.kept_by_the_eviction_loop", dict(found))
    context.verdict(
        "one-batch-a-tick",
        found == expected,
        f"kept: {found}" + ("" if found == expected else f", not {expected}"),
    )


def isolated(context: Context) -> None:
    """What the loop does with the policy that wants a salt."""
    from lmcache.v1.distributed.config import EvictionConfig
    from lmcache.v1.distributed.storage_controllers import eviction_controller

    with first_tier(2) as manager:
        try:
            config = EvictionConfig("IsolatedLRU", 0.0, 0.5)
            controller = eviction_controller.L1EvictionController(manager, config)
        except (ValueError, KeyError) as error:
            context.not_applicable("isolated-lru-needs-salt", f"no such policy for L1: {error}")
            return
        with mock.patch.object(
            eviction_controller.time,
            "sleep",
            side_effect=lambda _: controller._stop_flag.set(),
        ):
            try:
                controller.eviction_loop()
                outcome = "no error"
            except ValueError as error:
                outcome = f"ValueError: {error}"
    context.verdict(
        "isolated-lru-needs-salt", outcome.startswith("ValueError"), f"the loop ends with {outcome}"
    )


def timed_lock(context: Context) -> None:
    """The compiled lock. Time runs, so the sequence is fixed and the lock is given a second."""
    from lmcache.lmcache_native import TTLLock

    upstream, model = TTLLock(1), TimedLock(1.0)
    found, expected = [], []
    now = 0.0
    for verb in (
        "lock",
        "lock",
        "unlock",
        "wait",
        "lock",
        "unlock",
        "lock",
        "lock",
        "unlock",
        "wait",
    ):
        if verb == "wait":
            time.sleep(1.2)
            now += 1.2
        elif verb == "lock":
            upstream.lock()
            model.lock(now)
        else:
            upstream.unlock()
            model.unlock()
        found.append(bool(upstream.is_locked()))
        expected.append(model.locked(now))
    evidence = f"held after each of ten steps: {found}"
    context.verdict(
        "expired-lock-resets",
        found == expected,
        evidence if found == expected else f"{evidence}, not {expected}",
    )
