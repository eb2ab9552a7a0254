"""Layers that look back over different distances: what each needs, and the prefix hit that suits all of them.

A hybrid model has groups of layers, each with its own block table over one pool. A full-attention layer needs the KV
of every earlier token. A sliding-window layer needs the last `window` tokens, the current one included, so blocks
that lie wholly behind the window are given back and a null block takes their place in the table.
"""

from collections.abc import Callable
from dataclasses import dataclass

from annotator.probes.reference.kv_cache import blocks_for


@dataclass(frozen=True, slots=True)
class Group:
    """Layers of one kind.

    Attributes:
        block_size: tokens in a block.
        window: how many tokens a token sees, itself included; None for all before it.
    """

    block_size: int
    window: int | None = None


def first_needed(group: Group, computed: int) -> int:
    """The first position that the next token (at position `computed`) looks at."""
    return 0 if group.window is None else max(0, computed - group.window + 1)


def blocks_dropped(group: Group, computed: int) -> int:
    """How many blocks at the start of a table lie wholly behind the window, and are null."""
    return first_needed(group, computed) // group.block_size


def most_blocks(group: Group, step: int) -> int | None:
    """The most blocks that a request holds for a window, whatever its length; None without a window.

    Args:
        group: the layers.
        step: the most tokens computed in one step.
    """
    if group.window is None:
        return None
    return (
        blocks_for(group.window - 1 + step, group.block_size) + 1
    )  # + 1: the window need not start a block


def blocks_behind_hit(group: Group, length: int) -> range:
    """The blocks that must be cached for a hit of `length` tokens to be usable: all, or those the window reaches."""
    end = length // group.block_size
    if group.window is None:
        return range(end)
    return range(max(0, end - blocks_for(group.window - 1, group.block_size)), end)


def longest_common_hit(
    groups: list[Group], limit: int, alignment: int, is_cached: Callable[[int, int], bool]
) -> int:
    """The longest prefix that every group can start from.

    Tries every length, the longest first. (Upstream lets the groups shorten a candidate in turn until all agree; the
    result is the same, since a longer agreement cannot hide behind a shorter one.)

    Args:
        groups: the kinds of layers.
        limit: the most tokens that may be hit: one less than the request has.
        alignment: a hit is a multiple of this (the least common multiple of the block sizes).
        is_cached: whether the block with that index (second argument) is cached for that group (first argument).
    """
    for length in range(limit - limit % alignment, 0, -alignment):
        if all(
            is_cached(number, index)
            for number, group in enumerate(groups)
            for index in blocks_behind_hit(group, length)
        ):
            return length
    return 0
