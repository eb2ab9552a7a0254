"""Mooncake's eviction against the model."""

import random
import time
from collections.abc import Sequence
from itertools import count
from math import ceil

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.experiments.mooncake_objects import LEASE, config
from annotator.probes.reference.object_store import ObjectStore
from annotator.probes.rigs import mooncake_store
from annotator.probes.rigs.mooncake_store import MEGABYTE


def eviction(context: Context, names: "count[int]") -> None:
    """Objects of all sizes, some read again, some under a lease, one pinned; then one more, across the watermark."""
    capacity, watermark, share = 16 * MEGABYTE, 0.5, 0.2
    flags = {
        "default_kv_lease_ttl": f"{int(LEASE * 1000)}ms",
        "eviction_high_watermark_ratio": str(watermark),
        "eviction_ratio": str(share),
    }
    with (
        mooncake_store.master(context, **flags) as address,
        mooncake_store.client(address, capacity) as store,
    ):

        def draw(generator: random.Random) -> list[tuple[str, int]]:
            sizes = [
                generator.choice((4096, 65536, 300_000, 700_000))
                for _ in range(generator.randrange(12, 22))
            ]
            touched = generator.sample(range(8), generator.randrange(6))
            held_count = generator.choice((0, 2, len(sizes) - 1))
            held = generator.sample(range(len(sizes)), held_count)
            return [
                *(("put", size) for size in sizes),
                *(("touch", i) for i in touched),
                ("wait", 0),
                *(("touch", i) for i in held),
            ]

        def differs(steps: Sequence[tuple[str, int]]) -> str | None:
            store.remove_all(True)
            prefix = f"eviction-{next(names)}-"
            model = ObjectStore({"only": capacity}, LEASE, watermark, share)
            keys: list[str] = []
            for verb, number in [("pin", 4096), *steps]:
                now = time.monotonic()
                if verb == "wait":
                    time.sleep(LEASE * 1.2)
                elif verb == "touch" and number < len(keys):
                    store.is_exist(keys[number])
                    model.ask(keys[number], now)
                elif verb in ("put", "pin") and model.used() + number / capacity < watermark:
                    keys.append(f"{prefix}{len(keys)}")
                    store.put(keys[-1], bytes(number), config(with_hard_pin=verb == "pin"))
                    model.put(keys[-1], bytes(number), now, pinned=verb == "pin")
            last = int(capacity * (watermark - model.used())) + 200_000
            if _round_in_doubt(len(keys) - 1, share + 200_000 / capacity):
                return None
            store.put(f"{prefix}last", bytes(last))
            began = time.monotonic()
            model.put(f"{prefix}last", bytes(last), began)
            model.evict(began)
            time.sleep(0.3)
            leases = [known.lease_ends for known in model.objects.values()]
            found = [
                key
                for key, there in zip(keys, store.batch_is_exist(keys), strict=True)
                if there == 1
            ]
            if any(began < end < time.monotonic() for end in leases):
                return None  # this machine was so slow that leases ran out meanwhile
            expected = [key for key in keys if key in model.objects]
            if found == expected:
                return None
            return f"evicted {_numbers(keys, found)}, not {_numbers(keys, expected)}"

        compare(
            context,
            "evicts-objects",
            draw,
            differs,
            8,
            "fillings are evicted object by object as in the model",
        )


def _round_in_doubt(unpinned: int, share: float) -> bool:
    """Says whether it matters if the first round counts the object that is just being written."""
    return ceil(unpinned * share) != ceil((unpinned + 1) * share)


def _numbers(keys: Sequence[str], kept: Sequence[str]) -> list[int]:
    return [int(key.rpartition("-")[2]) for key in keys if key not in kept]
