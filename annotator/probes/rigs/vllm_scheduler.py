"""A real vLLM scheduler without a model: configured for the CPU, stepped, and told what a model would have sampled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.attention_groups import Group
from annotator.probes.rigs.kv_cache import Requests, make_config
from annotator.probes.rigs.tiny_model import inspect_models_here, model_directory

Sampled = Callable[[Any], list[int]]
"""What a model would have sampled for a request, given upstream's object for it; nothing while it prefills."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a scheduler is set up.

    Attributes:
        blocks: KV blocks in the pool, the null block among them.
        block_size: tokens in a block.
        max_num_seqs: how many requests may run at once.
        max_num_batched_tokens: token budget of a step.
        max_model_len: longest request in tokens.
        connector: fields of the KV transfer configuration; none without a connector.
        log_stats: whether it counts; where drafts are made up, it cannot.
    """

    blocks: int = 64
    block_size: int = 16
    max_num_seqs: int = 8
    max_num_batched_tokens: int = 256
    max_model_len: int = 1024
    connector: dict[str, Any] | None = None
    log_stats: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """What one call of `schedule` said.

    Attributes:
        tokens: request → tokens computed in this step, in the order said.
        total: `total_num_scheduled_tokens`.
        preempted: requests that gave way, in no order.
        raw: upstream's own object.
    """

    tokens: dict[str, int]
    total: int
    preempted: set[str]
    raw: Any


@dataclass(slots=True)
class Rig:
    """A scheduler with its configuration and a way to make requests for it.

    Attributes:
        context: the probe's context.
        settings: how it was set up.
        config: upstream's whole configuration.
        cache_config: upstream's description of the KV cache: one group of layers with full attention.
        scheduler: upstream's scheduler.
    """

    context: Context
    settings: Settings
    config: Any
    cache_config: Any
    _grammar: Any
    _requests: Requests
    scheduler: Any = field(init=False)

    def __post_init__(self) -> None:
        self.renew()

    def renew(self, *, blocks: int | None = None, **fields: Any) -> None:
        """Starts again with a fresh scheduler, which is much quicker than a new rig.

        Args:
            blocks: size of the pool from now on.
            **fields: of the scheduler's configuration, from now on; this release must know them.
        """
        from vllm.v1.core.sched.scheduler import Scheduler

        for name, value in fields.items():
            setattr(self.config.scheduler_config, name, value)
        if blocks is not None:
            self.cache_config.num_blocks = self.config.cache_config.num_gpu_blocks = blocks
        self.scheduler = self.context.call(
            Scheduler,
            vllm_config=self.config,
            kv_cache_config=self.cache_config,
            structured_output_manager=self._grammar,
            block_size=self.settings.block_size,
            log_stats=self.settings.log_stats,
            required=("block_size", "log_stats"),
        )

    def knows(self, setting: str) -> bool:
        """Whether this release has a setting of the scheduler."""
        return hasattr(self.config.scheduler_config, setting)

    def add(self, name: str, tokens: Sequence[int], **more: Any) -> Any:
        """Makes a request and gives it to the scheduler; see `Requests.make`."""
        request = self.request(name, tokens, **more)
        self.scheduler.add_request(request)
        return request

    def request(self, name: str, tokens: Sequence[int], **more: Any) -> Any:
        """A request of upstream's own class, hashed as upstream's engine would hash it; see `Requests.make`."""
        return self._requests.make(name, tokens, **more)

    def schedule(self) -> Decision:
        """Decides one step."""
        output = self.scheduler.schedule()
        return Decision(
            dict(output.num_scheduled_tokens),
            output.total_num_scheduled_tokens,
            set(output.preempted_req_ids or ()),
            output,
        )

    def update(
        self, scheduled: Any, sampled: Sampled | None = None, connector_output: Any = None
    ) -> Any:
        """Tells the scheduler that the model has run.

        Args:
            scheduled: upstream's own object for what was decided.
            sampled: what was sampled; for each request that has all its tokens computed, one token that is a fixed
                function of its length, if not given.
            connector_output: what a worker's connector reports.

        Returns:
            What upstream sends to its clients.
        """
        from vllm.v1.outputs import ModelRunnerOutput

        names = list(scheduled.num_scheduled_tokens)
        requests = [self.scheduler.requests.get(name) for name in names]
        output = self.context.call(
            ModelRunnerOutput,
            req_ids=names,
            req_id_to_index={name: index for index, name in enumerate(names)},
            sampled_token_ids=[(sampled or next_token)(each) if each else [] for each in requests],
            logprobs=None,
            prompt_logprobs_dict={},
            pooler_output=[],
            kv_connector_output=connector_output,
        )
        return self.scheduler.update_from_output(scheduled, output)

    def step(self, sampled: Sampled | None = None) -> Decision:
        """One step from its decision to its end; see `update`."""
        decision = self.schedule()
        self.update(decision.raw, sampled)
        return decision

    def free_blocks(self) -> int:
        """Blocks that the pool could hand out now."""
        return int(self.scheduler.kv_cache_manager.block_pool.get_num_free_blocks())

    def waiting(self) -> list[str]:
        """Names of those that wait, the next first."""
        return [request.request_id for request in self.scheduler.waiting]

    def running(self) -> list[str]:
        """Names of those that run, in upstream's order."""
        return [request.request_id for request in self.scheduler.running]

    def computed(self) -> Mapping[str, int]:
        """Request → how many of its tokens count as computed."""
        requests = self.scheduler.requests
        return {name: request.num_computed_tokens for name, request in requests.items()}


