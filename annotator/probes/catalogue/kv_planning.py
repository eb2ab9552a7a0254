"""How KV memory is planned: how large a page is, which layers share a block table, how many blocks there are."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.kv_planning import (
    observe_bounds,
    observe_groups,
    observe_pages,
    observe_workers,
)

CHECKS = (
    Check(
        "page-holds-keys-and-values",
        "一页（一层的一个 block）的字节数是 2 × token 数 × head 数 × head 大小 × 每个值的字节数，因此 `uint8` 的页是 `bfloat16` 的一半。",
        "A page (a block of one layer) takes 2 × tokens × heads × head size × bytes of a value, so that one of `uint8` is half of one of `bfloat16`.",
    ),
    Check(
        "pages-made-equal",
        "`unify_kv_cache_spec_page_size` 返回时，所有层的 `page_size_bytes` 相同。",
        "When `unify_kv_cache_spec_page_size` returns, all layers have the same `page_size_bytes`.",
    ),
    Check(
        "group-size-rule",
        "层数最多的一类不到最少的 1.5 倍时，group 大小取最多的，否则取最少的。",
        "If the kind with the most layers has less than 1.5 times as many as that with the fewest, a group is as large as the most, otherwise as the fewest.",
    ),
    Check(
        "window-bounds-blocks",
        "滑动窗口层每个请求的 block 数上界由窗口和在途 token 数决定，最长请求只起封顶作用。",
        "The bound on a request's blocks for a sliding window follows from the window and the tokens in flight; the longest request only caps it.",
    ),
    Check(
        "mamba-length-free",
        "Mamba 层每个请求的最大字节数与 `max_model_len` 无关。",
        "A Mamba layer's maximum bytes per request do not depend on `max_model_len`.",
    ),
    Check(
        "smallest-worker-wins",
        "`get_kv_cache_configs` 给所有 worker 相同的 block 数，即其中最少的那个。",
        "`get_kv_cache_configs` gives all workers the same number of blocks, that of the one with the fewest.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts."""
    observe_pages(context)
    observe_groups(context)
    observe_bounds(context)
    observe_workers(context)


PROBE = Probe(
    name="kv-planning",
    zh="KV 显存怎样规划：一页多大，哪些层共用块表，一共多少 block。",
    en="How KV memory is planned: how large a page is, which layers share a block table, how many blocks there are.",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
    megabytes=2000,
)
