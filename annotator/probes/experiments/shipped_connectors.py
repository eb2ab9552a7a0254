"""The connectors that come with upstream, asked as the scheduler asks them, against the model of what they answer."""

from itertools import product
from types import SimpleNamespace
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference import shipped_connectors as reference
from annotator.probes.reference.shipped_connectors import Asked
from annotator.probes.rigs.vllm_scheduler import Rig, Settings, make_rig

BLOCK = 16
PROMPT = 3 * BLOCK + 5
PEER = {
    "remote_engine_id": "peer",
    "remote_request_id": "there",
    "remote_host": "127.0.0.1",
    "remote_port": 1,
    "remote_block_ids": [[1, 2, 3]],
}


def observe_nixl(context: Context) -> None:
    """Prompts that a peer has computed, and what is worth fetching back."""
    worth = 2 * BLOCK
    rig = _rig(context, "NixlConnector", {"kv_recompute_threshold": worth})
    wrong: list[str] = []
    takes_back = hasattr(rig.scheduler.connector.connector_scheduler, "kv_recompute_threshold")
    for computed, prefilled, decoded in product(
        range(0, PROMPT + 1, 5), (False, True), (None, 0, BLOCK, 2 * BLOCK, PROMPT + BLOCK)
    ):
        asked = Asked(PROMPT, computed, prefilled, decoded)
        seen = _answer(rig, asked)
        expected = reference.offered_by_peer(asked, two_way=takes_back, worth=worth)
        if seen != expected:
            wrong.append(f"{asked}: {seen}, expected {expected}")
    context.saw("nixl.takes-back", takes_back)
    context.saw("nixl.last-token-missing", list(_answer(rig, Asked(PROMPT, PROMPT - 1, True))))
    context.verdict(
        "nixl-fetches-any-rest",
        not wrong,
        wrong[0] if wrong else f"110 requests, {worth} tokens worth fetching: answers agree",
    )
    _observe_ends(context, rig)


def _observe_ends(context: Context, rig: Rig) -> None:
    """Ways in which a request ends whose prompt was computed for somebody else."""
    from vllm.v1.request import RequestStatus

    kept: dict[str, bool] = {}
    wrong: list[str] = []
    by_itself = {"FINISHED_LENGTH_CAPPED", "FINISHED_STOPPED"}
    for status in (each for each in RequestStatus if each.name.startswith("FINISHED")):
        for elsewhere in (False, True):
            request = rig.request("r", range(PROMPT))
            request.status = status
            request.kv_transfer_params = {"do_remote_decode": True} if elsewhere else None
            seen = bool(_end(rig, request)[0])
            expected = reference.keeps_blocks(
                ended_by_itself=status.name in by_itself, to_be_decoded_elsewhere=elsewhere
            )
            kept[status.name] = seen
            if seen and not expected:
                wrong.append(f"{status.name}, to be decoded elsewhere: {elsewhere}: keeps them")
    context.saw("nixl.keeps-blocks", dict(sorted(kept.items())))
    # Up to 0.16 a request that met its stop gave its blocks back as well: no other end may keep them.
    holds = not wrong and kept["FINISHED_LENGTH_CAPPED"]
    context.verdict("nixl-abort-frees-at-once", holds, wrong[0] if wrong else f"keeps: {kept}")


def observe_p2p(context: Context) -> None:
    """Mooncake's point-to-point connector, with and without a router that names the peer."""
    try:
        rig = _rig(context, "MooncakeConnector", {})
    except ImportError:
        context.not_applicable("p2p-needs-router", "this release wants mooncake to be installed")
        return
    wrong: list[str] = []
    for computed, prefilled in product(range(0, PROMPT + 1, 5), (None, False, True)):
        asked = Asked(PROMPT, computed, bool(prefilled))
        request = rig.request("r", range(PROMPT))
        params = {"do_remote_prefill": prefilled, "transfer_id": "t", **PEER}
        request.kv_transfer_params = None if prefilled is None else params
        seen = rig.scheduler.connector.get_num_new_matched_tokens(request, computed)
        expected = reference.offered_by_peer(asked)
        if seen != expected:
            wrong.append(f"{asked}: {seen}, expected {expected}")
    scheduler = rig.scheduler.connector.connector_scheduler
    pending = len(scheduler._reqs_need_recv)
    context.verdict(
        "p2p-needs-router",
        not wrong and not pending,
        wrong[0] if wrong else f"33 requests: answers agree, {pending} transfers are asked for",
    )


