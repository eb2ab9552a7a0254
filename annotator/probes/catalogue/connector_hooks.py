"""Which hooks a KV connector has, and the order in which the engine calls them."""

from annotator.probes.contract import Check, Context, Probe

CHECKS = (
    Check(
        "abstract-hooks",
        "`KVConnectorBase_V1` 恰有七个抽象方法：worker 侧四个，scheduler 侧三个。",
        "`KVConnectorBase_V1` has exactly seven abstract methods: four of the worker, three of the scheduler.",
    ),
    Check(
        "placed-as-offered",
        "每次 `update_state_after_alloc` 之前都问过 `get_num_new_matched_tokens`，外部 token 数就是它的回答；异步加载多一次调用，数目为 0。",
        "Every `update_state_after_alloc` follows a `get_num_new_matched_tokens` of the same request and passes the number it answered; an asynchronous load is told once more, with 0.",
    ),
    Check(
        "async-placed-twice",
        "异步加载的请求调用两次 `update_state_after_alloc`：分配加载用的块时，以及加载完成后；同步加载和不加载的只有一次。",
        "A request that loads asynchronously is told twice by `update_state_after_alloc`, when blocks are allocated for the load and when it is done; one that loads synchronously or not at all is told once.",
    ),
    Check(
        "waiting-holds-blocks",
        "异步加载的请求进入 `WAITING_FOR_REMOTE_KVS` 时已持有全部远端 token 的块，但不在 `running` 里，也不占该步的 token 预算。",
        "A request that loads asynchronously has blocks for all its remote tokens when it enters `WAITING_FOR_REMOTE_KVS`, but is not in `running` and takes nothing from that step's token budget.",
    ),
    Check(
        "last-token-recomputed",
        "远端 KV 覆盖整个 prompt 时，加载完成后仍重算最后一个 token。",
        "If remote KV covers the whole prompt, the last token is computed all the same once the load is done.",
    ),
    Check(
        "no-scheduled-event-while-loading",
        "等待异步加载的请求在加载完成之前不记录 `SCHEDULED` 事件。",
        "A request that waits for an asynchronous load records no `SCHEDULED` event until the load is done.",
    ),
    Check(
        "loading-blocks-not-shared",
        "正在加载的块不进前缀缓存：同一 prompt 的第二个请求在加载完成前不能命中它们，完成后可以。",
        "Blocks that are being loaded are not in the prefix cache: a second request with the same prompt cannot hit them before the load is done, and can afterwards.",
    ),
    Check(
        "one-sheet-a-step",
        "每次 `schedule()` 恰好调用一次 `build_connector_meta`，在所有询问和分配之后；没有 token 要算的步也一样。",
        "Each `schedule()` calls `build_connector_meta` exactly once, after all questions and allocations; also in a step with nothing to compute.",
    ),
    Check(
        "finished-once",
        "每个请求结束时恰好问一次 `request_finished`，被中止的也一样，且在释放它的块之前。",
        "Every request is asked `request_finished` exactly once at its end, aborted ones too, and before its blocks are freed.",
    ),
    Check(
        "true-keeps-blocks",
        "`request_finished` 返回 True 时块不立即释放，直到 worker 在 `finished_sending` 里报告该请求。",
        "If `request_finished` returns True the blocks are not freed until a worker reports the request in `finished_sending`.",
    ),
    Check(
        "aborted-load-frees-late",
        "加载途中被中止的请求，其块要等 `finished_recving` 到达才释放。",
        "Blocks of a request that was aborted while loading are freed only when its `finished_recving` arrives.",
    ),
    Check(
        "all-blocks-return",
        "随机的请求生灭之后（加载、抢占、中止、延迟释放、加载失败），所有块都回到空闲队列。",
        "After random lives of requests (loads, preemptions, aborts, delayed frees, failed loads) all blocks are free again.",
    ),
    Check(
        "preempted-asks-again",
        "被抢占的请求恢复时重新询问连接器。",
        "A request that was preempted is asked about again when it resumes.",
    ),
    Check(
        "failure-policy-default",
        "`kv_load_failure_policy` 默认是 `fail`：加载失败的请求以错误结束；`recompute` 则重算失败的部分并正常结束。",
        "`kv_load_failure_policy` is `fail` by default: a request whose load failed ends with an error; with `recompute` what failed is computed and the request ends normally.",
    ),
    Check(
        "sync-load-before-forward",
        "有同步加载的步里，`start_load_kv` 在 forward 之前调用。",
        "In a step with a synchronous load `start_load_kv` is called before the forward pass.",
    ),
    Check(
        "async-load-after-forward",
        "没有同步加载的步里，`start_load_kv` 在 forward 提交之后才调用。",
        "In a step without synchronous loads `start_load_kv` is called only after the forward pass has been submitted.",
    ),
    Check(
        "hooks-around-attention",
        "有连接器、注意力元数据且元数据已绑定时，每层注意力之前调用 `wait_for_layer_load`，之后调用 `save_kv_layer`；否则两者都不调用。",
        "With a connector, attention metadata and bound metadata `wait_for_layer_load` is called before each attention layer and `save_kv_layer` after it; otherwise neither is.",
    ),
    Check(
        "worker-order",
        "worker 的一步：绑定元数据、逐层等待与保存、`wait_for_save`、收集传输结果、清除元数据；没有 forward 的步也一样。",
        "A worker's step: metadata bound, a wait and a save for each layer, `wait_for_save`, results of transfers, metadata cleared; the same in a step without forward pass.",
    ),
    Check(
        "hma-needs-support",
        "混合 KV cache manager 未关闭而连接器不支持 HMA 时，`create_connector` 抛 `ValueError`。",
        "With the hybrid KV cache manager not disabled and a connector without HMA support `create_connector` raises `ValueError`.",
    ),
    Check(
        "multi-first-hit",
        "`MultiConnector` 由配置顺序中第一个报告大于 0 的子连接器负责加载；其后的子连接器仍会被问到。",
        "`MultiConnector` has the first child in configuration order that reports more than 0 do the loading; children after it are asked all the same.",
    ),
    Check(
        "lives-raise-nothing",
        "无论请求以什么次序到来、加载、失败、被中止，scheduler 都不自己抛异常。",
        "In whatever order requests come, load, fail and are aborted, the scheduler raises nothing of its own.",
    ),
)


def observe(context: Context) -> None:
    """Looks at the surface, at the order of calls in fixed scenarios, and at random lives of requests."""
    if context.tier == "source":
        from annotator.probes.experiments.connector_lives import observe_lives
        from annotator.probes.experiments.connector_order import observe_order
        from annotator.probes.experiments.connector_surface import observe_surface

        observe_surface(context)
        observe_order(context)
        observe_lives(context)
        return
    from annotator.probes.experiments.connector_engine import observe_engine

    observe_engine(context)
    for check in CHECKS:
        if check.id not in context.verdicts:
            context.not_applicable(
                check.id, "put to the test in the source tier, without an engine"
            )


PROBE = Probe(
    name="connector-hooks",
    zh="KV 连接器有哪些钩子，引擎按什么顺序调用它们",
    en="Which hooks a KV connector has, and the order in which the engine calls them",
    upstream="vllm",
    tiers=("source", "overlay", "engine"),
    paths=("vllm",),
    checks=CHECKS,
    version=2,
    observe=observe,
)
