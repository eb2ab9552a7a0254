"""What the metrics count: prefix cache queries and hits, their denominators, and preemptions."""

from annotator.probes.contract import Check, Context, Probe

CHECKS = (
    Check(
        "queries-are-tokens",
        "`prefix_cache_queries` 按 token 计：每个被接纳的请求加上它的全部 token，不只整块。",
        "`prefix_cache_queries` counts tokens: every admitted request adds all it has, not only full blocks.",
    ),
    Check(
        "hits-are-tokens",
        "`prefix_cache_hits` 按 token 计，等于各请求报告的缓存 token 之和。",
        "`prefix_cache_hits` counts tokens, the sum of what the requests report as cached.",
    ),
    Check(
        "counters-as-predicted",
        "随机请求序列下，四个计数（查询、命中，以及抢占后重来者的这两项）都等于模型的预测：每次接纳各计一次。",
        "In random sequences of requests four counts (queries, hits, and those of requests that were preempted) are what the model predicts: each admission counts once.",
    ),
    Check(
        "counted-at-admission",
        "等待空间的请求每步都查缓存，但只在被接纳时计一次。",
        "A request that waits for room is looked up in every step but counted once, when it is admitted.",
    ),
    Check(
        "preempted-counted-apart",
        "抢占后重来的请求记入 `preempted_queries` 与 `preempted_hits`，不进 `queries` 与 `hits`。",
        "A request that returns after a preemption is counted in `preempted_queries` and `preempted_hits`, not in `queries` and `hits`.",
    ),
    Check(
        "external-denominator",
        "外部命中的分母是本地没命中的 token，不是整个 prompt。",
        "The denominator of external hits is what the local cache did not have, not the whole prompt.",
    ),
    Check(
        "preemptions-counted",
        "`num_preemptions` 等于 scheduler 报告的抢占次数。",
        "`num_preemptions` is the number of preemptions that the scheduler reports.",
    ),
    Check(
        "log-rate-is-recent",
        "日志里的命中率是最近若干请求的滑动窗口，不是启动以来的累计。",
        "The hit rate in the log is that of a sliding window of recent requests, not of all since the start.",
    ),
    Check(
        "reset-keeps-counters",
        "`reset_prefix_cache` 清空日志窗口，不改 Prometheus 计数器。",
        "`reset_prefix_cache` empties the log's window and leaves the Prometheus counters alone.",
    ),
    Check(
        "first-scheduled-only",
        "抢占后再次被调度不改变请求的 `scheduled_ts`，排队时间只算第一次等待。",
        "Being scheduled again after a preemption does not change a request's `scheduled_ts`; its queue time is the first wait alone.",
    ),
    Check(
        "inference-is-sum",
        "`inference_time` 恒等于 `prefill_time + decode_time`，抢占造成的等待也在其中。",
        "`inference_time` always equals `prefill_time + decode_time`, waits caused by preemption included.",
    ),
    Check(
        "tpot-single-token-zero",
        "只生成一个 token 的请求，`mean_time_per_output_token` 记为 0。",
        "A request that generates a single token has a `mean_time_per_output_token` of 0.",
    ),
    Check(
        "counting-raises-nothing",
        "随机的请求序列不让计数的代码抛异常。",
        "Random sequences of requests make the code that counts raise nothing.",
    ),
)


def observe(context: Context) -> None:
    """Counts without an engine in the source tier; with one, compares its counters with what it reported."""
    if context.tier == "source":
        from annotator.probes.experiments.metrics_counters import observe_counters

        observe_counters(context)
        return
    from annotator.probes.experiments.metrics_engine import observe_engine_counters

    observe_engine_counters(context)
    for check in CHECKS:
        if check.id not in context.verdicts:
            context.not_applicable(
                check.id, "put to the test in the source tier, without an engine"
            )


PROBE = Probe(
    name="metrics",
    zh="指标数的是什么：前缀缓存的查询与命中、各自的分母，以及抢占",
    en="What the metrics count: prefix cache queries and hits, their denominators, and preemptions",
    upstream="vllm",
    tiers=("source", "overlay", "engine"),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
)
