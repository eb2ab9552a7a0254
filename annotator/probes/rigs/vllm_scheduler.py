"""A real vLLM scheduler without a model: its configuration, its requests, and outputs as a model would make them."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.probes.contract import Context

LAYERS = ("layers.0.attention", "layers.1.attention")
"""Names of the two attention layers that the made-up model has."""

TINY_LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": len(LAYERS),
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "vocab_size": 1024,
    "torch_dtype": "float32",
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def model_directory(context: Context, **changes: Any) -> str:
    """Writes the configuration of a made-up two-layer model, without weights or tokenizer."""
    folder = os.path.join(context.folder, "model")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({**TINY_LLAMA, **changes}, file)
    return folder


def inspect_models_here(context: Context) -> None:
    """Has upstream look at the model's class in this process: starting another one takes as long as the whole probe."""
    from vllm.model_executor.models import registry

    if hasattr(registry, "_run_in_subprocess"):
        registry._run_in_subprocess = lambda function: function()
        context.adapted("the model class is inspected in the probe's own process")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a scheduler is set up.

    Attributes:
        blocks: KV blocks in the pool, the null block among them.
        block_size: tokens in a block.
        max_num_seqs: how many requests may run at once.
        max_num_batched_tokens: token budget of a step.
        max_model_len: longest request in tokens.
        caching: whether prefix caching is on.
        policy: `fcfs` or `priority`.
        connector: fields of the KV transfer configuration; none without a connector.
        scheduler: further fields of the scheduler's configuration.
        log_stats: whether the scheduler counts.
    """

    blocks: int = 64
    block_size: int = 16
    max_num_seqs: int = 8
    max_num_batched_tokens: int = 256
    max_model_len: int = 1024
    caching: bool = True
    policy: str = "fcfs"
    connector: dict[str, Any] | None = None
    scheduler: dict[str, Any] = field(default_factory=dict)
    log_stats: bool = True


def make_config(context: Context, settings: Settings) -> Any:
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
        policy=settings.policy,
        required=("max_num_seqs", "max_num_batched_tokens", "policy"),
        **settings.scheduler,
    )
    cache = call(
        CacheConfig,
        block_size=settings.block_size,
        gpu_memory_utilization=0.9,
        enable_prefix_caching=settings.caching,
        required=("block_size", "enable_prefix_caching"),
    )
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


def make_cache_config(context: Context, settings: Settings) -> Any:
    """One group of full-attention layers with as many blocks as the settings say."""
    import torch
    from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec

    spec = context.call(
        FullAttentionSpec,
        block_size=settings.block_size,
        num_kv_heads=2,
        head_size=32,
        dtype=torch.float32,
    )
    return context.call(
        KVCacheConfig,
        num_blocks=settings.blocks,
        kv_cache_tensors=[],
        kv_cache_groups=[KVCacheGroupSpec(list(LAYERS), spec)],
    )


@dataclass(slots=True)
class Rig:
    """A scheduler with its configuration and a way to make requests for it."""

    context: Context
    settings: Settings
    config: Any
    cache_config: Any
    scheduler: Any

    def request(
        self,
        request_id: str,
        tokens: Sequence[int],
        max_tokens: int = 4,
        priority: int = 0,
        salt: str | None = None,
    ) -> Any:
        """A request of upstream's own class, hashed as upstream's engine would hash it."""
        from vllm import SamplingParams
        from vllm.utils.hashing import sha256
        from vllm.v1.core import kv_cache_utils
        from vllm.v1.request import Request

        kv_cache_utils.init_none_hash(sha256)
        hasher = kv_cache_utils.get_request_block_hasher(self.settings.block_size, sha256)
        sampling = SamplingParams(max_tokens=max_tokens, ignore_eos=True, temperature=0.0)
        extra = {"eos_token_id": None} if _wants_eos(Request) else {}
        return self.context.call(
            Request,
            request_id=request_id,
            prompt_token_ids=list(tokens),
            sampling_params=sampling,
            pooling_params=None,
            block_hasher=hasher,
            priority=priority,
            cache_salt=salt,
            required=("block_hasher", "priority", "cache_salt"),
            **extra,
        )

    def output(self, scheduled: Any, connector_output: Any = None) -> Any:
        """What a model runner would return: one token for each request that has all its tokens computed.

        The token is a fixed function of the request and of its length, so that runs repeat.
        """
        from vllm.v1.outputs import ModelRunnerOutput

        ids = list(scheduled.num_scheduled_tokens)
        sampled: list[list[int]] = []
        for request_id in ids:
            request = self.scheduler.requests.get(request_id)
            done = request is not None and request.num_computed_tokens >= request.num_tokens
            sampled.append([500 + request.num_tokens % 400] if done else [])
        return self.context.call(
            ModelRunnerOutput,
            req_ids=ids,
            req_id_to_index={request_id: index for index, request_id in enumerate(ids)},
            sampled_token_ids=sampled,
            logprobs=None,
            prompt_logprobs_dict={},
            pooler_output=[],
            kv_connector_output=connector_output,
        )

    def renew(self) -> None:
        """Starts again with a fresh scheduler of the same configuration, which is much quicker than a new rig."""
        self.scheduler = make_scheduler(self.context, self.settings, self.config, self.cache_config)

    def free_blocks(self) -> int:
        """Blocks that the pool could hand out now."""
        return int(self.scheduler.kv_cache_manager.block_pool.get_num_free_blocks())


def _wants_eos(request_class: Any) -> bool:
    import inspect

    return "eos_token_id" in inspect.signature(request_class).parameters


def make_scheduler(context: Context, settings: Settings, config: Any, cache_config: Any) -> Any:
    """Upstream's scheduler for a configuration."""
    from vllm.v1.core.sched.scheduler import Scheduler
    from vllm.v1.structured_output import StructuredOutputManager

    return context.call(
        Scheduler,
        vllm_config=config,
        kv_cache_config=cache_config,
        structured_output_manager=StructuredOutputManager(config),
        block_size=settings.block_size,
        log_stats=settings.log_stats,
        required=("block_size", "log_stats"),
    )


def make_rig(context: Context, settings: Settings) -> Rig:
    """Builds upstream's scheduler without a model."""
    config = make_config(context, settings)
    cache_config = make_cache_config(context, settings)
    scheduler = make_scheduler(context, settings, config, cache_config)
    return Rig(context, settings, config, cache_config, scheduler)
