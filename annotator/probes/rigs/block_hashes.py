"""Upstream's requests and block hashers, made and read in one way for every release."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.hash_chain import Content


def make_request(
    context: Context,
    tokens: Sequence[int],
    content: Content,
    hasher: Callable[[Any], list[bytes]] | None,
) -> Any:
    """A request of upstream's own class."""
    from vllm import SamplingParams
    from vllm.v1.request import Request

    return context.call(
        Request,
        request_id="r",
        prompt_token_ids=list(tokens),
        sampling_params=SamplingParams(max_tokens=1000, ignore_eos=True),
        pooling_params=None,
        eos_token_id=None,  # until 0.18; later it belongs to the sampling parameters
        arrival_time=0.0,
        mm_features=[_feature(context, image) for image in content.images] or None,
        lora_request=_adapter(content.adapter) if content.adapter else None,
        cache_salt=content.salt or None,
        block_hasher=hasher,
        required=("mm_features", "lora_request", "cache_salt", "block_hasher"),
    )


def _feature(context: Context, image: Any) -> Any:
    from vllm.multimodal.inputs import MultiModalFeatureSpec, PlaceholderRange

    return context.call(
        MultiModalFeatureSpec,
        data=None,
        modality="image",
        identifier=image.identifier,
        mm_position=PlaceholderRange(offset=image.offset, length=image.length),
        required=("identifier", "mm_position"),
    )


def _adapter(adapter: tuple[str, str]) -> Any:
    from vllm.lora.request import LoRARequest

    name, path = adapter
    return LoRARequest(lora_name=name, lora_int_id=1, lora_path=path)


def make_hasher(block_size: int, digest: Any, lookahead: int = 0) -> Any:
    """The function that names a request's new blocks. Its parameters were renamed, so they go by position."""
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher

    more = (lookahead,) if lookahead else ()
    return get_request_block_hasher(block_size, digest, *more)


def hasher_parameters() -> list[str]:
    """Names of the parameters of upstream's function that makes a hasher."""
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher

    return list(inspect.signature(get_request_block_hasher).parameters)


def upstream_extra_keys(request: Any, block_size: int) -> list[Any]:
    """What upstream puts into the hash of each full block besides tokens and parent.

    Upstream keeps count of the images that lie behind it, as here, from block to block.
    """
    from vllm.v1.core.kv_cache_utils import generate_block_hash_extra_keys

    keys, images_behind = [], 0
    for end in range(block_size, request.num_tokens + 1, block_size):
        found, images_behind = generate_block_hash_extra_keys(
            request, end - block_size, end, images_behind
        )
        keys.append(found)
    return keys


def atoms(value: Any) -> set[Any]:
    """The words and numbers in nested tuples."""
    if isinstance(value, (tuple, list)):
        return set().union(*map(atoms, value))
    return set() if value is None else {value}


def as_json(value: Any) -> Any:
    """Nested tuples with bytes in them, as they can be compared and shown."""
    if isinstance(value, (tuple, list)):
        return [as_json(item) for item in value]
    return value.hex() if isinstance(value, bytes) else value
