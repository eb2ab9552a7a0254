"""Which block a request gets, what happens to blocks that come back, and what a prefix hit may use."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.attention_groups import observe_attention_groups
from annotator.probes.experiments.block_pool import observe_block_pool
from annotator.probes.experiments.free_queue import observe_free_queue
from annotator.probes.experiments.kv_cache import observe_kv_cache
from annotator.probes.sequences import Findings, require_verdicts

CHECKS = (
    Check(
        "queue-is-a-list",
        zh="空闲块队列的行为就是一个列表：从队首取，往队尾（或队首）放，也能从中间摘除。",
        en="The queue of free blocks behaves like a list: taken from at its head, added to at its tail (or head), "
        "and unlinked from in the middle.",
    ),
    Check(
        "hands-out-head",
        zh="分配总是按顺序取空闲队列队首的块，取出后引用数为 1。",
        en="Allocation hands out the blocks at the head of the free queue, in order, with one reference each.",
    ),
    Check(
        "unhashed-to-head",
        zh="`free_blocks` 把引用归零且没有哈希的块放到空闲队列队首，有哈希的放到队尾。",
        en="`free_blocks` puts a block that reaches zero references at the head of the free queue if it has no hash, "
        "and at its tail if it has one.",
    ),
    Check(
        "registered-leave-lru",
        zh="有哈希的空闲块按归还的先后被淘汰：最早归还的最先淘汰（LRU）。",
        en="Free blocks with a hash are evicted in the order in which they were given back, the earliest first (LRU).",
    ),
    Check(
        "evicts-when-handed-out",
        zh="块的内容一直可以命中，直到该块被重新分配、被显式淘汰或缓存被重置；排队本身不丢内容。",
        en="A block's content can be hit until the block is handed out again, evicted explicitly or the cache is "
        "reset; waiting in the free queue loses nothing.",
    ),
    Check(
        "counts-references",
        zh="块的引用数等于持有它的请求数，引用数为 0 的块恰好都在空闲队列里，各一次。",
        en="A block's reference count is the number of requests that hold it, and the free queue has exactly the "
        "blocks with none, once each.",
    ),
    Check(
        "touch-unlinks-idle",
        zh="`touch` 只把引用数为 0 的块从空闲队列摘除；使用中的块只加一个引用。",
        en="`touch` unlinks only blocks with no references from the free queue; a block in use only gains one.",
    ),
    Check(
        "null-block-outside",
        zh="null 块从不被分配，也从不进入空闲队列；对它 touch 或 free 不改变队列。",
        en="The null block is never handed out and never queued; touching or freeing it changes nothing in the queue.",
    ),
    Check(
        "reset-needs-idle",
        zh="`reset_prefix_cache` 只在没有块被使用时成功，成功后什么都不再命中；否则返回 False 且不改变任何东西。",
        en="`reset_prefix_cache` succeeds only while no block is in use, and then nothing is hit any more; otherwise "
        "it returns False and changes nothing.",
    ),
    Check(
        "last-token-recomputed",
        zh="即使整个 prompt 都已缓存，命中长度也不超过 token 数减 1。",
        en="Even when a whole prompt is cached, the hit is no longer than its number of tokens minus one.",
    ),
    Check(
        "hit-is-longest-prefix",
        zh="全注意力的命中是从头开始连续的已缓存整块，取最长。",
        en="With full attention a hit is the longest unbroken run of cached full blocks from the start.",
    ),
    Check(
        "blocks-on-demand",
        zh="请求只持有已计算、本步要算和投机预留的 token 所需的块，不为 `max_tokens` 预留。",
        en="A request holds blocks for the tokens computed, those of this step and the speculative allowance; none "
        "are reserved for `max_tokens`.",
    ),
    Check(
        "all-or-nothing",
        zh="空闲块不够时 `allocate_slots` 返回 None，请求的块表不变；够就成功。",
        en="`allocate_slots` returns None exactly when free blocks do not suffice, and then leaves the table as it is.",
    ),
    Check(
        "registered-before-forward",
        zh="`allocate_slots` 在前向计算之前就登记变满的块；`delay_cache_blocks` 为真时不登记。",
        en="`allocate_slots` registers blocks that become full before any forward pass; not if `delay_cache_blocks`.",
    ),
    Check(
        "freed-tail-first",
        zh="请求结束时从最后一块开始归还，因此先淘汰尾部、后淘汰前缀。",
        en="A request that ends gives its blocks back last block first, so tails are evicted before prefixes.",
    ),
    Check(
        "watermark-on-waiting",
        zh="已有请求在运行时，水位线要求准入等待中的请求之后仍留出若干空闲块；运行中的请求不受限。",
        en="Beside running requests a waiting one is admitted only if the watermark's blocks stay free; requests that "
        "run already are not held to it.",
    ),
    Check(
        "window-drops-behind",
        zh="滑动窗口层把完全落在窗口之前的块还回去，块表中换成 null 块；窗口内和本步的位置都有真实的块。",
        en="A sliding-window layer gives back the blocks that lie wholly behind the window and has null blocks in "
        "their place; every place in the window and in this step has a real block.",
    ),
    Check(
        "window-is-bounded",
        zh="滑动窗口层每个请求持有的块数只取决于窗口和一步的 token 数，与长度无关。",
        en="The blocks that a request holds for a sliding-window layer depend on the window and the tokens of a step, "
        "not on its length.",
    ),
    Check(
        "window-hit-needs-window",
        zh="只有滑动窗口层时，命中只要求其末尾 ceil((窗口−1)/块大小) 个块已缓存。",
        en="With sliding-window layers only, a hit needs just its last ceil((window − 1) / block size) blocks cached.",
    ),
    Check(
        "hit-suits-all-groups",
        zh="混合模型的命中长度是每个组都接受的最长长度，因此不超过任何一组单独的命中。",
        en="The hit of a hybrid model is the longest length that every group accepts, and so never longer than what "
        "any group hits on its own.",
    ),
    Check(
        "reads-own-content",
        zh="任意请求序列下，请求在注意力范围内读到的每个槽位都是它自己前缀的 KV。",
        en="Whatever requests come and go, every slot that a request's attention reads holds KV of its own prefix.",
    ),
    Check(
        "retention-keeps-tails",
        zh="默认设置下（`prefix_cache_retention_interval` 为 0）滑动窗口组只登记重放边界之前的尾部，同一 prompt 再来仍能命中。",
        en="By default (`prefix_cache_retention_interval` 0) a sliding-window group registers only the tail before "
        "the replay boundary, and the same prompt still hits.",
    ),
    Check(
        "no-leak",
        zh="所有请求结束后，除 null 块外的块全部空闲，引用数都是 0。",
        en="When all requests have ended, all blocks but the null block are free and no reference is left.",
    ),
    Check(
        "never-raises",
        zh="任何合法的操作序列都不会触发上游自己的断言或异常。",
        en="No sequence of allowed operations trips an assertion or error of upstream's own.",
    ),
)


def observe(context: Context) -> None:
    """Runs the four experiments, from the queue up to hybrid models."""
    findings = Findings(context, raises="never-raises")
    observe_free_queue(context, findings)
    rule = observe_block_pool(context, findings)
    observe_kv_cache(context, findings, rule)
    observe_attention_groups(context, findings)
    findings.tell()
    require_verdicts(context, CHECKS)


PROBE = Probe(
    name="block-allocation",
    zh="KV 块的分配、归还、淘汰与命中：空闲队列、块池、KVCacheManager，全注意力、滑动窗口与混合模型。",
    en="How KV blocks are handed out, given back, evicted and hit: free queue, block pool and KVCacheManager, with "
    "full attention, sliding windows and hybrid models.",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
    seconds=240,
    megabytes=2000,
)
