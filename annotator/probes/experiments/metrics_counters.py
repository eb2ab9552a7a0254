"""Prefix cache counters against the model: random requests in a small pool, and the cases that surprise people."""

from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.hit_counters import Counters, RecentRate
from annotator.probes.rigs.recording_connector import Plan
from annotator.probes.rigs.vllm_connector import make_connector_rig
from annotator.probes.rigs.vllm_metrics import Meter, make_meter
from annotator.probes.rigs.vllm_scheduler import Settings, make_rig
from annotator.probes.sequences import Findings, Operation, Run

BLOCK = 16
SMALL = Settings(blocks=14, block_size=BLOCK, max_num_batched_tokens=64)


def observe_counters(context: Context) -> None:
    """Everything that needs no engine."""
    meter = make_meter(context, make_rig(context, SMALL))
    findings = Findings(context, raises="counting-raises-nothing")
    findings.explore("requests", _operations(), lambda s, run: _play(meter, s, run), longest=16)
    findings.explore("batches", _batches(), _play_window, longest=20)
    findings.tell()
    _observe_waiting(context, meter)
    _observe_preemption(context, meter)
    _observe_reset(context, meter)
    _observe_external(context)


def _operations() -> Any:
    """`add FAMILY SHARED OWN OUTPUT SKIPS`, lengths in fives of tokens, and `step N`."""
    from hypothesis import strategies as st

    add = st.tuples(
        st.just("add"),
        st.integers(0, 1),
        st.integers(0, 12),
        st.integers(1, 4),
        st.integers(1, 8),
        st.sampled_from([0, 0, 0, 1]),
    )
    return st.one_of(add, st.tuples(st.just("step"), st.integers(1, 8)))


def _play(meter: Meter, sequence: list[Operation], run: Run) -> None:
    meter.renew()
    model = Counters()
    skips: set[str] = set()

    def look(scheduled: Any) -> None:
        _admit(meter, model, skips, scheduled)

    for number, operation in enumerate(sequence):
        if operation[0] == "add":
            _, family, shared, own, tokens, skip = operation
            name = f"r{number:02d}"
            start, end = 100 + 200 * family, 600 + 20 * (number % 20)
            prompt = [*range(start, start + 5 * shared), *range(end, end + max(1, 5 * own))]
            meter.add(name, prompt, max(1, 5 * tokens - 4), reads=not skip)
            skips |= {name} if skip else set()
        else:
            for _ in range(operation[1]):
                meter.step(look)
    for _ in range(400):
        if not meter.rig.scheduler.requests:
            break
        meter.step(look)
    seen = meter.counted()
    run.expect(
        "counters-as-predicted",
        [seen["prefix_cache_queries"], seen["prefix_cache_hits"], *meter.again.values()],
        [model.queries, model.hits, model.again_queries, model.again_hits],
        "queries, hits, and those of preempted requests",
    )
    run.expect("preemptions-counted", seen["num_preemptions"], len(meter.preempted), "preemptions")
    for one in meter.finished:
        parts = one.prefill_time + one.decode_time
        same = abs(one.inference_time - parts) < 1e-6
        run.expect("inference-is-sum", same, True, "inference equals the sum of its parts")
        if one.num_generation_tokens == 1:
            mean = one.mean_time_per_output_token
            run.expect("tpot-single-token-zero", mean, 0, "mean time per output token of one token")


def _admit(meter: Meter, model: Counters, skips: set[str], scheduled: Any) -> None:
    """Tells the model who was admitted. A request that resumes comes as a new one or not: releases differ."""
    requests = meter.rig.scheduler.requests
    admitted = [(new.req_id, new.num_computed_tokens) for new in scheduled.scheduled_new_reqs]
    old = scheduled.scheduled_cached_reqs
    admitted += [
        (name, computed)
        for name, computed in zip(old.req_ids, old.num_computed_tokens, strict=True)
        if name in old.resumed_req_ids
    ]
    for name, computed in admitted:
        if name not in skips:
            again = name in meter.preempted
            model.admit(requests[name].num_tokens, computed, again=again)


def _batches() -> Any:
    """`batch REQUESTS QUERIES HITS` and `reset`."""
    from hypothesis import strategies as st

    batch = st.tuples(st.just("batch"), st.integers(0, 4), st.integers(1, 50), st.integers(0, 50))
    return st.one_of(batch, batch, batch, st.tuples(st.just("reset")))


def _play_window(sequence: list[Operation], run: Run) -> None:
    from vllm.v1.metrics.stats import CachingMetrics, PrefixCacheStats

    upstream, model = CachingMetrics(max_recent_requests=5), RecentRate(5)
    for operation in sequence:
        if operation[0] == "reset":
            upstream.observe(PrefixCacheStats(reset=True))
            model.reset()
        else:
            requests, queries, hits = operation[1:]
            hits = min(hits, queries)
            upstream.observe(PrefixCacheStats(requests=requests, queries=queries, hits=hits))
            model.add(requests, queries, hits)
        run.expect(
            "log-rate-is-recent", round(upstream.hit_rate, 9), round(model.rate(), 9), "hit rate"
        )


