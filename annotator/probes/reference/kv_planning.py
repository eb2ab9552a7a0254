"""How much KV memory a layer takes, and how layers share it.

A *page* is one block of one layer. The pool hands out the same block to layers of every kind, so all layers must have
pages of the same size, and a block table serves as many layers as there are in a *group*. How a model's layers are cut
into groups decides how much memory is padding.
"""

from collections.abc import Sequence

from annotator.probes.reference.kv_cache import blocks_for

PADDING_PAYS_BELOW = 1.5
"""Ratio of the most layers of a kind to the fewest up to which all kinds are padded to the most."""


def page_bytes(tokens: int, heads: int, head_size: int, value_bytes: int) -> int:
    """Bytes of a block of one layer: a key and a value of every head for each token."""
    return 2 * tokens * heads * head_size * value_bytes


def most_window_blocks(window: int, in_flight: int, longest: int, block_size: int) -> int:
    """The most blocks that a request holds for a sliding window.

    Args:
        window: how many tokens a token sees, itself included.
        in_flight: the most tokens that are scheduled and not yet computed.
        longest: the longest request.
        block_size: tokens in a block.
    """
    tokens = min(window - 1 + in_flight, longest)
    return blocks_for(tokens, block_size) + 1  # + 1: the window need not start a block


def group_size(layers_of_kind: Sequence[int]) -> int:
    """How many layers share a block table, given how many layers there are of each kind."""
    fewest, most = min(layers_of_kind), max(layers_of_kind)
    return most if most < fewest * PADDING_PAYS_BELOW else fewest


def number_of_groups(layers_of_kind: Sequence[int]) -> int:
    """How many block tables a request has: each kind is cut into groups, the last of them padded."""
    size = group_size(layers_of_kind)
    return sum(blocks_for(layers, size) for layers in layers_of_kind)


def common_blocks(alone: Sequence[int]) -> int:
    """How many blocks workers have together, given how many each would have: one scheduler serves all of them."""
    return min(alone)