def observe_store(context: Context) -> None:
    """Mooncake Store's connector with a store that is pretended: it holds two blocks of one prompt."""
    try:
        rig = _rig(context, "MooncakeStoreConnector", {"load_async": True})
    except ValueError:  # the factory's, for a name it does not know
        for check in ("store-hit-by-content", "store-keeps-no-blocks"):
            context.not_applicable(check, "this release has no MooncakeStoreConnector")
        return
    stored = {bytes(each) for each in rig.request("r", range(2 * BLOCK)).block_hashes}
    store = _Store(stored)
    rig.scheduler.connector.connector_scheduler.client = store
    wrong: list[str] = []
    for prompt, computed, unread in product(
        (range(PROMPT), range(1, PROMPT), range(2 * BLOCK + 1), range(BLOCK - 1)),
        (0, BLOCK, 2 * BLOCK),
        (None, {"do_remote_prefill": True, **PEER}, _Unreadable()),
    ):
        request = rig.request("r", prompt)
        request.kv_transfer_params = unread
        try:
            seen = rig.scheduler.connector.get_num_new_matched_tokens(request, computed)
        except _Read as error:
            seen = str(error)
        hashes = [bytes(each) for each in request.block_hashes]
        expected = reference.offered_by_store(hashes, stored, BLOCK, computed)
        if seen != expected:
            wrong.append(f"{len(prompt)} tokens from {prompt[0]}, {computed} computed: {seen}")
    context.verdict(
        "store-hit-by-content",
        not wrong,
        wrong[0] if wrong else f"36 requests, {store.asked} lookups: answers follow from hashes",
    )
    whole = rig.scheduler.connector.get_num_new_matched_tokens(
        rig.request("r", range(2 * BLOCK)), 0
    )
    context.saw("store.hit-of-a-whole-prompt", list(whole))
    _observe_store_ends(context, rig)


def _observe_store_ends(context: Context, rig: Rig) -> None:
    from vllm.v1.request import RequestStatus

    answers: set[str] = set()
    for status in (each for each in RequestStatus if each.name.startswith("FINISHED")):
        for params in (None, {"do_remote_decode": True}):
            request = rig.request("r", range(PROMPT))
            request.status, request.kv_transfer_params = status, params
            answers.add(str(_end(rig, request)))
    context.verdict(
        "store-keeps-no-blocks", answers == {"(False, None)"}, f"at the end: {sorted(answers)}"
    )


def observe_store_keys(context: Context) -> None:
    """What a key of the store is made of: each part is changed in turn."""
    try:
        from vllm.distributed.kv_transfer.kv_connector.v1.mooncake.store.data import (
            KeyMetadata,
            PoolKey,
        )
    except ImportError:
        context.not_applicable("store-key-parts", "this release has no MooncakeStoreConnector")
        return
    ranks = ("tp_rank", "pcp_rank", "dcp_rank", "pp_rank", "group_id")
    plain: dict[str, Any] = {**dict.fromkeys(ranks, 0), "model_name": "m"}
    known = set(KeyMetadata.__dataclass_fields__)
    named = {"cache_prefix": "p", "store_namespace": "n"}
    changes: dict[str, Any] = {**dict.fromkeys(plain, 1), "model_name": "o", **named}
    parts = {name: value for name, value in changes.items() if name in known}

    def key(chunk: str = "abc", **changed: Any) -> str:
        fields = {name: value for name, value in plain.items() if name in known}
        made: str = PoolKey(KeyMetadata(**{**fields, **changed}), chunk).to_string()
        return made

    keys = [key(), key("abd"), *(key(**{name: value}) for name, value in parts.items())]
    context.saw("store.key", key())
    context.saw("store.key-parts", sorted(known))
    context.verdict(
        "store-key-parts",
        known == set(parts) and len(set(keys)) == len(keys) and key() == keys[0],
        f"{len(keys)} keys that differ in one part each: {len(set(keys))} different; parts {sorted(known)}",
    )