def _observe_waiting(context: Context, meter: Meter) -> None:
    """A request that has to wait for room is looked up in every step. How often does it count?"""
    meter.renew()
    meter.add("long", range(100, 100 + 10 * BLOCK - 4), max_tokens=20)
    _steps(meter, 4)
    meter.add("waiting", range(400, 400 + 6 * BLOCK), max_tokens=1)
    before = meter.counted()["prefix_cache_queries"]
    _steps(meter, 5)
    while_waiting = meter.counted()["prefix_cache_queries"] - before
    _steps(meter, 40)
    at_the_end = meter.counted()["prefix_cache_queries"] - before
    context.saw("waiting.queries-while-waiting", while_waiting)
    context.saw("waiting.queries-at-the-end", at_the_end)
    context.verdict(
        "counted-at-admission",
        while_waiting == 0 and at_the_end == 6 * BLOCK,
        f"a request of {6 * BLOCK} tokens adds {while_waiting} queries in five steps of waiting, "
        f"{at_the_end} in all",
    )


def _observe_preemption(context: Context, meter: Meter) -> None:
    """Two requests that do not fit together: the younger gives way and comes back."""
    meter.renew()
    meter.add("old", range(100, 100 + 5 * BLOCK), max_tokens=40)
    meter.add("young", range(400, 400 + 5 * BLOCK), max_tokens=40)
    _steps(meter, 4)
    stats = meter.processor.request_states["young"].stats
    first = stats.scheduled_ts
    _steps(meter, 90)
    seen = meter.counted()
    context.saw("preemption.queries", seen["prefix_cache_queries"])
    context.saw("preemption.hits", seen["prefix_cache_hits"])
    context.saw("preemption.queries-and-hits-apart", list(meter.again.values()))
    context.saw("preemption.count", seen["num_preemptions"])
    times = meter.preempted.count("young")
    context.verdict(
        "first-scheduled-only",
        times > 0 and stats.scheduled_ts == first > 0,
        f"after {times} preemption(s) `scheduled_ts` is "
        f"{'the same' if stats.scheduled_ts == first else 'another'}",
    )
    context.verdict(
        "preempted-counted-apart",
        times > 0 and meter.again["queries"] > 0 and seen["prefix_cache_queries"] == 10 * BLOCK,
        f"two requests of {5 * BLOCK} tokens, one preempted: {seen['prefix_cache_queries']} queries, "
        f"{meter.again['queries']} apart",
    )


def _observe_reset(context: Context, meter: Meter) -> None:
    """Two equal prompts count in tokens; emptying the cache empties the log's window, not the counters."""
    meter.renew()
    prompt = range(100, 100 + 2 * BLOCK + 4)
    for name in ("one", "two"):
        meter.add(name, prompt, max_tokens=1)
        _steps(meter, 3)
    before = meter.counted()
    queries, hits = before["prefix_cache_queries"], before["prefix_cache_hits"]
    evidence = f"the same {len(prompt)} tokens twice: {queries} queries, {hits} hits"
    context.verdict("queries-are-tokens", queries == 2 * len(prompt), evidence)
    context.verdict("hits-are-tokens", hits == 2 * BLOCK, evidence)
    done = meter.rig.scheduler.reset_prefix_cache()
    meter.add("three", prompt, max_tokens=1)
    told = _steps(meter, 3)
    after = meter.counted()["prefix_cache_hits"]
    context.saw("equal-prompts.queries-and-hits", [queries, hits])
    context.verdict(
        "reset-keeps-counters",
        bool(done) and told and hits == after,
        f"{hits} hits before and {after} after the reset, which the statistics "
        f"{'tell' if told else 'do not tell'}",
    )


def _steps(meter: Meter, number: int) -> bool:
    """Several steps; whether the statistics of one said that the cache was emptied."""
    told = [meter.step() for _ in range(number)]
    return any(told)


def _observe_external(context: Context) -> None:
    """One block is in the local cache, two more come through a connector."""
    rig = make_connector_rig(context, SMALL, "V1")
    meter = make_meter(context, rig.rig)
    rig.renew()
    rig.script.plans["second"] = Plan("sync", 3 * BLOCK)
    for name, prompt in (
        ("first", [*range(100, 100 + BLOCK), *range(300, 310)]),
        ("second", range(100, 100 + 3 * BLOCK + 2)),
    ):
        meter.add(name, list(prompt), max_tokens=1)
        before = meter.counted()
        for _ in range(3):
            meter.count(rig.step()[1])
    after = meter.counted()
    gained = {name: after[name] - before[name] for name in after if "cache" in name}
    context.saw("external.second-request", gained)
    context.verdict(
        "external-denominator",
        gained
        == {
            "prefix_cache_queries": 3 * BLOCK + 2,
            "prefix_cache_hits": BLOCK,
            "external_prefix_cache_queries": 2 * BLOCK + 2,
            "external_prefix_cache_hits": 2 * BLOCK,
        },
        f"{3 * BLOCK + 2} tokens, {BLOCK} of them local and {2 * BLOCK} external: {gained}",
    )