def next_token(request: Any) -> list[int]:
    """One token for a request that has all its tokens computed, so that runs repeat."""
    caught_up = request.num_computed_tokens >= request.num_tokens
    return [500 + request.num_tokens % 400] if caught_up else []


def make_rig(context: Context, settings: Settings) -> Rig:
    """Builds upstream's scheduler without a model."""
    from vllm.v1.structured_output import StructuredOutputManager

    config = make_vllm_config(context, settings)
    return Rig(
        context,
        settings,
        config,
        make_config(context, [Group(settings.block_size)], settings.blocks),
        StructuredOutputManager(config),
        Requests(context, settings.block_size),
    )


def make_vllm_config(context: Context, settings: Settings) -> Any:
    """Upstream's whole configuration, for the CPU, with a made-up model."""
    from vllm.config import (
        CacheConfig,
        DeviceConfig,
        KVTransferConfig,
        ModelConfig,
        SchedulerConfig,
        VllmConfig,
    )

    call = context.call
    inspect_models_here(context)
    model = call(
        ModelConfig,
        model=model_directory(context),
        dtype="float32",
        seed=0,
        max_model_len=settings.max_model_len,
        skip_tokenizer_init=True,
        required=("model",),
    )
    scheduler = call(
        SchedulerConfig,
        max_num_seqs=settings.max_num_seqs,
        max_num_batched_tokens=settings.max_num_batched_tokens,
        max_model_len=settings.max_model_len,
        enable_chunked_prefill=True,
        is_encoder_decoder=False,
        async_scheduling=False,
        required=("max_num_seqs", "max_num_batched_tokens", "async_scheduling"),
    )
    cache = call(
        CacheConfig,
        gpu_memory_utilization=0.9,
        enable_prefix_caching=True,
        required=("enable_prefix_caching",),
    )
    cache.block_size = settings.block_size  # set, not passed: what a GPU could not use is refused
    cache.num_gpu_blocks = settings.blocks
    if hasattr(cache, "kv_cache_layout"):
        cache.kv_cache_layout = "LBNHC"  # connectors are made after the layout was resolved
    transfer = None
    if settings.connector is not None:
        transfer = call(KVTransferConfig, **settings.connector, required=settings.connector)
    return call(
        VllmConfig,
        model_config=model,
        scheduler_config=scheduler,
        cache_config=cache,
        device_config=DeviceConfig("cpu"),
        kv_transfer_config=transfer,
        required=("model_config", "scheduler_config", "cache_config", "kv_transfer_config"),
    )
