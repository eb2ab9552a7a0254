"""The engine's blocks against LMCache's chunks: the size that fits, and what a load or a store moves."""

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference import chunk_negotiation


class AttentionSpec(SimpleNamespace):
    """Bears the name by which LMCache knows the engine's attention groups."""


def scheduler_blocks(context: Context, connector: Any) -> None:
    """The engine's groups of blocks against one number."""
    function = getattr(connector, "get_vllm_scheduler_block_size", None)
    if function is None:
        context.not_applicable(
            "scheduler-block", "this version has no get_vllm_scheduler_block_size"
        )
        return

    def draw(generator: random.Random) -> list[tuple[int, bool, bool]]:
        """Draws groups: block size, whether of attention, whether scratch."""
        return [
            (
                generator.choice((16, 32, 48, 256, 784)),
                generator.random() < 0.7,
                generator.random() < 0.2,
            )
            for _ in range(generator.randrange(1, 6))
        ]

    def differs(groups: Sequence[tuple[int, bool, bool]]) -> str | None:
        if all(scratch for _, _, scratch in groups):
            return None  # nothing is cached, so there is no block to speak of
        specs = [
            (AttentionSpec if attention else SimpleNamespace)(
                block_size=size, prefix_cacheable=not scratch
            )
            for size, attention, scratch in groups
        ]
        cache = SimpleNamespace(
            kv_cache_groups=[SimpleNamespace(kv_cache_spec=spec) for spec in specs]
        )
        for ranks in (1, 2):
            engine = SimpleNamespace(
                parallel_config=SimpleNamespace(decode_context_parallel_size=ranks),
                cache_config=SimpleNamespace(block_size=16),
            )
            spans = [chunk_negotiation.span(size, ranks, *kind) for size, *kind in groups]
            found, expected = function(engine, cache), chunk_negotiation.scheduler_block(spans)
            if found != expected:
                return f"{found}, not {expected}, with {ranks} DCP ranks"
        return None

    what = "sets of groups, with 1 and 2 DCP ranks, give the model's block"
    compare(context, "scheduler-block", draw, differs, 100, what)


def ranges(context: Context, metadata: Any, scratch: bool) -> None:
    """What the scheduler side decides to load and to store. A span of 0 is that of a scratch group."""
    chunk = 64
    geometries = [(16,), (16, 32), (64,), *([(16, 0)] if scratch else [])]

    def draw(generator: random.Random) -> list[tuple[str, Any]]:
        spans = generator.choice(geometries)
        prompt = generator.randrange(1, 10 * chunk)
        tokens = prompt + generator.choice((0, 0, generator.randrange(2 * chunk)))
        cache_hit = generator.randrange(prompt // chunk + 1) * chunk
        held = generator.randrange(cache_hit, tokens + chunk)
        return [
            ("spans", spans),
            ("tokens", tokens),
            ("prompt", prompt),
            ("engine_hit", generator.randrange(prompt + 1)),
            ("cache_hit", cache_hit),
            ("scheduled", generator.randrange(tokens // 2 + 1)),
            ("stored", generator.choice((0, cache_hit, generator.randrange(3) * chunk))),
            ("allocated", [-(-held // s) if s else 0 for s in spans]),
        ]

    def differs(drawn: Sequence[tuple[str, Any]], verb: str) -> str | None:
        of = dict(drawn)
        if len(of) < 8:
            return None  # a shortened draw describes no request
        tracker = _tracker(metadata, of)
        if verb == "load":
            make = metadata.LMCacheMPRequestMetadata.GetRetrieveMetadata
            expected = chunk_negotiation.to_load(
                of["engine_hit"], of["cache_hit"], chunk, of["spans"]
            )
        else:
            make = metadata.LMCacheMPRequestMetadata.GetStoreMetadata
            expected = chunk_negotiation.to_store(
                of["stored"],
                of["prompt"],
                of["tokens"],
                of["scheduled"],
                max(of["engine_hit"], of["cache_hit"]),
                of["allocated"],
                chunk,
                of["spans"],
            )
        made = make(tracker, chunk, list(of["spans"]))
        found = None
        if made is not None:
            blocks = tuple((ids[0], ids[-1] + 1) if ids else (0, 0) for ids in made.op.block_ids)
            found = chunk_negotiation.Transfer(
                made.op.start, made.op.end, made.op.skip_first_n_tokens, blocks
            )
        return None if found == expected else f"{found}, not {expected}"

    what = "requests move the model's tokens and blocks"
    compare(context, "load-range", draw, lambda drawn: differs(drawn, "load"), 200, what)
    compare(context, "store-range", draw, lambda drawn: differs(drawn, "store"), 200, what)
    half_generated = {
        "spans": (16,),
        "tokens": 256,
        "prompt": 128,
        "engine_hit": 0,
        "cache_hit": 0,
        "stored": 0,
    }
    tracker = _tracker(metadata, {**half_generated, "scheduled": 256, "allocated": [16]})
    stored = metadata.LMCacheMPRequestMetadata.GetStoreMetadata(tracker, chunk, [16])
    context.saw("store.end.of_128_prompt_and_128_generated", stored.op.end if stored else 0)


def _tracker(metadata: Any, of: dict[str, Any]) -> Any:
    """Returns the scheduler side's record of a request, filled without a request of the engine."""
    made = metadata.LMCacheMPRequestTracker.__new__(metadata.LMCacheMPRequestTracker)
    made.request_id, made.cache_salt, made.request_configs = "r", "", None
    made.max_offload_tokens, made.mm_adjusted_prompt_ids = None, []
    made.state = metadata.LMCacheMPRequestState.WAITING_FOR_LOAD
    made.all_token_ids, made.num_prompt_tokens = list(range(of["tokens"])), of["prompt"]
    made.num_scheduled_tokens, made.num_stored_tokens = of["scheduled"], of["stored"]
    made.num_vllm_hit_tokens, made.num_lmcache_hit_tokens = of["engine_hit"], of["cache_hit"]
    made.allocated_block_ids = {
        group: list(range(count)) for group, count in enumerate(of["allocated"])
    }
    return made
