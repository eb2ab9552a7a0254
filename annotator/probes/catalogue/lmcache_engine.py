"""LMCache behind a real engine: what the engine counts as cached, what its connector answers, and what comes back."""

from collections.abc import Sequence
from typing import Any
from unittest import mock

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.reference.chunk_hash import ChunkStore, builtin_hash_of_chunk
from annotator.probes.rigs import lmcache_tree, vllm_engine
from annotator.probes.rigs.lmcache_server import server

CHECKS = (
    Check(
        "engine-hits",
        "引擎清空自己的前缀缓存后，命中数等于 LMCache 里从头连续的整块（整条 prompt 命中时少一个 token，再按 block 取整由引擎决定）。",
        "After its own prefix cache is cleared an engine finds the whole chunks that LMCache has from the start; of a"
        " prompt that hits entirely one token is left to compute.",
    ),
    Check(
        "same-output",
        "从 LMCache 取回 KV 后生成的 token 与自己重算时相同。",
        "With KV from LMCache the engine generates the tokens that it generates when it computes all itself.",
    ),
    Check(
        "same-kv",
        "从 LMCache 取回的 KV 与引擎自己算出的逐字节相同。",
        "The KV that comes back from LMCache equals to the byte what the engine had computed.",
    ),
    Check(
        "async-when-positive",
        "`get_num_new_matched_tokens` 的第二项在第一项大于 0 时为真、等于 0 时为假，查询未完成时返回 `(None, True)`。",
        "The second item of `get_num_new_matched_tokens` is true when the first is above 0, false when it is 0, and an"
        " unfinished lookup returns `(None, True)`.",
    ),
    Check(
        "mp-hook-empty",
        "`LMCacheMPConnector.wait_for_layer_load` 什么也不做。",
        "`LMCacheMPConnector.wait_for_layer_load` does nothing.",
    ),
)


def observe(context: Context) -> None:
    """Runs one engine with a server, and compares it with itself without one."""
    vllm_engine.prepare(context)
    lmcache_tree.prepare(context)
    from lmcache.integration.vllm.lmcache_mp_connector import LMCacheMPConnector

    itself = mock.MagicMock()
    answer = LMCacheMPConnector.wait_for_layer_load(itself, "layer")
    done = [str(call) for call in itself.mock_calls]
    context.verdict(
        "mp-hook-empty", answer is None and not done, f"gives {answer} and does {done or 'nothing'}"
    )

    _spare_numba(context)
    chunk = vllm_engine.block_size(context)
    prompts = _prompts(chunk)
    with vllm_engine.running_engine(context, enable_prefix_caching=False) as alone:
        expected_tokens = [answer.tokens for answer in alone.generate(prompts)]
    with server(context, chunk_size=str(chunk)) as address:
        host, _, port = address.rpartition(":")
        transfer = {
            "kv_connector": "LMCacheMPConnector",
            "kv_role": "kv_both",
            "kv_connector_extra_config": {
                "lmcache.mp.host": host,
                "lmcache.mp.port": int(port),
                "lmcache.mp.mp_transfer_mode": "engine_driven",
            },
        }
        with vllm_engine.running_engine(context, transfer=transfer) as engine:
            _play(context, engine, prompts, expected_tokens, chunk)


def _spare_numba(context: Context) -> None:
    """Keeps the CPU engine from replacing Triton kernels in all modules that are loaded.

    Its search asks every value for `.kernel` and trips over objects of llvmlite, which LMCache loads with numba.
    """
    try:
        from vllm.triton_utils import dispatcher
    except ImportError:
        return
    if context.device == "cpu" and hasattr(dispatcher, "_rebind_kernels"):
        mock.patch.object(dispatcher, "_rebind_kernels", return_value=None).start()
        context.adaptations.append(
            "the engine's replacement of Triton kernels is left out: it trips over llvmlite"
        )


def _prompts(chunk: int) -> list[list[int]]:
    """Returns prompts that share beginnings of no, one and more whole chunks."""
    base = [3 + i % 97 for i in range(6 * chunk)]
    other = [5 + i % 89 for i in range(6 * chunk)]
    return [
        base[: 2 * chunk + 6],
        base[: 2 * chunk + 6],
        base[:chunk] + other[: chunk + 3],
        base[: 2 * chunk],  # hits entirely
        other[: chunk - 1],  # shorter than a chunk
        base[: 2 * chunk] + other[:chunk],
    ]


def _play(
    context: Context,
    engine: Any,
    prompts: Sequence[list[int]],
    expected_tokens: Sequence[list[int]],
    chunk: int,
) -> None:
    connector = engine.scheduler.connector
    context.saw("connector.module", type(connector).__module__)
    answers: list[tuple[int | None, bool]] = []
    ask = connector.get_num_new_matched_tokens

    def noted(*arguments: Any, **more: Any) -> tuple[int | None, bool]:
        answers.append(ask(*arguments, **more))
        return answers[-1]

    connector.get_num_new_matched_tokens = noted
    store = ChunkStore(chunk, 0, builtin_hash_of_chunk)
    hits: list[int] = []
    expected_hits: list[int] = []
    outputs: list[list[int]] = []
    kv: list[dict[str, Any]] = []
    for prompt in prompts:
        engine.reset_prefix_cache()
        (answer,) = engine.generate([prompt])
        hit = store.hit(prompt)
        store.store(prompt)
        hits.append(answer.cached)
        expected_hits.append(hit - 1 if hit == len(prompt) else hit)
        outputs.append(answer.tokens)
        if len(kv) < 2:
            kv.append(engine.kv_of(engine.cached_blocks(prompt)))
    context.saw("engine.cached_tokens", list(hits))
    context.verdict(
        "engine-hits", hits == expected_hits, f"cached {hits}, expected {expected_hits}"
    )
    same = outputs == list(expected_tokens)
    context.verdict(
        "same-output",
        same,
        f"{len(outputs)} prompts, with a hit of up to {max(hits)} tokens: same {same}",
    )
    computed, loaded = kv[:2]
    equal = [name for name, blocks in computed.items() if bool((blocks == loaded[name]).all())]
    evidence = f"{len(equal)} of {len(computed)} layers are equal after a hit of {hits[1]} tokens"
    context.verdict("same-kv", len(equal) == len(computed) > 0 and hits[1] == 2 * chunk, evidence)
    kinds = {(n if n is None else n > 0, load) for n, load in answers}
    evidence = f"answers of the kinds (more than 0, asynchronous): {sorted(kinds, key=str)}"
    context.verdict(
        "async-when-positive", kinds == {(None, True), (True, True), (False, False)}, evidence
    )


PROBE = Probe(
    name="lmcache-engine",
    zh="真实引擎后面的 LMCache：引擎算作命中的、连接器的回答、取回的结果",
    en="LMCache behind a real engine: what it counts as cached, what the connector answers, what comes back",
    upstream="lmcache",
    tiers=("engine",),
    paths=("lmcache",),
    checks=CHECKS,
    version=1,
    observe=observe,
    seconds=300,
    megabytes=5000,
    beside=("vllm",),
)
