"""The counters of a real engine against what the same run reported for each request."""

from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.vllm_engine import Engine, block_size, prepare, running_engine


def observe_engine_counters(context: Context) -> None:
    """Shared prefixes first, then more requests than fit."""
    prepare(context)
    size = block_size(context)
    with running_engine(context, num_gpu_blocks_override=12) as engine:
        start = _counters(engine)
        prompts = [[*range(100, 100 + size), *range(base, base + size)] for base in (200, 300, 400)]
        answers = [engine.generate([prompt], 2)[0] for prompt in prompts]
        shared = _gained(start, _counters(engine))
        asked, cached = sum(map(len, prompts)), sum(a.cached for a in answers)
        context.saw("engine.shared-prefix.hit-blocks", shared["prefix_cache_hits"] // size)
        context.verdict(
            "queries-are-tokens",
            shared["prefix_cache_queries"] == asked,
            f"{asked} prompt tokens, {shared['prefix_cache_queries']} queries",
        )
        context.verdict(
            "hits-are-tokens",
            shared["prefix_cache_hits"] == cached == 2 * size,
            f"requests report {cached} cached tokens, the counter gained {shared['prefix_cache_hits']}",
        )
        _observe_crowd(context, engine, size)


def _observe_crowd(context: Context, engine: Engine, size: int) -> None:
    engine.reset_prefix_cache()
    start = _counters(engine)
    prompts = [range(base, base + 2 * size - 4) for base in (100, 300, 500, 700)]
    with engine.counting_preemptions() as preemptions:
        engine.generate(prompts, size + 8)
    gained = _gained(start, _counters(engine))
    context.saw("engine.crowd.preemptions", preemptions[0])
    context.verdict(
        "preemptions-counted",
        gained["num_preemptions"] == preemptions[0] > 0,
        f"{preemptions[0]} preemptions scheduled, {gained['num_preemptions']} counted",
    )
    asked = sum(map(len, prompts))
    context.verdict(
        "preempted-counted-apart",
        gained["prefix_cache_queries"] == asked,
        f"{asked} prompt tokens, {preemptions[0]} preemption(s), {gained['prefix_cache_queries']} queries",
    )


def _counters(engine: Engine) -> dict[str, int]:
    totals: dict[str, int] = {}
    for metric in engine.llm.get_metrics():
        value: Any = getattr(metric, "value", None)
        if isinstance(value, int | float) and type(metric).__name__ == "Counter":
            name = metric.name.removeprefix("vllm:")
            totals[name] = totals.get(name, 0) + int(value)
    return totals


def _gained(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: value - before.get(name, 0) for name, value in after.items()}
