"""A scheduler without a model, with everything behind it that counts: output processor and Prometheus counters."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.vllm_scheduler import Rig

COUNTERS = (
    "prefix_cache_queries",
    "prefix_cache_hits",
    "external_prefix_cache_queries",
    "external_prefix_cache_hits",
    "num_preemptions",
    "prompt_tokens",
    "generation_tokens",
)


@dataclass(slots=True)
class Meter:
    """Counts what a scheduler does, as upstream's front end would.

    Attributes:
        rig: the scheduler's rig.
        processor: upstream's output processor: it turns events into statistics of requests.
        logger: upstream's Prometheus logger.
        finished: upstream's statistics of the requests that have finished.
        preempted: ids of the requests that the scheduler said it preempted, once for each time.
        again: counts of requests that were preempted before, which no Prometheus counter has.
    """

    context: Context
    rig: Rig
    logger: Any
    processor: Any = None
    finished: list[Any] = field(default_factory=list)
    preempted: list[str] = field(default_factory=list)
    again: dict[str, int] = field(default_factory=dict)
    _start: dict[str, float] = field(default_factory=dict)

    def renew(self) -> None:
        """Starts again: a fresh scheduler and output processor, and counters from zero."""
        from vllm.v1.engine.output_processor import OutputProcessor

        self.rig.renew()
        self.processor = self.context.call(OutputProcessor, tokenizer=None, log_stats=True)
        self.finished.clear()
        self.preempted.clear()
        self.again = {"queries": 0, "hits": 0}
        self._start = _totals()

    def counted(self) -> dict[str, int]:
        """What the Prometheus counters have gained since the start, by name without prefix."""
        now = _totals()
        return {name: round(now[name] - self._start[name]) for name in COUNTERS}

    def add(
        self, request_id: str, tokens: Sequence[int], max_tokens: int = 4, reads: bool = True
    ) -> Any:
        """Adds a request to the scheduler and to the output processor.

        Args:
            request_id: its id.
            tokens: its prompt.
            max_tokens: how many it generates.
            reads: whether it may read the prefix cache.
        """
        from vllm.v1.engine import EngineCoreRequest

        request = self.rig.request(request_id, tokens, outputs=max_tokens)
        if not reads:
            request.skip_reading_prefix_cache = True
        older: dict[str, Any] = {}
        if "eos_token_id" in EngineCoreRequest.__struct_fields__:
            older["eos_token_id"] = None
        front = self.context.call(
            EngineCoreRequest,
            request_id=request_id,
            prompt_token_ids=list(tokens),
            mm_features=None,
            sampling_params=request.sampling_params,
            pooling_params=None,
            arrival_time=time.time(),
            lora_request=None,
            cache_salt=None,
            data_parallel_rank=None,
            external_req_id=request_id,
            **older,
        )
        self.processor.add_request(front, None)
        self.rig.scheduler.add_request(request)
        return request

    def step(self, look: Callable[[Any], None] | None = None) -> bool:
        """One step, counted.

        Args:
            look: is shown what was scheduled, before the scheduler learns what came of it.

        Returns:
            Whether the step's statistics say that the cache was emptied.
        """
        decision = self.rig.schedule()
        self.preempted += sorted(decision.preempted)
        if look is not None:
            look(decision.raw)
        outputs = self.rig.update(decision.raw)
        self.count(outputs)
        return any(
            c.scheduler_stats.prefix_cache_stats.reset
            for c in outputs.values()
            if c.scheduler_stats
        )

    def count(self, outputs: dict[int, Any]) -> None:
        """Passes on what the scheduler's update returned."""
        from vllm.v1.metrics.stats import IterationStats

        for client in outputs.values():
            iteration = IterationStats()
            self.processor.process_outputs(client.outputs, client.timestamp, iteration)
            self.finished += iteration.finished_requests
            stats = client.scheduler_stats
            if stats is not None:
                self.again["queries"] += stats.prefix_cache_stats.preempted_queries
                self.again["hits"] += stats.prefix_cache_stats.preempted_hits
            self.logger.record(scheduler_stats=stats, iteration_stats=iteration, engine_idx=0)


def make_meter(context: Context, rig: Rig) -> Meter:
    """Puts counters behind a scheduler."""
    from vllm.v1.metrics.loggers import PrometheusStatLogger

    meter = Meter(
        context, rig, context.call(PrometheusStatLogger, vllm_config=rig.config, engine_indexes=[0])
    )
    meter.renew()
    return meter


def _totals() -> dict[str, float]:
    """The counters as they stand, summed over labels."""
    from prometheus_client import REGISTRY

    totals = dict.fromkeys(COUNTERS, 0.0)
    for metric in REGISTRY.collect():
        name = metric.name.removeprefix("vllm:")
        if name in totals:
            totals[name] += sum(s.value for s in metric.samples if s.name.endswith("_total"))
    return totals
