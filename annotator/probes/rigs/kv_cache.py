"""Upstream's block pool and KV cache manager without an engine: built, called and read in one way for every release."""

from collections.abc import Sequence
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.attention_groups import Group

FAR_LONGER_THAN_ANY_REQUEST = 4096


class Requests:
    """Makes upstream's requests."""

    def __init__(self, context: Context, hash_block_size: int) -> None:
        from vllm.utils.hashing import sha256
        from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash

        init_none_hash(sha256)
        self._context = context
        self._hasher = get_request_block_hasher(hash_block_size, sha256)

    def make(
        self,
        name: str,
        tokens: Sequence[int],
        *,
        outputs: int = 64,
        priority: int = 0,
        arrival: float = 0.0,
        adapter: Any = None,
    ) -> Any:
        """A text request.

        Args:
            name: its id.
            tokens: its prompt.
            outputs: how many tokens it generates.
            priority: the smaller, the more urgent.
            arrival: when it came, in seconds.
            adapter: upstream's description of its LoRA adapter.
        """
        from vllm import SamplingParams
        from vllm.v1.request import Request

        return self._context.call(
            Request,
            request_id=name,
            prompt_token_ids=list(tokens),
            sampling_params=SamplingParams(max_tokens=outputs, ignore_eos=True),
            pooling_params=None,
            eos_token_id=None,  # until 0.18; later it belongs to the sampling parameters
            arrival_time=arrival,
            priority=priority,
            lora_request=adapter,
            block_hasher=self._hasher,
            required=("priority", "block_hasher", "arrival_time", "lora_request"),
        )


def make_pool(context: Context, size: int, hash_block_size: int) -> Any:
    """A block pool with prefix caching."""
    from vllm.v1.core.block_pool import BlockPool

    return context.call(
        BlockPool, num_gpu_blocks=size, enable_caching=True, hash_block_size=hash_block_size
    )


def make_config(context: Context, groups: Sequence[Group], blocks: int, **more: Any) -> Any:
    """The description of a KV cache with the given groups of layers, one layer each."""
    import torch
    from vllm.v1.kv_cache_interface import (
        FullAttentionSpec,
        KVCacheConfig,
        KVCacheGroupSpec,
        SlidingWindowSpec,
    )

    def spec(group: Group) -> Any:
        shape = {
            "block_size": group.block_size,
            "num_kv_heads": 1,
            "head_size": 1,
            "dtype": torch.float32,
        }
        if group.window is None:
            return FullAttentionSpec(**shape)
        return SlidingWindowSpec(**shape, sliding_window=group.window)

    described = [
        KVCacheGroupSpec([f"layer{number}"], spec(group)) for number, group in enumerate(groups)
    ]
    return context.call(
        KVCacheConfig,
        num_blocks=blocks,
        kv_cache_tensors=[],
        kv_cache_groups=described,
        required=list(more),
        **more,
    )


def make_manager(
    context: Context,
    groups: Sequence[Group],
    blocks: int,
    *,
    hash_block_size: int,
    alignment: int,
    watermark: float | None = None,
    **config: Any,
) -> Any:
    """A KV cache manager with prefix caching.

    Args:
        context: who is told of adaptations.
        groups: the groups of layers.
        blocks: size of the pool, the null block included.
        hash_block_size: tokens covered by one block hash.
        alignment: prefix hits are multiples of this.
        watermark: share of the blocks kept free; None where it does not matter.
        **config: further fields of the cache's description.

    Raises:
        CannotAdapt: if a watermark is asked for where there is none.
    """
    from vllm.v1.core.kv_cache_manager import KVCacheManager

    more: dict[str, Any] = {} if watermark is None else {"watermark": watermark}
    return context.call(
        KVCacheManager,
        kv_cache_config=make_config(context, groups, blocks, **config),
        max_model_len=FAR_LONGER_THAN_ANY_REQUEST,
        scheduler_block_size=alignment,
        hash_block_size=hash_block_size,
        max_in_flight_tokens=FAR_LONGER_THAN_ANY_REQUEST,
        enable_caching=True,
        renamed={"max_in_flight_tokens": ["max_num_batched_tokens"]},
        required=("hash_block_size", "enable_caching", *more),
        **more,
    )


def free_order(pool: Any) -> list[int]:
    """The free blocks as upstream's list has them, the next to be handed out first."""
    return [block.block_id for block in pool.free_block_queue.get_all_free_blocks()]


def users(pool: Any) -> list[int]:
    """Block → how many use it; for the null block 0, since releases differ in whether they count its users."""
    return [0 if block.is_null else block.ref_cnt for block in pool.blocks]


def find(pool: Any, block_hash: Any, group: int = 0) -> int | None:
    """The block that a prefix hit would get for a hash."""
    found = pool.get_cached_block(block_hash, [group])
    return found[0].block_id if found else None


def tables(manager: Any, name: str) -> tuple[list[int], ...]:
    """A request's block table in each group."""
    block_ids: tuple[list[int], ...] = manager.get_block_ids(name)
    return block_ids


def hit(manager: Any, request: Any) -> tuple[Any, int]:
    """What the prefix cache has for a request: the blocks and the number of tokens (later releases say more)."""
    answer = manager.get_computed_blocks(request)
    return answer[0], answer[1]
