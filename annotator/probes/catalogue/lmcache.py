"""LMCache's multiprocess mode: how an engine asks a server for a prompt, and what is stored and loaded through it."""

from typing import Any

from annotator.probes.contract import CannotAdapt, Check, Context, Probe
from annotator.probes.experiments.lmcache_protocol import multiples, protocol
from annotator.probes.experiments.lmcache_requests import locks, requests
from annotator.probes.rigs import lmcache_tree
from annotator.probes.rigs.lmcache_server import engine, server
from annotator.probes.steady import steadily

CHECKS = (
    Check(
        "chunk-multiple",
        "块长不是调度块的整数倍时，两个 MP adapter 在构造时抛 `ValueError`，不协商。",
        "If the chunk is no multiple of the scheduler block, both MP adapters raise `ValueError` in their constructors"
        " and negotiate nothing.",
    ),
    Check(
        "status-after-ack",
        "所有 server 应答 LOOKUP 之前不查询状态；结果取最小命中，多出的锁释放。",
        "No server is asked for a result before all have acknowledged the LOOKUP; the smallest hit counts, and the"
        " locks above it are given back.",
    ),
    Check(
        "lookup-from-zero",
        "LOOKUP 的范围总从 token 0 开始，止于最后一个整块。",
        "The range of a LOOKUP starts at token 0 and ends with the last whole chunk.",
    ),
    Check(
        "hits-by-content",
        "经 loopback 上的 MP server：命中是从头连续的整块，与存过的内容一致；`cache_salt` 不同则互不可见。",
        "Through an MP server on loopback: a hit is the run of whole chunks from the start that were stored, by content;"
        " requests with another `cache_salt` see none of it.",
    ),
    Check(
        "same-bytes",
        "取回的 KV 与存入的逐字节相同；`skip_first_n_tokens` 之内的 token 与其他块不被改写。",
        "Retrieved KV equals what was stored to the byte; tokens within `skip_first_n_tokens` and other blocks are left"
        " alone.",
    ),
    Check(
        "lookup-locks",
        "lookup 锁住命中的块，直到 retrieve 或 `free_lookup_locks`：之前 CLEAR 清不掉，之后清得掉。",
        "A lookup locks what it hits until a retrieve or `free_lookup_locks`: before, a CLEAR leaves it; after, it goes.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts: without a server, then with one."""
    lmcache_tree.prepare(context)
    import lmcache.integration.vllm.vllm_multi_process_adapter as adapters

    if not hasattr(adapters, "RequestClientFactory"):
        raise CannotAdapt(
            "until 0.5.4 the adapters connect to a server in a way that this probe does not know"
        )
    multiples(context, adapters)
    protocol(context, adapters)
    steadily(context, lambda attempt: _with_server(attempt, adapters))


def _with_server(context: Context, adapters: Any) -> None:
    with server(context) as address, engine(adapters, address, blocks=32) as connected:
        requests(context, connected)
        locks(context, connected)


PROBE = Probe(
    name="lmcache",
    zh="LMCache 多进程模式：引擎怎样向 server 查询，经它存取的是什么",
    en="LMCache's multiprocess mode: how an engine asks a server, and what is stored and loaded through it",
    upstream="lmcache",
    tiers=("overlay", "engine"),
    paths=("lmcache",),
    checks=CHECKS,
    version=2,
    observe=observe,
    seconds=240,
    megabytes=3000,
)
