"""What is in the blocks: KV that is reused equals KV that is computed again, and the output does not change."""

import os
from collections import Counter
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.recording_connector import Script, Tape, install
from annotator.probes.rigs.vllm_engine import Answer, Engine, running_engine


def observe_tensors(context: Context, engine: Engine) -> None:
    """Compares blocks of a hit with the same blocks computed again, and with those behind another prefix."""
    size = engine.block_size
    prefix = list(range(100, 100 + 2 * size))
    engine.reset_prefix_cache()
    engine.generate([[*prefix, 7]])
    blocks = engine.cached_blocks(prefix)[:2]
    written = engine.kv_of(blocks)
    engine.generate([[*prefix, *range(300, 310)]])
    reused = engine.cached_blocks(prefix)[:2]
    context.verdict(
        "hit-keeps-kv",
        reused == blocks and _equal(written, engine.kv_of(blocks)),
        f"blocks {blocks} before and {reused} after a hit; their KV {_word(written, engine.kv_of(blocks))}",
    )
    engine.reset_prefix_cache()
    engine.generate([range(900, 900 + size)])  # so that the prefix gets other blocks this time
    engine.generate([[*prefix, *range(300, 310)]])
    others = engine.cached_blocks(prefix)[:2]
    again = engine.kv_of(others)
    context.verdict(
        "kv-equals-recomputed",
        others != blocks and _close(context, written, again),
        f"KV of blocks {blocks} and, computed again, of blocks {others}: {_word(written, again)}",
    )
    context.saw("kv.recomputed-is-bitwise-equal", _equal(written, again))
    _check_context(context, engine, prefix, written)


def _check_context(
    context: Context, engine: Engine, prefix: list[int], written: dict[str, Any]
) -> None:
    size = engine.block_size
    other = [*range(500, 500 + size), *prefix[size:]]
    engine.generate([[*other, 7]])
    behind_other = engine.kv_of(engine.cached_blocks(other)[1:2])
    same = {
        name: bool(abs(written[name][1] - behind_other[name][0]).max() < 1e-5)
        for name in sorted(written)
    }
    context.saw(
        "kv.same-tokens-behind-another-prefix",
        ["equal" if s else "different" for s in same.values()],
    )
    first, *rest = same.values()
    context.verdict(
        "kv-depends-on-prefix",
        first and not any(rest),
        f"the same tokens at the same place behind another block, by layer: {same}",
    )


def observe_outputs(context: Context, engine: Engine) -> dict[str, list[Answer]]:
    """Generates for the same prompts cold, warm and crowded, so that some have to give way.

    Returns:
        Name of the run → its answers.
    """
    prompts = _prompts(engine)
    tokens = engine.block_size + 8
    engine.reset_prefix_cache()
    alone = [engine.generate([prompt], tokens)[0] for prompt in prompts]
    warm = [engine.generate([prompt], tokens)[0] for prompt in prompts]
    engine.reset_prefix_cache()
    engine.events.clear()
    with engine.counting_preemptions() as preemptions:
        crowded = engine.generate(prompts, tokens)
    kinds = Counter(type(event).__name__ for event in engine.events)
    context.saw("crowded.events", dict(sorted(kinds.items())))
    context.saw("crowded.preemptions", preemptions[0])
    context.saw("cached-tokens-of-warm", [answer.cached for answer in warm])
    if context.tier == "engine":
        context.verdict(
            "preemption-keeps-output",
            preemptions[0] > 0 and _same(context, alone, crowded),
            f"{preemptions[0]} preemptions; {_agreement(alone, crowded)}",
        )
    return {"alone": alone, "warm": warm}


def compare_without_caching(
    context: Context, seen: dict[str, list[Answer]], **arguments: Any
) -> None:
    """Runs the same prompts on an engine without prefix caching."""
    with running_engine(context, enable_prefix_caching=False, **arguments) as engine:
        tokens = engine.block_size + 8
        plain = [engine.generate([prompt], tokens)[0] for prompt in _prompts(engine)]
    context.verdict(
        "same-output-without-caching",
        _same(context, seen["alone"], plain)
        and _same(context, seen["warm"], plain)
        and not any(a.cached for a in plain),
        f"cold and without caching: {_agreement(seen['alone'], plain)}; "
        f"warm ({sum(a.cached for a in seen['warm'])} tokens cached) and without: {_agreement(seen['warm'], plain)}",
    )


