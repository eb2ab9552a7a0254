"""LMCache's storage: what becomes of objects in the first tier (L1), how they are evicted, and when L2 is asked."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.lmcache_l1 import (
    eviction_loop,
    isolated,
    life_cycle,
    lru,
    timed_lock,
)
from annotator.probes.experiments.lmcache_tiers import defaults, second_tier, spill
from annotator.probes.rigs import lmcache_tree
from annotator.probes.steady import steadily

CHECKS = (
    Check(
        "staging-invisible",
        "`finish_write` 之前，`reserve_read` 对同一键返回 `KEY_NOT_EXIST`（除非另有驻留对象）。",
        "Before `finish_write`, `reserve_read` of the same key gives `KEY_NOT_EXIST`, unless another object is resident.",
    ),
    Check(
        "l1-life-cycle",
        "`L1Manager` 的写、读、删按状态机进行，占用的内存恰为暂存与驻留对象之和。",
        "`L1Manager` writes, reads and deletes by its state machine, and the memory used is that of staged and resident"
        " objects.",
    ),
    Check(
        "lru-order",
        "`LRU` 按最近使用淘汰，同一请求里靠后的键先走；比例按键的个数算，锁住的跳过。",
        "`LRU` evicts the least recently used, of one request the later keys first; the ratio counts keys, and locked"
        " ones are passed over.",
    ),
    Check(
        "one-batch-a-tick",
        "占用达到水位时每轮只淘汰一批，不循环到低于水位；低于水位时不动。",
        "At the watermark the loop evicts one batch a tick and does not go on until below it; below it nothing happens.",
    ),
    Check(
        "isolated-lru-needs-salt",
        "`L1EvictionController.eviction_loop` 不给 `cache_salt`，而 `IsolatedLRUEvictionPolicy` 因此抛 `ValueError`。",
        "`L1EvictionController.eviction_loop` gives no `cache_salt`, for which `IsolatedLRUEvictionPolicy` raises"
        " `ValueError`.",
    ),
    Check(
        "expired-lock-resets",
        "`TTLLock::lock` 在到期后把计数置为 1，而不是加 1。",
        "After expiry `TTLLock::lock` sets the counter to 1 instead of adding 1.",
    ),
    Check(
        "only-oom-spills",
        "`StorageManager.reserve_write` 只把得到 `OUT_OF_MEMORY` 的键交给下一个 L1，写冲突的键不再尝试。",
        "`StorageManager.reserve_write` passes only keys with `OUT_OF_MEMORY` on to the next L1; keys in conflict are"
        " not retried.",
    ),
    Check(
        "all-adapters-asked",
        "`PrefetchController` 把请求的全部键发给每个 L2 适配器，包括 L1 已命中的键。",
        "`PrefetchController` sends all keys of a request to every L2 adapter, including keys that L1 holds.",
    ),
    Check(
        "default-drops-after-read",
        "默认预取策略下，从 L2 加载的对象在读锁归零时从 L1 删除。",
        "Under the default prefetch policy an object loaded from L2 is deleted from L1 when its read locks reach zero.",
    ),
    Check(
        "store-not-retried",
        "L2 写任务失败后，`StoreController` 不会重试同一批键。",
        "After a failed L2 store task `StoreController` does not retry its keys.",
    ),
    Check(
        "default-transfer-module",
        "默认配置的 MP server 不加载 `EngineDrivenTransferModule`。",
        "An MP server with default settings does not load `EngineDrivenTransferModule`.",
    ),
    Check(
        "one-gpu-thread",
        "默认配置下，一个 MP server 的全部 STORE 与 RETRIEVE 由同一个线程执行。",
        "With default settings one thread executes every STORE and RETRIEVE of an MP server.",
    ),
    Check(
        "size-is-gib",
        "`--l1-size-gb` 按 GiB（2 的 30 次方字节）换算。",
        "`--l1-size-gb` is converted in GiB (2 to the power of 30 bytes).",
    ),
    Check(
        "unknown-keys-ignored",
        "`_resolve_extra_config` 对未知的 `lmcache.mp.*` 键既不报错也不记日志。",
        "`_resolve_extra_config` ignores unknown `lmcache.mp.*` keys, with neither an error nor a log line.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts."""
    lmcache_tree.prepare(context)
    life_cycle(context)
    lru(context)
    eviction_loop(context)
    isolated(context)
    steadily(context, timed_lock)
    spill(context)
    defaults(context)
    steadily(context, second_tier)


PROBE = Probe(
    name="lmcache-storage",
    zh="LMCache 的存储：L1 对象的生命周期与淘汰，何时访问 L2，默认设置",
    en="LMCache's storage: the life and eviction of objects in L1, when L2 is asked, and what the defaults are",
    upstream="lmcache",
    tiers=("overlay", "engine"),
    paths=("lmcache",),
    checks=CHECKS,
    version=2,
    observe=observe,
    seconds=180,
    megabytes=2500,
)
