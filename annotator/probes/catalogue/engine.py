"""A real engine: what is reused, what is announced, what is in the blocks, and that the output does not change."""

from annotator.probes.contract import Check, Context, Probe

CHECKS = (
    Check(
        "cached-tokens",
        "每个请求报告的缓存 token 数等于模型的预测：从开头起连续命中的整块，不含最后一个 token。",
        "The number of cached tokens of every request is what the model predicts: full blocks hit from the start without a gap, never the last token.",
    ),
    Check(
        "last-token-recomputed",
        "整个 prompt 都已缓存时，最后一个 token 所在的块仍要重算。",
        "If a prompt is cached as a whole, the block of its last token is computed again all the same.",
    ),
    Check(
        "same-step-hit",
        "块在 forward 之前就登记：同一批里相同的第二个 prompt 立即命中，输出相同。",
        "Blocks are registered before the forward pass: the second of two equal prompts in one batch hits at once and has the same output.",
    ),
    Check(
        "hit-needs-whole-prefix",
        "内容相同但前缀不同的块不命中。",
        "A block with the same content behind another prefix is not hit.",
    ),
    Check(
        "events-predicted",
        "`BlockStored` 与 `BlockRemoved` 的序列等于模型的预测，包括驱逐的先后。",
        "The sequence of `BlockStored` and `BlockRemoved` is what the model predicts, the order of evictions included.",
    ),
    Check(
        "events-name-parents",
        "只凭事件就能还原每个块代表的前缀：每个 `BlockStored` 都指明已公布过的父块。",
        "Events alone tell which prefix each block stands for: every `BlockStored` names a parent that was announced before.",
    ),
    Check(
        "events-mirror-pool",
        "公布过而未移除的块数，等于池中登记着的块数。",
        "As many blocks were announced and not removed as are registered in the pool.",
    ),
    Check(
        "engine-raises-nothing",
        "随机的请求序列不让引擎抛异常。",
        "Random sequences of requests make the engine raise nothing.",
    ),
    Check(
        "hit-keeps-kv",
        "命中用的就是原来的块，命中之后其 KV 逐位不变。",
        "A hit uses the very same blocks, and leaves their KV as it was, bit for bit.",
    ),
    Check(
        "kv-equals-recomputed",
        "命中的 KV 与在别的块里重算出来的 KV 相等（舍入之内）。",
        "KV of a hit equals KV computed again in other blocks, within rounding.",
    ),
    Check(
        "kv-depends-on-prefix",
        "同样的 token 在同样的位置、不同的前缀之后，第一层的 KV 相同，其后各层不同：所以父块要进入 hash。",
        "For the same tokens at the same place behind another prefix the first layer's KV is the same and that of later layers is not: which is why the parent enters the hash.",
    ),
    Check(
        "same-output-without-caching",
        "开与不开前缀缓存、冷与热，输出的 token 都相同。",
        "The output is the same with and without prefix caching, cold and warm.",
    ),
    Check(
        "preemption-keeps-output",
        "块不够而发生抢占时，输出与单独运行时相同。",
        "With too few blocks and preemptions the output is the same as for each request alone.",
    ),
    Check(
        "connector-round-trip",
        "经示例连接器保存、清空、再加载的 KV 逐位相同，命中计入缓存 token，输出不变。",
        "KV that was saved by the example connector, forgotten and loaded again is the same bit for bit, counts as cached, and the output does not change.",
    ),
    Check(
        "graph-keeps-output",
        "开与不开 CUDA graph 输出相同。",
        "The output is the same with and without CUDA graphs.",
    ),
)

BLOCKS = 12


def observe(context: Context) -> None:
    """Starts an engine with few blocks, then one without prefix caching, then one with a connector."""
    from annotator.probes.experiments.engine_cache import observe_cache
    from annotator.probes.experiments.engine_tensors import (
        compare_graphs,
        compare_without_caching,
        observe_outputs,
        observe_round_trip,
        observe_tensors,
    )
    from annotator.probes.rigs.vllm_engine import prepare, running_engine

    prepare(context)
    with running_engine(context, events=True, num_gpu_blocks_override=BLOCKS) as engine:
        context.saw("runner", engine.runner_version)
        context.saw("attention-backend", engine.attention_backend)
        context.saw("block-size", engine.block_size)
        observe_cache(context, engine)
        outputs = observe_outputs(context, engine)
        if context.tier == "engine":
            observe_tensors(context, engine)
    if context.tier == "engine":
        compare_without_caching(context, outputs, num_gpu_blocks_override=BLOCKS)
        compare_graphs(context, outputs, num_gpu_blocks_override=BLOCKS)
    observe_round_trip(context, num_gpu_blocks_override=BLOCKS)
    for check in CHECKS:
        if check.id not in context.verdicts:
            context.not_applicable(
                check.id, "another release's compiled code is no witness for numbers"
            )


PROBE = Probe(
    name="engine",
    zh="真实引擎：复用什么、公布什么、块里是什么，以及输出不变",
    en="A real engine: what is reused, what is announced, what is in the blocks, and that the output does not change",
    upstream="vllm",
    tiers=("overlay", "engine"),
    paths=("vllm",),
    checks=CHECKS,
    version=2,
    observe=observe,
    seconds=300,
)
