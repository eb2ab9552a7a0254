"""A real vLLM engine around a made-up two-layer model with random weights, on a CPU or a GPU, in this process."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.tiny_model import TINY_LLAMA, inspect_models_here, model_directory

ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine's core lives here, where it can be looked into
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES": "0",  # whole hashes in events
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def block_size(context: Context) -> int:
    """Tokens in a block: a CPU wants multiples of 32, on a GPU 16 is what everybody runs."""
    return 16 if context.device == "cuda" else 32


def prepare(context: Context) -> None:
    """Sets what upstream reads from the environment when it is imported, and records what is run."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if context.device == "cpu":
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    import torch
    import vllm

    context.versions.update(torch=torch.__version__, vllm=vllm.__version__)
    if context.device == "cuda":
        context.versions["gpu"] = torch.cuda.get_device_name(0)


def write_weights(folder: str, seed: int) -> None:
    """Writes random weights large enough for the output to depend on the whole context.

    The weights that upstream makes up itself (`load_format="dummy"`) are so small that every prompt gives the same
    tokens, with which nothing can be compared.
    """
    import torch
    from safetensors.torch import save_file

    generator = torch.Generator().manual_seed(seed)

    def drawn(*shape: int, scale: float = 1.0) -> Any:
        return torch.randn(*shape, generator=generator) * scale

    hidden, inner, words = (
        TINY_LLAMA[k] for k in ("hidden_size", "intermediate_size", "vocab_size")
    )
    weights = {
        "model.embed_tokens.weight": drawn(words, hidden),
        "model.norm.weight": torch.ones(hidden),
        "lm_head.weight": drawn(words, hidden, scale=hidden**-0.5),
    }
    for layer in range(TINY_LLAMA["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            weights[f"{prefix}.self_attn.{name}.weight"] = drawn(hidden, hidden, scale=hidden**-0.5)
        for name in ("gate_proj", "up_proj"):
            weights[f"{prefix}.mlp.{name}.weight"] = drawn(inner, hidden, scale=hidden**-0.5)
        weights[f"{prefix}.mlp.down_proj.weight"] = drawn(hidden, inner, scale=inner**-0.5)
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"{prefix}.{name}.weight"] = torch.ones(hidden)
    save_file(weights, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})


@dataclass(slots=True)
class Answer:
    """What one request gave."""

    request: str
    tokens: list[int]
    cached: int


@dataclass(slots=True)
class Engine:
    """An engine in this process, with its core open to be looked at.

    Attributes:
        llm: upstream's `LLM`.
        core: the engine core behind it.
        events: KV events that were published, in order, if they are switched on.
    """

    context: Context
    llm: Any
    core: Any
    events: list[Any] = field(default_factory=list)

    @property
    def scheduler(self) -> Any:
        """Upstream's scheduler."""
        return self.core.scheduler

    @property
    def pool(self) -> Any:
        """The pool of KV blocks."""
        return self.scheduler.kv_cache_manager.block_pool

    @property
    def runner(self) -> Any:
        """The model runner of the only worker."""
        worker = self.core.model_executor.driver_worker
        return getattr(worker, "worker", worker).model_runner

    @property
    def block_size(self) -> int:
        """Tokens in a block."""
        return int(self.core.vllm_config.cache_config.block_size)

    @property
    def blocks(self) -> int:
        """Blocks in the pool, the null block among them."""
        return int(self.scheduler.kv_cache_config.num_blocks)

    @property
    def attention_backend(self) -> str:
        """Name of the class that computes attention."""
        layers = self.core.vllm_config.compilation_config.static_forward_context
        return next(
            type(layer.impl).__name__ for layer in layers.values() if hasattr(layer, "impl")
        )

    @property
    def runner_version(self) -> str:
        """`V1` for the older model runner, `V2` for the one under `v1/worker/gpu`."""
        return "V2" if ".worker.gpu." in f"{type(self.runner).__module__}." else "V1"

    def generate(self, prompts: Sequence[Sequence[int]], tokens: int = 8) -> list[Answer]:
        """Runs prompts to their end, greedily.

        Args:
            prompts: token ids.
            tokens: how many to generate for each.
        """
        from vllm import SamplingParams

        sampling = SamplingParams(
            temperature=0.0, max_tokens=tokens, ignore_eos=True, detokenize=False
        )
        outputs = self.llm.generate(
            [{"prompt_token_ids": list(prompt)} for prompt in prompts], sampling, use_tqdm=False
        )
        return [
            Answer(o.request_id, list(o.outputs[0].token_ids), int(o.num_cached_tokens or 0))
            for o in outputs
        ]

    def reset_prefix_cache(self) -> bool:
        """Forgets all cached blocks."""
        return bool(self.llm.reset_prefix_cache())

    @contextlib.contextmanager
    def counting_preemptions(self) -> Iterator[list[int]]:
        """Counts how often the scheduler says that it preempted somebody; the count is the list's only element."""
        count = [0]
        schedule = self.scheduler.schedule

        def counted(*args: Any, **kwargs: Any) -> Any:
            scheduled = schedule(*args, **kwargs)
            count[0] += len(scheduled.preempted_req_ids or ())
            return scheduled

        self.scheduler.schedule = counted
        try:
            yield count
        finally:
            self.scheduler.schedule = schedule

    def kv_tensors(self) -> dict[str, Any]:
        """Layer name → the tensor that holds all its blocks."""
        layers = self.core.vllm_config.compilation_config.static_forward_context
        found = {}
        for name, layer in sorted(layers.items()):
            cache = getattr(layer, "kv_cache", None)
            if cache is not None:
                found[name] = cache[0] if isinstance(cache, (list, tuple)) else cache
        return found

    def kv_of(self, blocks: Sequence[int]) -> dict[str, Any]:
        """Layer name → a copy of what the given blocks hold, block by block.

        Which axis counts blocks differs between attention backends: it is the one as long as the pool.
        """
        import torch

        copies = {}
        for name, tensor in self.kv_tensors().items():
            axis = next(i for i, length in enumerate(tensor.shape) if length == self.blocks)
            index = torch.tensor(list(blocks), device=tensor.device)
            copies[name] = tensor.index_select(axis, index).movedim(axis, 0).float().cpu().clone()
        return copies

    def cached_blocks(self, prompt: Sequence[int]) -> list[int]:
        """Ids of the blocks that hold the full blocks of a prompt, as far as they are cached, in order."""
        request = self._request_for(prompt)
        found = []
        for block_hash in request.block_hashes:
            blocks = self.pool.get_cached_block(block_hash, [0])
            if not blocks:
                break
            found.append(blocks[0].block_id)
        return found

    def _request_for(self, prompt: Sequence[int]) -> Any:
        from vllm import SamplingParams
        from vllm.v1.request import Request

        return self.context.call(
            Request,
            request_id="looked-up",
            prompt_token_ids=list(prompt),
            sampling_params=SamplingParams(max_tokens=1),
            pooling_params=None,
            block_hasher=self.core.request_block_hasher,
            required=("block_hasher",),
        )


