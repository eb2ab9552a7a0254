"""How long a chunk of LMCache may be, given the block sizes of the engine, and which tokens then move.

The engine keeps KV in blocks, LMCache in chunks, and a chunk is copied from and to whole blocks. So a chunk has to be
a whole number of blocks: of every kind of block, where a hybrid model has several. Releases up to 0.5.6 do not agree
on a size with the engine: the server has one, the engine asks for it and refuses to start if it does not fit. Later
releases negotiate, and the server's size becomes a minimum.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import lcm


def span(block_size: int, context_parallel: int, attention: bool, scratch: bool = False) -> int:
    """Returns how many tokens of the prompt one block of a group covers.

    Args:
        block_size: tokens in a block, on one rank.
        context_parallel: ranks among which the tokens of attention layers are divided in decoding.
        attention: whether the group is one of attention; recurrent state is kept whole on each rank.
        scratch: whether the group is never cached; it covers nothing.
    """
    if scratch:
        return 0
    return block_size * context_parallel if attention else block_size


def scheduler_block(spans: Iterable[int]) -> int:
    """Returns the least number of tokens that is a whole number of blocks in every group that is cached."""
    return lcm(*(s for s in spans if s > 0))


def starts(chunk: int, block: int) -> bool:
    """Says whether an engine starts with a server of that chunk size, without negotiation."""
    return chunk % block == 0


def negotiated(minimum: int, block: int) -> int:
    """Returns the chunk size on which a server and an engine agree, with negotiation."""
    return -(-minimum // block) * block


@dataclass(frozen=True, slots=True)
class Transfer:
    """Tokens to move, and the blocks that hold them.

    Attributes:
        start: first token.
        end: one after the last.
        skip: tokens at the start that must not be written: other requests may be reading their blocks.
        blocks: for each group of blocks the places in the request's list of blocks, first and one after the last.
    """

    start: int
    end: int
    skip: int
    blocks: tuple[tuple[int, int], ...]


def _transfer(start: int, end: int, skip: int, spans: Iterable[int]) -> Transfer:
    return Transfer(start, end, skip, tuple((start // s, end // s) if s else (0, 0) for s in spans))


def to_load(engine_hit: int, cache_hit: int, chunk: int, spans: Iterable[int]) -> Transfer | None:
    """Returns what to load into the engine, or None.

    The engine has the first `engine_hit` tokens itself. Loading starts at the chunk in which these end, so it may
    cover some tokens twice; they are skipped.

    Args:
        engine_hit: tokens that the engine's own prefix cache has.
        cache_hit: tokens that LMCache has, a multiple of the chunk.
        chunk: tokens in a chunk.
        spans: tokens in a block, for each group.
    """
    if cache_hit <= engine_hit:
        return None
    start = engine_hit // chunk * chunk
    return _transfer(start, cache_hit, engine_hit - start, spans)


def to_store(
    stored: int,
    prompt: int,
    tokens: int,
    scheduled: int,
    hit: int,
    allocated: Iterable[int],
    chunk: int,
    spans: Iterable[int],
) -> Transfer | None:
    """Returns what to store after a step, or None. Only whole chunks, and only what will have been computed.

    Args:
        stored: tokens that are stored already.
        prompt: tokens in the prompt; what is generated after it is not stored.
        tokens: tokens known so far, prompt and generated.
        scheduled: tokens given to the model so far.
        hit: the larger of the engine's and LMCache's hit. Both count from the first token, so they do not add up.
        allocated: blocks allocated, for each group.
        chunk: tokens in a chunk.
        spans: tokens in a block, for each group.
    """
    spans = list(spans)
    held = min(count * s for count, s in zip(allocated, spans, strict=True) if s)
    whole = (min(tokens, prompt, held, scheduled + hit) - stored) // chunk * chunk
    return _transfer(stored, stored + whole, 0, spans) if whole > 0 else None
