"""LMCache's tiers together, and what a server and an adapter do when told nothing."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

from annotator.probes.contract import CannotAdapt, Context
from annotator.probes.rigs.lmcache_l1 import (
    l1_config,
    layout,
    object_key,
    object_keys,
    storage_manager,
)
from annotator.probes.rigs.lmcache_server import wait


def spill(context: Context) -> None:
    """Two L1s, with room for two objects each."""
    try:
        tiers = [l1_config(2, tag=tag) for tag in ("first", "second")]
    except TypeError:
        context.not_applicable("only-oom-spills", "this version has a single L1")
        return
    with storage_manager(tiers) as storage:
        asked: list[tuple[str, str]] = []
        for tag, manager in zip(("first", "second"), storage._write_managers, strict=True):
            reserve = manager.reserve_write

            def noted(
                keys: Any,
                *a: Any,
                tag_: str = tag,
                reserve_: Callable[..., Any] = reserve,
                **k: Any,
            ) -> Any:
                asked.append((tag_, "".join(key.chunk_hash.decode() for key in keys)))
                return reserve_(keys, *a, **k)

            manager.reserve_write = noted
        reserved = [
            "".join(k.chunk_hash.decode() for k in storage.reserve_write(object_keys(n), layout()))
            for n in ("a", "abc")
        ]
    expected = [("first", "a"), ("first", "abc"), ("second", "bc")]
    evidence = f"asked for places: {asked}; given: {reserved}"
    context.verdict("only-oom-spills", asked == expected and reserved == ["a", "bc"], evidence)


def second_tier(context: Context) -> None:
    """L2 adapters that come with LMCache and keep objects in memory."""
    try:
        from lmcache.v1.distributed.api import GroupedObjectKeys, PrefetchTaskSpec
        from lmcache.v1.distributed.internal_api import L2StoreResult
        from lmcache.v1.distributed.l2_adapters.mock_l2_adapter import MockL2AdapterConfig
    except ImportError as error:
        raise CannotAdapt(f"until 0.5.5 objects are asked for in another way: {error}") from error
    with storage_manager([l1_config(8)], [MockL2AdapterConfig(1, 10) for _ in range(2)]) as storage:
        adapters = list(storage._l2_adapters.values())

        def store(names: str) -> None:
            storage.reserve_write(object_keys(names), layout())
            storage.finish_write(object_keys(names))

        store("ab")
        wait(lambda: all(a.debug_get_stored_object_count() == 2 for a in adapters) or None)
        wait(lambda: storage._l1_manager.report_status()["read_locked_count"] == 0 or None)
        storage.delete_l1_keys(object_keys("b"))
        asked: list[str] = []
        for adapter in adapters:
            lookup = adapter.submit_lookup_and_lock_task

            def noted(keys: Any, *a: Any, lookup_: Callable[..., Any] = lookup) -> Any:
                asked.append("".join(key.chunk_hash.decode() for key in keys))
                return lookup_(keys, *a)

            adapter.submit_lookup_and_lock_task = noted
        handle = storage.submit_prefetch_task(
            PrefetchTaskSpec([GroupedObjectKeys(object_keys("abc"), 0, layout())])
        )
        storage.wait_prefetch_status(handle, 20)
        storage.query_prefetch_status(handle)
        evidence = f"for a, b and c, of which L1 has a, the adapters were asked for {asked}"
        context.verdict("all-adapters-asked", asked == ["abc", "abc"], evidence)

        def present() -> str:
            return "".join(
                n for n in "ab" if storage._l1_manager.get_object_state(object_key(n)) is not None
            )

        loaded = present()
        storage.finish_read_prefetched(object_keys("ab"))
        evidence = f"in L1 after the load: {loaded}, after the last reader: {present()}"
        context.verdict("default-drops-after-read", (loaded, present()) == ("ab", "a"), evidence)

        tries: list[str] = []
        first, second = adapters
        submit, results = first.submit_store_task, first.pop_completed_store_tasks

        def counted(keys: Any, objects: Any) -> Any:
            tries.append("".join(key.chunk_hash.decode() for key in keys))
            return submit(keys, objects)

        def failed() -> Any:
            return {task: L2StoreResult(False, 0) for task in results()}

        first.submit_store_task, first.pop_completed_store_tasks = counted, failed
        store("d")
        wait(lambda: second.debug_has_key(object_key("d")) or None)
        wait(lambda: storage._l1_manager.report_status()["read_locked_count"] == 0 or None)
        store("e")
        wait(lambda: second.debug_has_key(object_key("e")) or None)
        time.sleep(0.5)
        context.verdict(
            "store-not-retried",
            tries == ["d", "e"],
            f"an adapter that always fails was given {tries[:6]}",
        )


def defaults(context: Context) -> None:
    """What a server and an adapter do when told nothing."""
    import argparse

    from lmcache.integration.vllm import vllm_multi_process_adapter as adapters
    from lmcache.v1.distributed import config as storage_config
    from lmcache.v1.multiprocess import affinity_pool, config, server

    settings = config.MPServerConfig()
    built = context.call(
        getattr(server, "_build_server_components", None) or server._build_modules,
        mock.MagicMock(),
        settings,
        config.DEFAULT_COORDINATOR_CONFIG,
    )
    modules = sorted(type(module).__name__ for module in getattr(built, "modules", built))
    context.saw("server.default_modules", list(modules))
    evidence = f"loaded by default: {', '.join(modules)}"
    context.verdict(
        "default-transfer-module", "EngineDrivenTransferModule" not in modules, evidence
    )

    pool = affinity_pool.AffinityThreadPool(settings.max_gpu_workers)
    threads = {pool.submit(threading.get_ident, affinity_key=key).result() for key in range(8)}
    pool.shutdown()
    context.verdict(
        "one-gpu-thread", len(threads) == 1, f"tasks of 8 engines ran on {len(threads)} thread(s)"
    )

    parser = argparse.ArgumentParser()
    storage_config.add_storage_manager_args(parser)
    arguments = parser.parse_args(["--l1-size-gb", "0.5", "--eviction-policy", "LRU"])
    size = storage_config.parse_args_to_config(
        arguments
    ).l1_manager_config.memory_config.size_in_bytes
    context.verdict("size-is-gib", size == 2**29, f"0.5 is {size} bytes")

    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.disable(logging.NOTSET)
    adapters.logger.addHandler(handler)
    adapters.logger.setLevel(logging.DEBUG)
    resolved = adapters._resolve_extra_config(
        {"lmcache.mp.no_such_key": 1, "lmcache.mp.mq_timeout": 5}
    )
    adapters.logger.removeHandler(handler)
    logging.disable(logging.WARNING)
    told = [line for line in lines if "no_such_key" in line]
    silent = (
        not told and "no_such_key" not in resolved and bool(lines) and resolved["mq_timeout"] == 5
    )
    context.verdict(
        "unknown-keys-ignored",
        silent,
        f"of {len(lines)} log lines {len(told)} name the unknown key",
    )