def compare_graphs(context: Context, seen: dict[str, list[Answer]], **arguments: Any) -> None:
    """Runs the same prompts with CUDA graphs, where there are any."""
    if context.device != "cuda":
        context.not_applicable("graph-keeps-output", "there are no CUDA graphs on this device")
        return
    with running_engine(context, enforce_eager=False, **arguments) as engine:
        mode = str(engine.core.vllm_config.compilation_config.cudagraph_mode).rsplit(".", 1)[-1]
        context.saw("cudagraph-mode", mode)
        tokens = engine.block_size + 8
        graphs = [engine.generate([prompt], tokens)[0] for prompt in _prompts(engine)]
    context.verdict(
        "graph-keeps-output",
        _same(context, seen["alone"], graphs),
        f"{mode}: {_agreement(seen['alone'], graphs)}",
    )


def observe_round_trip(context: Context, **arguments: Any) -> None:
    """Saves KV through upstream's own example connector, forgets it, and loads it back."""
    tape = Tape()
    transfer = install(_example_connector(), tape, Script())
    folder = os.path.join(context.folder, "stored-kv")
    transfer["kv_connector_extra_config"] = {"shared_storage_path": folder}
    with running_engine(context, transfer=transfer, **arguments) as engine:
        prompt = list(range(100, 100 + 2 * engine.block_size + 6))
        first = engine.generate([prompt])[0]
        saved = engine.kv_of(engine.cached_blocks(prompt)[:2])
        engine.reset_prefix_cache()
        for tensor in engine.kv_tensors().values():
            tensor.zero_()  # nothing can be right by chance
        second = engine.generate([prompt])[0]
        loaded = engine.kv_of(engine.cached_blocks(prompt)[:2])
        size = engine.block_size
    external = [c["external"] for c in tape.calls if c.hook == "update_state_after_alloc"]
    context.saw("round-trip.cached-blocks", [first.cached // size, second.cached // size])
    context.saw("round-trip.external-blocks", [n // size for n in external])
    context.verdict(
        "connector-round-trip",
        second.cached == external[-1] == 2 * size
        and _equal(saved, loaded)
        and _same(context, [first], [second]),
        f"{external[-1]} tokens loaded; KV {_word(saved, loaded)}; {_agreement([first], [second])}",
    )


def _example_connector() -> Any:
    from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory

    return KVConnectorFactory.get_connector_class_by_name("ExampleConnector")


def _prompts(engine: Engine) -> list[list[int]]:
    """Four prompts, two of which share a prefix; together they need more blocks than there are."""
    size = engine.block_size
    shared = list(range(100, 100 + size))
    return [
        [*shared, *range(200, 200 + size - 4)],
        list(range(300, 300 + 2 * size - 4)),
        [*shared, *range(400, 400 + size - 4)],
        list(range(500, 500 + 2 * size - 4)),
    ]


def _same(context: Context, one: list[Answer], other: list[Answer]) -> bool:
    """Equal outputs; on a GPU equal first tokens, unless its kernels do not depend on the batch.

    There the same token is computed by other kernels in another batch, and once two outputs differ in one token by
    rounding they go their own ways.
    """
    exact = context.device == "cpu" or os.environ.get("VLLM_BATCH_INVARIANT") == "1"
    compared = slice(None) if exact else slice(1)
    return [a.tokens[compared] for a in one] == [a.tokens[compared] for a in other]


def _agreement(one: list[Answer], other: list[Answer]) -> str:
    differing = sum(a.tokens != b.tokens for a, b in zip(one, other, strict=True))
    return f"{differing} of {len(one)} outputs differ"


def _equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(one) and all(one[name].equal(other[name]) for name in one)


def _close(context: Context, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Equal but for rounding: which kernel computes a token may depend on how many are computed with it."""
    limit = 1e-4 if context.device == "cpu" else 5e-2
    return all(float(abs(one[name] - other[name]).max()) < limit for name in one)


def _word(one: dict[str, Any], other: dict[str, Any]) -> str:
    return "equal" if _equal(one, other) else "not bitwise equal"
