"""Upstream's load generator against the model: what counts as good, and when requests are sent, on a pretended clock."""

import asyncio
import random
from itertools import product
from types import SimpleNamespace
from typing import Any
from unittest import mock

from annotator.probes.contract import Context
from annotator.probes.reference import load_test as reference
from annotator.probes.reference.load_test import Served

SECONDS = 8.0


def observe_goodput(context: Context) -> None:
    """Runs of twelve requests with drawn times, under every set of limits."""
    draw = random.Random(context.seed)  # noqa: S311 - for tests, not secrets
    wrong: list[str] = []
    limits = {"ttft": 100.0, "tpot": 20.0, "e2el": 700.0}
    for round_, chosen in product(range(10), product((False, True), repeat=3)):
        slos = {n: v for (n, v), taken in zip(limits.items(), chosen, strict=True) if taken}
        served = [
            Served(draw.random() < 0.8, draw.uniform(0.05, 0.15), draw.uniform(0.2, 1), tokens)
            for tokens in draw.choices((1, 2, 20, 60), k=12)
        ]
        seen = _goodput(context, served, slos)
        expected = reference.goodput(served, slos, SECONDS) if slos else 0.0
        if abs(seen - expected) > 1e-9:
            wrong.append(f"run {round_} with {slos}: {seen}, expected {expected}")
    context.verdict(
        "goodput-meets-all-limits",
        not wrong,
        wrong[0] if wrong else "80 runs of 12 requests under every set of limits agree",
    )


def observe_arrivals(context: Context) -> None:
    """Requests at finite rates without a ramp-up: when is each sent?"""
    from vllm.benchmarks import serve

    numbers = serve.np.random  # the generator that upstream draws from
    wrong: list[str] = []
    for number, rate, burstiness in product((1, 2, 7, 40), (0.5, 4.0), (0.5, 1.0, 4.0)):
        numbers.seed(context.seed)
        shape = {"shape": burstiness, "scale": 1 / (rate * burstiness)}
        gaps = [float(numbers.gamma(**shape)) for _ in range(number)]
        numbers.seed(context.seed)
        seen = asyncio.run(_sent(number, rate, burstiness))
        expected = reference.due(gaps, rate)
        if any(abs(one - other) > 1e-6 for one, other in zip(seen, expected, strict=True)):
            wrong.append(f"{number} requests at {rate}/s: last at {seen[-1]}, not {expected[-1]}")
    context.verdict(
        "arrivals-rescaled",
        not wrong,
        wrong[0] if wrong else "24 runs: each request is sent when due, the last at number / rate",
    )


def _goodput(context: Context, served: list[Served], limits: dict[str, float]) -> float:
    from vllm.benchmarks import serve

    outputs = []
    for one in served:
        output = serve.RequestFuncOutput()
        output.success, output.ttft, output.latency = one.succeeded, one.first, one.total
        output.output_tokens, output.prompt_len = one.tokens, 10
        gap = one.per_token
        output.itl = [gap] * (one.tokens - 1)
        outputs.append(output)
    metrics, _ = context.call(
        serve.calculate_metrics,
        input_requests=[SimpleNamespace(prompt_len=10)] * len(outputs),
        outputs=outputs,
        dur_s=SECONDS,
        tokenizer=None,
        selected_percentiles=[99.0],
        goodput_config_dict=limits,
        required=("outputs", "dur_s", "goodput_config_dict"),
    )
    return float(metrics.request_goodput)


async def _sent(number: int, rate: float, burstiness: float) -> list[float]:
    """When each request is sent, on a clock that only waiting moves."""
    from vllm.benchmarks import serve

    clock = [0.0]

    async def sleep(seconds: float) -> None:
        clock[0] += seconds

    def now() -> float:
        return clock[0]

    sent: list[float] = []
    requests: list[Any] = list(range(number))
    with (
        mock.patch.object(serve.time, "time", now),
        mock.patch.object(serve.asyncio, "sleep", sleep),
    ):
        async for _ in serve.get_request(requests, rate, burstiness):
            sent.append(clock[0])
    return sent
