"""How LMCache cuts prompts into chunks, names them and finds them again, against the model."""

import random
from collections.abc import Sequence
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference import chunk_hash


def _prompt(generator: random.Random) -> list[int]:
    return [generator.randrange(2**32) for _ in range(generator.randrange(50))]


def hashes(context: Context) -> None:
    """TokenHasher, which the multiprocess server uses."""
    import blake3
    from lmcache.v1.multiprocess.token_hasher import TokenHasher

    hash_of_chunk = chunk_hash.digest_of_chunk(lambda data: bytes(blake3.blake3(data).digest()))
    start_value = hash_of_chunk(0, [0])
    hashers = {size: TokenHasher(size, "blake3") for size in (1, 4, 16)}

    def differs(tokens: Sequence[int]) -> str | None:
        for size, hasher in hashers.items():
            ours = chunk_hash.names(tokens, size, start_value, hash_of_chunk)
            if hasher.compute_chunk_hashes(list(tokens)) != ours:
                return f"the names of chunks of {size} differ"
            for cut in range(len(ours) + 1):
                if hasher.compute_chunk_hashes(list(tokens), start=cut * size) != ours[cut:]:
                    return f"the names of chunks of {size} from chunk {cut} on differ"
                if hasher.compute_chunk_hashes(list(tokens), end=cut * size) != ours[:cut]:
                    return f"the names of chunks of {size} up to chunk {cut} differ"
        return None

    compare(
        context,
        "hash-chain",
        _prompt,
        differs,
        40,
        "prompts in chunks of 1, 4 and 16 have the model's names",
    )
    context.saw("hash.start_value", hashers[16].none_hash.hex())
    context.saw("hash.first_chunk", hashers[16].compute_chunk_hashes(list(range(16)))[0].hex())


def database(context: Context) -> None:
    """ChunkedTokenDatabase, which the in-process mode uses."""
    import torch
    from lmcache.v1.config import LMCacheEngineConfig
    from lmcache.v1.token_database import ChunkedTokenDatabase

    def database(size: int, keep: bool) -> Any:
        config = LMCacheEngineConfig.from_defaults(chunk_size=size, save_unfull_chunk=keep)
        return ChunkedTokenDatabase(config, None)

    databases = {(size, keep): database(size, keep) for size in (4, 16) for keep in (False, True)}

    def differs(tokens: Sequence[int]) -> str | None:
        for (size, keep), upstream in databases.items():
            start_value, hash_of_chunk = upstream._get_init_hash(), chunk_hash.builtin_hash_of_chunk
            ours = chunk_hash.names(tokens, size, start_value, hash_of_chunk, keep)
            named = [
                (*r, n) for r, n in zip(chunk_hash.chunks(tokens, size, keep), ours, strict=True)
            ]
            for skipped in range(len(tokens) + 1):
                mask = torch.arange(len(tokens)) >= skipped
                expected = [n for n in named if n[0] >= skipped] if skipped % size == 0 else None
                try:
                    found = list(upstream.process_tokens(list(tokens), mask=mask, make_key=False))
                except ValueError:
                    found = None
                if found != expected:
                    return f"chunks of {size}, tail kept: {keep}, {skipped} skipped: {found}, not {expected}"
        return None

    if all(d.hash_func is hash for d in databases.values()):
        what = "prompts have the model's ranges and hashes, whatever the number of skipped tokens"
        compare(context, "database-chain", _prompt, differs, 10, what)
    defaults = LMCacheEngineConfig.from_defaults()
    context.saw("database.defaults.chunk_size", defaults.chunk_size)
    context.saw("database.defaults.save_unfull_chunk", defaults.save_unfull_chunk)
    context.saw("database.defaults.hash", defaults.pre_caching_hash_algorithm)


def matcher(context: Context) -> None:
    """The blend module's search for chunks at any place."""
    try:
        from lmcache.v1.multiprocess.modules.blend.matcher import BlendTokenRangeMatcher
    except ImportError:
        context.not_applicable("any-offset", "this version has no BlendTokenRangeMatcher")
        return
    document, size = [0, 1, 2, 0, 2, 2, 1, 0, 1, 1, 1, 2], 4

    def draw(generator: random.Random) -> list[int]:
        return [generator.randrange(3) for _ in range(generator.randrange(1, 60))]

    def differs(query: Sequence[int]) -> str | None:
        matcher = BlendTokenRangeMatcher(size)
        stored = range(0, len(document), size)
        matcher.on_new_token_hashes(document, [bytes([place]) for place in stored])
        expected = []
        for place in stored:
            chunk = document[place : place + size]
            at = [i for i in range(len(query) - size + 1) if list(query[i : i + size]) == chunk]
            expected += [(place, first) for first in at[:1]]
        found = sorted((m.old_st, m.cur_st) for m in matcher.match_sub_sequence(list(query)))
        return None if found == expected else f"(stored at, found at) is {found}, not {expected}"

    what = "queries find the aligned chunks of a document wherever these begin"
    compare(context, "any-offset", draw, differs, 60, what)
