"""Prefix caching of a real engine against the model: cached tokens and events, request after request."""

from collections import Counter
from dataclasses import replace
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.engine_cache import EngineCache, decoded
from annotator.probes.rigs.vllm_engine import Engine
from annotator.probes.sequences import Findings, Operation, Run

SEQUENCES = 8
OFFSETS = (0, 1, 2, -1, 9)
"""How far a prompt ends from a block's boundary: what goes wrong goes wrong around there."""


def observe_cache(context: Context, engine: Engine) -> None:
    """Fixed prompts for the table of observations, then generated ones against the model."""
    _observe_counts(context, engine)
    fewer = replace(context, options={"examples": SEQUENCES, **context.options})
    findings = Findings(fewer, raises="engine-raises-nothing")
    findings.explore(
        "requests one after another",
        _operations(),
        lambda sequence, run: _play(engine, sequence, run),
        longest=10,
    )
    findings.tell()


def _observe_counts(context: Context, engine: Engine) -> None:
    size = engine.block_size
    prompt = list(range(100, 100 + 2 * size + 6))
    exact = list(range(100, 100 + 2 * size))
    shared = [*range(100, 100 + size + 8), *range(700, 700 + size)]
    other_start = list(range(800, 800 + size + 6))
    other_prefix = [*range(800, 800 + size), *range(100 + size, 100 + 2 * size + 6)]
    engine.reset_prefix_cache()
    cached = {
        "first": engine.generate([prompt])[0].cached,
        "repeated": engine.generate([prompt])[0].cached,
        "whole-prompt-cached": engine.generate([exact])[0].cached,
        "shared-prefix": engine.generate([shared])[0].cached,
    }
    engine.generate([other_start])
    cached["same-block-other-prefix"] = engine.generate([other_prefix])[0].cached
    engine.reset_prefix_cache()
    twins = engine.generate([prompt, prompt])
    cached["twin-in-the-same-step"] = twins[1].cached
    engine.reset_prefix_cache()
    cached["after-reset"] = engine.generate([prompt])[0].cached
    for name, tokens in cached.items():
        context.saw(
            f"cached-blocks.{name}", tokens // size if tokens % size == 0 else f"{tokens} tokens"
        )
    context.verdict(
        "last-token-recomputed",
        cached["whole-prompt-cached"] == size,
        f"of a prompt of {2 * size} tokens that is cached as a whole {cached['whole-prompt-cached']} are hit",
    )
    context.verdict(
        "same-step-hit",
        cached["twin-in-the-same-step"] == 2 * size and twins[0].tokens == twins[1].tokens,
        f"the second of two equal prompts in one batch hits {cached['twin-in-the-same-step']} tokens",
    )
    context.verdict(
        "hit-needs-whole-prefix",
        cached["same-block-other-prefix"] == size,
        f"two blocks, both cached, the second behind another first one: {cached['same-block-other-prefix']} tokens hit",
    )


def _operations() -> Any:
    """`run FAMILY SHARED TAIL BLOCKS OFFSET OUTPUT`: SHARED in eighths of a block, OFFSET one of `OFFSETS`."""
    from hypothesis import strategies as st

    return st.tuples(
        st.just("run"),
        st.integers(0, 1),
        st.integers(8, 48),
        st.integers(0, 1),
        st.integers(1, 5),
        st.integers(0, len(OFFSETS) - 1),
        st.integers(1, 10),
    )


def _play(engine: Engine, sequence: list[Operation], run: Run) -> None:
    engine.reset_prefix_cache()
    engine.events.clear()
    model = EngineCache(engine.blocks, engine.block_size)
    eighth = engine.block_size // 8
    for _, family, shared, tail, blocks, offset, tokens in sequence:
        start, end = 100 + 300 * family, 700 + 10 * tail
        length = max(1, blocks * engine.block_size + OFFSETS[offset])
        own = max(0, length - shared * eighth)
        prompt = [*range(start, start + length - own), *range(end, end + own)]
        answer = engine.generate([prompt], max(1, tokens))[0]
        expected = model.run(prompt, answer.tokens)
        run.expect("cached-tokens", answer.cached, expected, f"cached of {len(prompt)} tokens")
        _compare_events(engine, model, run)
        run.stop_if_parted()


def _compare_events(engine: Engine, model: EngineCache, run: Run) -> None:
    try:
        seen = decoded(engine.events)
    except ValueError as error:
        run.expect("events-name-parents", str(error), None, "reading the events")
        return
    run.expect("events-name-parents", None, None, "reading the events")
    expected = model.pool.events
    differing = next(
        (i for i, (a, b) in enumerate(zip(seen, expected, strict=False)) if a != b), None
    )
    if differing is None and len(seen) != len(expected):
        differing = min(len(seen), len(expected))
    shown = [
        f"{e.kind} {len(e.prefix)} tokens" if e else "nothing"
        for e in (_at(seen, differing), _at(expected, differing))
    ]
    run.expect("events-predicted", shown[0], shown[1], f"event {differing}")
    held = Counter(e.prefix for e in seen if e.kind == "stored")
    held.subtract(Counter(e.prefix for e in seen if e.kind == "removed"))
    cached = sum(block.block_hash is not None for block in engine.pool.blocks)
    run.expect("events-mirror-pool", held.total(), cached, "blocks announced and not removed")


def _at(events: Any, index: int | None) -> Any:
    return events[index] if index is not None and index < len(events) else None
