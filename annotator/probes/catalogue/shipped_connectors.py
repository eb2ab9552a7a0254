"""What the connectors that come with vLLM answer the scheduler: NIXL, Mooncake (P2P and Store), LMCache."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.shipped_connectors import (
    observe_lmcache,
    observe_nixl,
    observe_p2p,
    observe_store,
    observe_store_keys,
)

CHECKS = (
    Check(
        "nixl-fetches-any-rest",
        "NIXL（拉取）：带 `do_remote_prefill` 的请求，只要还有没算的 token 就异步拉取，不看 `kv_recompute_threshold`；该阈值只用于取回 decode 侧的 KV。",
        "NIXL (pull): for a request with `do_remote_prefill` any rest that is not computed is fetched asynchronously, whatever `kv_recompute_threshold`; that applies only to KV fetched back from the decoding side.",
    ),
    Check(
        "nixl-abort-frees-at-once",
        "NIXL（拉取）：P 上的请求既不是 `FINISHED_LENGTH_CAPPED` 也不是 `FINISHED_STOPPED` 结束时，`request_finished` 返回 `False`。",
        "NIXL (pull): if a request on P ends neither `FINISHED_LENGTH_CAPPED` nor `FINISHED_STOPPED`, `request_finished` returns `False`.",
    ),
    Check(
        "p2p-needs-router",
        "Mooncake P2P：`do_remote_prefill` 不为真的请求得到 `(0, False)`，也不登记任何传输。",
        "Mooncake P2P: a request without a true `do_remote_prefill` gets `(0, False)`, and no transfer is noted for it.",
    ),
    Check(
        "store-hit-by-content",
        "Mooncake Store：命中只由请求的 `block_hashes` 决定，不读 `kv_transfer_params`。",
        "Mooncake Store: a hit follows from the request's `block_hashes` alone; `kv_transfer_params` is not read.",
    ),
    Check(
        "store-keeps-no-blocks",
        "Mooncake Store：请求无论怎样结束，`request_finished_all_groups` 都返回 `(False, None)`。",
        "Mooncake Store: however a request ends, `request_finished_all_groups` returns `(False, None)`.",
    ),
    Check(
        "store-key-parts",
        "Mooncake Store：键由模型名、前缀、命名空间、并行 rank、KV group 和 block 哈希组成，改变其中任何一项键就不同；没有请求或引擎的 id。",
        "Mooncake Store: a key is made of model name, prefix, namespace, parallel ranks, KV group and block hash, and differs if any of them does; there is no id of a request or engine.",
    ),
    Check(
        "lmcache-loads-in-step",
        "`LMCacheConnectorV1.get_num_new_matched_tokens` 的第二项总是 `False`。",
        "The second item of `LMCacheConnectorV1.get_num_new_matched_tokens` is always `False`.",
    ),
    Check(
        "lmcache-pieces-follow-key",
        "`LMCacheConnectorV1.requires_piecewise_for_cudagraph` 返回 `extra_config` 的 `use_layerwise`，没有时为 `False`。",
        "`LMCacheConnectorV1.requires_piecewise_for_cudagraph` returns `use_layerwise` of `extra_config`, `False` if it is absent.",
    ),
)


def observe(context: Context) -> None:
    """Asks one connector after the other."""
    observe_nixl(context)
    observe_p2p(context)
    observe_store(context)
    observe_store_keys(context)
    observe_lmcache(context)


PROBE = Probe(
    name="shipped-connectors",
    zh="随 vLLM 发布的连接器怎样回答 scheduler：NIXL、Mooncake（P2P 与 Store）、LMCache。",
    en="What the connectors that come with vLLM answer the scheduler: NIXL, Mooncake (P2P and Store), LMCache.",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
    megabytes=2000,
)