def observe_lmcache(context: Context) -> None:
    """The in-process connector of LMCache, with an engine behind it that is pretended."""
    from vllm.distributed.kv_transfer.kv_connector.v1.lmcache_connector import LMCacheConnectorV1

    connector = object.__new__(LMCacheConnectorV1)
    seen = {}
    for found in (0, 1, BLOCK, PROMPT):
        connector._lmcache_engine = SimpleNamespace(
            get_num_new_matched_tokens=lambda request, computed, found=found: found
        )
        seen[found] = connector.get_num_new_matched_tokens(SimpleNamespace(), 0)
    context.verdict(
        "lmcache-loads-in-step",
        all(answer == (found, False) for found, answer in seen.items()),
        f"found → answer: {seen}",
    )
    if not hasattr(LMCacheConnectorV1, "requires_piecewise_for_cudagraph"):
        context.not_applicable("lmcache-pieces-follow-key", "this release does not ask")
        return
    asks = LMCacheConnectorV1.requires_piecewise_for_cudagraph
    given: dict[str, Any] = {"absent": {}, "true": {"use_layerwise": True}}
    given["false"] = {"use_layerwise": False, "other": True}
    pieces = {name: asks(config) for name, config in given.items()}
    context.verdict(
        "lmcache-pieces-follow-key",
        pieces == {"absent": False, "true": True, "false": False},
        f"`use_layerwise` → pieces: {pieces}",
    )


class _Store:
    """Stands for the store: knows which blocks it has, and is given nothing but hashes."""

    def __init__(self, stored: set[bytes]) -> None:
        self._stored = stored
        self.asked = 0

    def lookup(self, name: str, tokens: int, hashes: Any, **_more: Any) -> Any:
        self.asked += 1
        found = reference.offered_by_store([bytes(each) for each in hashes], self._stored, BLOCK, 0)
        return _Hit(found[0])


class _Hit(int):
    """A store's answer: a number of tokens, later an object that says more."""

    @property
    def hit_length(self) -> int:
        return int(self)

    tail_key_boundaries: tuple[int, ...] = ()


class _Read(Exception):
    """Somebody looked at what nobody may look at."""


class _Unreadable:
    """Parameters that nobody may look at."""

    def __bool__(self) -> bool:
        raise _Read("the request's parameters were read")

    def __getattr__(self, name: str) -> Any:
        raise _Read("the request's parameters were read")


def _rig(context: Context, name: str, extra: dict[str, Any]) -> Rig:
    connector = {
        "kv_connector": name,
        "kv_role": "kv_both",
        "engine_id": "here",
        "kv_connector_extra_config": extra,
    }
    return make_rig(context, Settings(block_size=BLOCK, connector=connector))


def _answer(rig: Rig, asked: Asked) -> reference.Answer:
    request = rig.request("r", range(asked.prompt))
    request.kv_transfer_params = {"do_remote_prefill": asked.prefilled_elsewhere, **PEER}
    if asked.decoded_elsewhere is not None:
        more = {"do_remote_decode": True, "remote_num_tokens": asked.decoded_elsewhere}
        request.kv_transfer_params |= more
    answer: reference.Answer = rig.scheduler.connector.get_num_new_matched_tokens(
        request, asked.computed
    )
    return answer


def _end(rig: Rig, request: Any) -> Any:
    """Tells the connector that a request is over, which held three blocks."""
    connector = rig.scheduler.connector
    if hasattr(connector, "request_finished_all_groups"):
        return connector.request_finished_all_groups(request, ([1, 2, 3],))
    return connector.request_finished(request, [1, 2, 3])
