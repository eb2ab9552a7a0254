"""Upstream's scheduler without a model: built on the CPU, stepped, and told what a model would have sampled."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.attention_groups import Group
from annotator.probes.rigs.kv_cache import make_config

ARCHITECTURE = "ProbeForCausalLM"
LONGEST = 512


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


class SchedulerBench:
    """Makes schedulers; what they have in common is made once."""

    def __init__(self, context: Context) -> None:
        from vllm.config import CacheConfig, DeviceConfig, ModelConfig, SchedulerConfig, VllmConfig
        from vllm.v1.structured_output import StructuredOutputManager

        self._context = context
        _register_model()
        model = ModelConfig(
            model=_model_folder(context.folder),
            skip_tokenizer_init=True,
            dtype="float32",
            max_model_len=LONGEST,
        )
        scheduler = context.call(
            SchedulerConfig,
            max_num_seqs=4,
            max_num_batched_tokens=LONGEST,
            max_model_len=LONGEST,
            enable_chunked_prefill=True,
            async_scheduling=False,
            is_encoder_decoder=False,
            required=("async_scheduling",),
        )
        self.config = VllmConfig(
            model_config=model,
            scheduler_config=scheduler,
            cache_config=CacheConfig(enable_prefix_caching=True),
            device_config=DeviceConfig("cpu"),
        )
        self.grammar = StructuredOutputManager(self.config)

    def knows(self, setting: str) -> bool:
        """Whether this release has a setting of the scheduler."""
        return hasattr(self.config.scheduler_config, setting)

    def make(self, *, blocks: int, block_size: int, **settings: Any) -> Any:
        """A scheduler over a cache with full attention.

        Args:
            blocks: size of the pool, the null block included.
            block_size: tokens in a block.
            **settings: of the scheduler's configuration; those unknown are left out, and that is recorded.
        """
        from vllm.v1.core.sched.scheduler import Scheduler

        for name, value in settings.items():
            if self.knows(name):
                setattr(self.config.scheduler_config, name, value)
            else:
                self._context.call(_without_settings, **{name: value})
        self.config.cache_config.num_gpu_blocks = blocks
        return self._context.call(
            Scheduler,
            vllm_config=self.config,
            kv_cache_config=make_config(self._context, [Group(block_size)], blocks),
            structured_output_manager=self.grammar,
            block_size=block_size,
        )


def _without_settings() -> None:
    """Stands for a configuration without the setting, so that leaving it out is recorded like any adaptation."""


def schedule(scheduler: Any) -> Decision:
    """One step's decision."""
    output = scheduler.schedule()
    return Decision(
        dict(output.num_scheduled_tokens),
        output.total_num_scheduled_tokens,
        set(output.preempted_req_ids or ()),
        output,
    )


def sample(scheduler: Any, decision: Decision, tokens_of: Callable[[Any], list[int]]) -> None:
    """Tells the scheduler that the model has run.

    Args:
        scheduler: who decided.
        decision: what was run.
        tokens_of: request → what was sampled for it; nothing while it prefills.
    """
    from vllm.v1.outputs import ModelRunnerOutput

    names = list(decision.tokens)
    output = ModelRunnerOutput(
        req_ids=names,
        req_id_to_index={name: index for index, name in enumerate(names)},
        sampled_token_ids=[tokens_of(scheduler.requests[name]) for name in names],
        logprobs=None,
        prompt_logprobs_dict={},
        pooler_output=[],
    )
    scheduler.update_from_output(decision.raw, output)


def waiting(scheduler: Any) -> list[str]:
    """Names of those that wait, the next first."""
    return [request.request_id for request in scheduler.waiting]


def running(scheduler: Any) -> list[str]:
    """Names of those that run, in upstream's order."""
    return [request.request_id for request in scheduler.running]


def computed(scheduler: Any) -> Mapping[str, int]:
    """Request → how many of its tokens count as computed."""
    return {name: request.num_computed_tokens for name, request in scheduler.requests.items()}


def _register_model() -> None:
    """Registers a model class that never runs: a known class is inspected here, others in yet another process."""
    import torch
    from vllm.model_executor.models import ModelRegistry

    class NeverRuns(torch.nn.Module):  # type: ignore[misc] # torch is not there when types are checked
        def __init__(self, *, vllm_config: Any, prefix: str = "") -> None:
            super().__init__()

        def embed_input_ids(self, input_ids: Any) -> Any:
            raise NotImplementedError

        get_input_embeddings = embed_input_ids

        def forward(self, input_ids: Any, positions: Any) -> Any:
            raise NotImplementedError

        def compute_logits(self, hidden_states: Any) -> Any:
            raise NotImplementedError

    ModelRegistry.register_model(ARCHITECTURE, NeverRuns)


def _model_folder(folder: str) -> str:
    description = {
        "architectures": [ARCHITECTURE],
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "vocab_size": 32000,
        "max_position_embeddings": LONGEST,
        "torch_dtype": "float32",
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    path = os.path.join(folder, "model")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
        json.dump(description, file)
    return path
