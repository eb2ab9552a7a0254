"""LMCache's chunks: how they are named, how long they may be, and which tokens a load or a store moves."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.lmcache_geometry import ranges, scheduler_blocks
from annotator.probes.experiments.lmcache_hashes import database, hashes, matcher
from annotator.probes.rigs import lmcache_tree

CHECKS = (
    Check(
        "hash-chain",
        "`TokenHasher` 只给完整的块命名，每块的 hash 由前一块的 hash 与本块 token 决定。",
        "`TokenHasher` names whole chunks only, each by the hash before it and its own tokens.",
    ),
    Check(
        "database-chain",
        "`ChunkedTokenDatabase` 按块长切分并链式 hash；不满一块的尾巴只在 `save_unfull_chunk` 为真时才有键；掩码只能跳过整块。",
        "`ChunkedTokenDatabase` cuts and chains in the same way; a tail gets a key only with `save_unfull_chunk`, and a"
        " mask may skip whole chunks only.",
    ),
    Check(
        "scheduler-block",
        "`get_vllm_scheduler_block_size` 返回各非 scratch 组跨度的最小公倍数，attention 组的跨度乘 DCP。",
        "`get_vllm_scheduler_block_size` is the least common multiple of the spans of all groups that are not scratch,"
        " those of attention scaled by DCP.",
    ),
    Check(
        "load-range",
        "加载从 vLLM 命中所在的块边界开始，重叠的 token 用 `skip_first_n_tokens` 让开。",
        "A load starts at the chunk in which vLLM's hit ends and skips the tokens covered twice.",
    ),
    Check(
        "store-range",
        "store 只取整块，上界是 token 数、已分配块、已算 token 与 prompt 长度的最小者。",
        "A store takes whole chunks up to the least of tokens, allocated blocks, computed tokens and prompt length.",
    ),
    Check(
        "any-offset",
        "`match_sub_sequence` 能在查询的任意 token 偏移处找到已登记的块，登记的块则按块长对齐。",
        "`match_sub_sequence` finds a registered chunk at any offset of a query; registered chunks are aligned.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts, the cheapest first."""
    lmcache_tree.prepare(context)
    hashes(context)
    database(context)
    matcher(context)
    with lmcache_tree.engine_names(context):
        from lmcache.integration.vllm import kv_cache_groups, lmcache_mp_connector

        try:
            from lmcache.integration.vllm import lmcache_mp_metadata
        except ImportError:
            lmcache_mp_metadata = lmcache_mp_connector  # until 0.5.4 one module held both
    scratch = hasattr(kv_cache_groups, "is_scratch_spec")
    context.saw("geometry.scratch_groups", "left out" if scratch else "not known")
    scheduler_blocks(context, lmcache_mp_connector)
    ranges(context, lmcache_mp_metadata, scratch)


PROBE = Probe(
    name="lmcache-chunks",
    zh="LMCache 的块：如何命名，能有多长，一次加载或存储动哪些 token",
    en="LMCache's chunks: how they are named, how long they may be, which tokens a load or a store moves",
    upstream="lmcache",
    tiers=("overlay",),
    paths=("lmcache",),
    checks=CHECKS,
    version=1,
    observe=observe,
    seconds=180,
    megabytes=2500,
)