@contextlib.contextmanager
def running_engine(
    context: Context,
    *,
    events: bool = False,
    transfer: dict[str, Any] | None = None,
    **arguments: Any,
) -> Iterator[Engine]:
    """Starts an engine and takes it down again.

    Args:
        context: the probe's context.
        events: whether KV events are published; they are kept in memory and leave no process.
        transfer: fields of the KV transfer configuration.
        **arguments: further arguments of upstream's `LLM`.
    """
    from vllm import LLM

    inspect_models_here(context)
    folder = model_directory(context)
    if not os.path.exists(os.path.join(folder, "model.safetensors")):
        write_weights(folder, context.seed)
    settings: dict[str, Any] = {
        "model": folder,
        "skip_tokenizer_init": True,
        "enforce_eager": True,
        "block_size": block_size(context),
        "max_model_len": 8 * block_size(context),
        "max_num_seqs": 4,
        "max_num_batched_tokens": 8 * block_size(context),
        "enable_prefix_caching": True,
        "async_scheduling": False,
        "disable_log_stats": False,
        "seed": 0,
        "dtype": "float32" if context.device == "cpu" else "float16",
        **arguments,
    }
    if context.device == "cuda":
        settings.setdefault("gpu_memory_utilization", 0.2)
    if transfer is not None:
        from vllm.config import KVTransferConfig

        settings["kv_transfer_config"] = KVTransferConfig(**transfer)
    if events:
        from vllm.config.kv_events import KVEventsConfig

        settings["kv_events_config"] = KVEventsConfig(enable_kv_cache_events=True, publisher="null")
    llm = LLM(**settings)
    engine = Engine(context, llm, llm.llm_engine.engine_core.engine_core)
    context.versions["model runner"] = engine.runner_version
    if events:
        _keep_events(engine)
    try:
        yield engine
    finally:
        _take_down(engine)


def _keep_events(engine: Engine) -> None:
    """Reads what the scheduler publishes, just before the publisher would send it away."""
    publisher = engine.scheduler.kv_event_publisher
    publish = publisher.publish

    def keep(batch: Any) -> None:
        engine.events.extend(batch.events)
        publish(batch)

    publisher.publish = keep


def _take_down(engine: Engine) -> None:
    import gc

    from vllm.distributed import kv_transfer
    from vllm.distributed.parallel_state import cleanup_dist_env_and_memory

    engine.llm.llm_engine.engine_core.shutdown()
    for name in ("ensure_kv_transfer_shutdown",):
        getattr(kv_transfer, name, lambda: None)()
    engine.llm = engine.core = None
    gc.collect()
    cleanup_dist_env_and_memory()
