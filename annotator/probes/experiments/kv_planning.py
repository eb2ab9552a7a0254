"""Upstream's plan of KV memory against the model: pages, groups of layers, blocks of a request and of a worker."""

from collections.abc import Iterator
from itertools import product
from typing import Any, get_args, get_type_hints

from annotator.probes.contract import Context
from annotator.probes.reference import kv_planning as reference
from annotator.probes.rigs.vllm_scheduler import Settings, make_vllm_config

BLOCK_SIZE = 16
HEADS, HEAD_SIZE = 2, 32


def observe_pages(context: Context) -> None:
    """Bytes of a page by type of its values, and pages made equal for layers whose own are not."""
    import torch

    types = {"float32": torch.float32, "bfloat16": torch.bfloat16, "uint8": torch.uint8}
    seen: dict[str, int] = {}
    expected: dict[str, int] = {}
    for name, dtype in types.items():
        spec = _full(context, dtype=dtype)
        seen[name] = getattr(spec, "unpadded_page_size_bytes", spec.page_size_bytes)
        expected[name] = reference.page_bytes(BLOCK_SIZE, HEADS, HEAD_SIZE, dtype.itemsize)
    context.saw("page-bytes", dict(seen))
    context.verdict("page-holds-keys-and-values", seen == expected, f"{seen}, expected {expected}")
    unify = _planner().unify_kv_cache_spec_page_size
    planned: list[list[int]] = []
    for heads in product((1, 2, 4, 8), repeat=3):
        specs = {f"layer{i}": _full(context, num_kv_heads=each) for i, each in enumerate(heads)}
        specs["window"] = _window(context, 32)
        planned.append(sorted({spec.page_size_bytes for spec in unify(specs).values()}))
    unequal = [pages for pages in planned if len(pages) != 1]
    context.verdict(
        "pages-made-equal",
        not unequal,
        f"{len(planned)} models of layers with 1 to 8 heads: {len(unequal)} keep pages of several sizes",
    )


def observe_groups(context: Context) -> None:
    """Models with some layers of full attention and some with a window: how large are their groups?"""
    plan = _planner()._get_kv_cache_groups_uniform_page_size
    wrong: list[str] = []
    for full, window in product(range(1, 13), repeat=2):
        specs = {f"full{i}": _full(context) for i in range(full)}
        specs |= {f"window{i}": _window(context, 32) for i in range(window)}
        groups = plan(specs)
        sizes = [len(group.layer_names) for group in groups]
        seen, counts = (max(sizes), len(sizes)), (full, window)
        expected = reference.group_size(counts), reference.number_of_groups(counts)
        if seen != expected:
            wrong.append(f"{full} full and {window} window: {seen}, expected {expected}")
        if counts in {(12, 10), (10, 12), (4, 12)}:
            context.saw(f"groups.{full}-full-{window}-window", list(sizes))
    context.verdict(
        "group-size-rule",
        not wrong,
        wrong[0]
        if wrong
        else "144 models with 1 to 12 layers of two kinds: size and number of groups agree",
    )


def observe_bounds(context: Context) -> None:
    """The most that a request may need: of a window, and of a recurrent layer."""
    window = _window(context, 1)
    if not hasattr(window, "max_admission_blocks_per_request"):
        context.not_applicable("window-bounds-blocks", "this release has no such bound")
    else:
        wrong = []
        for size, flight, longest in product((1, 3, 16, 40), (1, 16, 100), (8, 64, 1000, 10**6)):
            seen = _admitted(context, size, flight, longest)
            expected = reference.most_window_blocks(size, flight, longest, BLOCK_SIZE)
            if seen != expected:
                wrong.append(
                    f"window {size}, {flight} in flight, {longest}: {seen}, not {expected}"
                )
        context.saw(
            "window.blocks-by-longest", [_admitted(context, 40, 16, n) for n in (8, 64, 1000)]
        )
        context.verdict(
            "window-bounds-blocks",
            not wrong,
            wrong[0] if wrong else "48 settings agree with the bound",
        )
    config = make_vllm_config(context, Settings(block_size=BLOCK_SIZE))
    seen_bytes: dict[str, Any] = {}
    for mode in _mamba_modes(config):
        config.cache_config.mamba_cache_mode = mode
        seen_bytes[mode] = [_mamba_bytes(context, config, longest) for longest in (128, 1024, 8192)]
    context.saw("mamba.bytes-by-longest", dict(seen_bytes))
    context.verdict(
        "mamba-length-free",
        all(len(set(each)) == 1 for each in seen_bytes.values()),
        f"bytes for requests of up to 128, 1024 and 8192 tokens: {seen_bytes}",
    )


