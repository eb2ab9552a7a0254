"""Requests through an LMCache server on loopback: what hits, which bytes come back, and what is locked meanwhile."""

import random
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference.chunk_hash import ChunkStore, digest_of_chunk
from annotator.probes.rigs.lmcache_server import BLOCK, CHUNK, Engine


class Request(NamedTuple):
    """One request: the kinds of its chunks, tokens after them, salt, tokens the engine has, whether it loads."""

    kinds: tuple[int, ...]
    tail: int
    salt: str
    skip: int
    loads: bool

    def tokens(self) -> list[int]:
        """Returns the prompt. Requests share a beginning if their first chunks are of the same kinds."""
        return [kind * CHUNK + i for kind in self.kinds for i in range(CHUNK)] + [9999] * self.tail


def _draw_requests(generator: random.Random) -> list[Request]:
    return [
        Request(
            tuple(generator.randrange(2) for _ in range(generator.randrange(5))),
            generator.randrange(CHUNK),
            generator.choice(("", "", "salt")),
            generator.choice((0, BLOCK)),  # what the engine has itself is whole blocks
            generator.random() < 0.7,
        )
        for _ in range(generator.randrange(2, 12))
    ]


def requests(context: Context, connected: Engine) -> None:
    """Requests one after another through the server, as an engine sends them."""
    import blake3

    hash_of_chunk = digest_of_chunk(lambda data: bytes(blake3.blake3(data).digest()))
    start_value = hash_of_chunk(0, [0])
    played: list[int] = []
    damage: list[str] = []

    def differs(requests: Sequence[Request]) -> str | None:
        connected.clear()
        stores = {salt: ChunkStore(CHUNK, start_value, hash_of_chunk) for salt in ("", "salt")}
        for request in requests:
            name = f"request-{len(played)}"
            played.append(1)
            tokens, whole = request.tokens(), len(request.kinds) * CHUNK
            hit, expected = (
                connected.lookup(name, tokens, request.salt),
                stores[request.salt].hit(tokens),
            )
            if hit != expected:
                return f"{request} hits {hit} tokens, not {expected}"
            if hit and request.loads:
                damage.extend(_load(connected, name, request, hit))
            elif hit:
                connected.scheduler.free_lookup_locks(tokens, 0, hit, name, cache_salt=request.salt)
            if whole > hit:
                blocks = list(range((whole - hit) // BLOCK))
                _compute(connected, request, hit, blocks)
                connected.store(name, tokens, blocks, hit, request.salt)
            stores[request.salt].store(tokens)
            connected.finish(name)
        connected.clear()
        left = connected.lookup(f"check-{len(played)}", Request((0,), 0, "", 0, False).tokens())
        return f"after a CLEAR {left} tokens are still there" if left else None

    compare(
        context,
        "hits-by-content",
        _draw_requests,
        differs,
        12,
        "sequences of requests hit what the model says",
    )
    evidence = "all loads of these sequences gave back the bytes that were stored, and changed nothing else"
    context.verdict("same-bytes", not damage, damage[0] if damage else evidence)


def _expected_kv(request: Request, first: int, count: int) -> Any:
    """Returns KV that depends on the whole prompt up to each chunk and on the salt, as a model's does."""
    import torch

    parts = []
    for chunk in range(first // CHUNK, (first + count) // CHUNK):
        seed = zlib.crc32(repr((request.salt, request.kinds[: chunk + 1])).encode())
        parts.append(torch.rand(2, CHUNK, 2, 8, generator=torch.Generator().manual_seed(seed)))
    return torch.cat(parts, dim=1)


def _compute(connected: Engine, request: Request, first: int, blocks: Sequence[int]) -> None:
    kv = _expected_kv(request, first, len(blocks) * BLOCK)
    for layer, tensor in enumerate(connected.kv.values()):
        tensor[:, list(blocks)] = (kv + layer).reshape(2, len(blocks), BLOCK, 2, 8)


def _load(connected: Engine, name: str, request: Request, hit: int) -> list[str]:
    """Loads a hit into blocks of its own and returns what is not as it should be."""
    import torch

    blocks = list(range(20, 20 + hit // BLOCK))
    before = {layer: tensor.fill_(-1).clone() for layer, tensor in connected.kv.items()}
    if not connected.retrieve(name, request.tokens(), blocks, request.skip, request.salt):
        return [f"{request}: the load of {hit} tokens failed"]
    wrong = []
    kv = _expected_kv(request, 0, hit)
    for layer, (key, tensor) in enumerate(connected.kv.items()):
        loaded = tensor[:, blocks].reshape(2, hit, 2, 8)
        others = [b for b in range(tensor.shape[1]) if b not in blocks]
        if not torch.equal(loaded[:, request.skip :], (kv + layer)[:, request.skip :]):
            wrong.append(f"{request}: {key} was loaded with other bytes")
        if not bool((loaded[:, : request.skip] == -1).all()):
            wrong.append(f"{request}: {key} was changed within the first {request.skip} tokens")
        if not torch.equal(tensor[:, others], before[key][:, others]):
            wrong.append(f"{request}: {key} was changed in other blocks")
    return wrong


def locks(context: Context, connected: Engine) -> None:
    """What a CLEAR takes, before and after the locks of a lookup are given back."""
    request = Request((1, 1), 0, "", 0, True)
    tokens = request.tokens()
    connected.clear()
    _compute(connected, request, 0, [0, 1, 2, 3])
    connected.store("lock-0", tokens, [0, 1, 2, 3], 0)
    left = {}
    for way in ("free_lookup_locks", "retrieve"):
        held = connected.lookup(f"lock-{way}", tokens)
        connected.clear()
        left[f"held, before {way}"] = connected.lookup(f"lock-{way}-again", tokens)
        connected.scheduler.free_lookup_locks(tokens, 0, held, f"lock-{way}-again")
        if way == "retrieve":
            connected.retrieve(f"lock-{way}", tokens, [4, 5, 6, 7], 0)
            connected.clear()
            left["after both"] = connected.lookup("lock-last", tokens)
        else:
            connected.scheduler.free_lookup_locks(tokens, 0, held, f"lock-{way}")
    expected = {
        "held, before free_lookup_locks": 2 * CHUNK,
        "held, before retrieve": 2 * CHUNK,
        "after both": 0,
    }
    context.verdict("lookup-locks", left == expected, f"tokens left by a CLEAR: {left}")
