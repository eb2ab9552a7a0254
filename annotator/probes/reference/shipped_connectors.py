"""What connectors answer when the scheduler asks how many more tokens can be loaded, and whether blocks are kept.

Two kinds. A *point-to-point* connector (NIXL, Mooncake's transfer engine) fetches KV that one named peer holds for this
very request, and somebody, a router, has to say so in the request's parameters. A *store* (Mooncake Store) is asked by
content: the block hashes alone decide, for whoever asks.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

Answer = tuple[int, bool]
"""How many tokens more than are computed can be loaded, and whether that happens between steps."""

NOTHING: Answer = (0, False)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as a point-to-point connector sees it.

    Attributes:
        prompt: its length in tokens.
        computed: how many of them the local cache has.
        prefilled_elsewhere: whether the router says that a peer has computed the prompt (`do_remote_prefill`).
        decoded_elsewhere: how many tokens a decoding peer has of an earlier turn; None if none is named.
    """

    prompt: int
    computed: int
    prefilled_elsewhere: bool = False
    decoded_elsewhere: int | None = None


def offered_by_peer(asked: Asked, *, two_way: bool = False, worth: int = 0) -> Answer:
    """What a point-to-point connector answers.

    Args:
        asked: the request.
        two_way: whether it also takes back what a decoding peer has computed (NIXL does).
        worth: fewer tokens than this are computed again instead; applies to the way back only.
    """
    if asked.prefilled_elsewhere and asked.prompt > asked.computed:
        return asked.prompt - asked.computed, True
    if two_way and asked.decoded_elsewhere:
        more = min(asked.decoded_elsewhere, asked.prompt) - asked.computed
        if more > 0 and more >= worth:
            return more, True
    return NOTHING


def offered_by_store(
    hashes: Sequence[bytes], stored: Collection[bytes], block_size: int, computed: int
) -> Answer:
    """What a store's connector answers: the unbroken run of stored blocks from the start, beyond what is computed."""
    run = next((i for i, each in enumerate(hashes) if each not in stored), len(hashes))
    more = run * block_size - computed
    return (more, True) if more > 0 else NOTHING


def keeps_blocks(*, ended_by_itself: bool, to_be_decoded_elsewhere: bool) -> bool:
    """Whether a peer that has computed a prompt keeps its blocks when the request ends: only for somebody to fetch them.

    Args:
        ended_by_itself: at its length or a stop, not aborted and not failed.
        to_be_decoded_elsewhere: whether the router said so (`do_remote_decode`).
    """
    return ended_by_itself and to_be_decoded_elsewhere