def observe_workers(context: Context) -> None:
    """Three workers with different memory, alone and together."""
    config = make_vllm_config(context, Settings(block_size=BLOCK_SIZE, max_model_len=64))
    specs = {f"layer{i}": _full(context) for i in range(2)}
    page = reference.page_bytes(BLOCK_SIZE, HEADS, HEAD_SIZE, 4)
    wrong: list[str] = []
    for blocks in product((10, 17, 30), repeat=3):
        memory = [2 * page * each + each for each in blocks]
        alone = [_blocks_of_workers(config, specs, [each])[0] for each in memory]
        together = _blocks_of_workers(config, specs, memory)
        if together != [reference.common_blocks(alone)] * 3 or alone != list(blocks):
            wrong.append(f"memory for {blocks} blocks: alone {alone}, together {together}")
    context.verdict(
        "smallest-worker-wins",
        not wrong,
        wrong[0] if wrong else "27 sets of three workers: all have the blocks of the smallest",
    )


def _blocks_of_workers(config: Any, specs: dict[str, Any], memory: list[int]) -> list[int]:
    """How many blocks each worker is given for its memory; all have the same layers."""
    planner, workers = _planner(), [dict(specs) for _ in memory]
    more = []
    if hasattr(planner, "get_global_kv_cache_groups"):  # a step of its own from 0.33
        more.append(planner.get_global_kv_cache_groups(config, workers))
    planned = planner.get_kv_cache_configs(config, workers, memory, *more)
    return [each.num_blocks for each in planned]


def _planner() -> Any:
    """The module that plans KV memory: one of its own from 0.33."""
    try:
        from vllm.v1.core import kv_cache_planning as planner
    except ImportError:
        from vllm.v1.core import kv_cache_utils as planner
    return planner


def _spec(context: Context, cls: Any, **fields: Any) -> Any:
    import torch

    shape = {"block_size": BLOCK_SIZE, "num_kv_heads": HEADS, "head_size": HEAD_SIZE}
    return context.call(cls, **{**shape, "dtype": torch.float32, **fields})


def _full(context: Context, **fields: Any) -> Any:
    from vllm.v1.kv_cache_interface import FullAttentionSpec

    return _spec(context, FullAttentionSpec, **fields)


def _window(context: Context, size: int) -> Any:
    from vllm.v1.kv_cache_interface import SlidingWindowSpec

    return _spec(context, SlidingWindowSpec, sliding_window=size)


def _admitted(context: Context, window: int, in_flight: int, longest: int) -> int:
    bound: int = context.call(
        _window(context, window).max_admission_blocks_per_request,
        max_in_flight_tokens=in_flight,
        max_model_len=longest,
        renamed={"max_in_flight_tokens": ["max_num_batched_tokens"]},
        required=("max_in_flight_tokens", "max_model_len"),
    )
    return bound


def _mamba_modes(config: Any) -> Iterator[str]:
    """Ways in which recurrent layers may be cached in this release."""
    hint = get_type_hints(type(config.cache_config)).get("mamba_cache_mode")
    yield from get_args(hint) or ("none",)


def _mamba_bytes(context: Context, config: Any, longest: int) -> int:
    import torch
    from vllm.v1.kv_cache_interface import MambaSpec

    config.model_config.max_model_len = longest
    spec = context.call(
        MambaSpec, block_size=BLOCK_SIZE, shapes=((4, 8), (16,)), dtypes=(torch.float32,) * 2
    )
    return int(spec.max_memory_usage_bytes(config))
