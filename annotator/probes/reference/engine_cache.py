"""What an engine with prefix caching does to its blocks when requests come one after another.

Small enough to predict everything that can be seen from outside: how many tokens of a prompt are not computed again,
and the stream of events by which an engine tells others (a router, a shared store) what it holds.

Two facts are easy to get wrong. The last token that a request generates is never computed, so the block it would
complete is not cached. And a prompt whose blocks are all cached is computed again from the last block boundary
*before* its last token on: the block that results has the content of one that exists already, both are kept, and both
are announced.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

from annotator.probes.reference.block_pool import BlockPool
from annotator.probes.reference.kv_cache import KVCache, Request


class Event(NamedTuple):
    """One block was registered for others to find, or its content was given up.

    Attributes:
        kind: `stored` or `removed`.
        prefix: all tokens from the start of the prompt to the end of the block: what a chained hash stands for.
    """

    kind: Literal["stored", "removed"]
    prefix: Hashable


class AnnouncingPool(BlockPool):
    """A pool that tells what it registers and what it forgets.

    Attributes:
        events: in the order in which they happened.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.events: list[Event] = []

    def register(self, block: int, content: Hashable) -> None:
        """Makes a full block findable, and says so."""
        super().register(block, content)
        self.events.append(Event("stored", content))

    def forget(self, blocks: Iterable[int]) -> None:
        """Takes away the content of blocks, and says so."""
        blocks = list(blocks)
        self.events += [Event("removed", self.content[b]) for b in blocks if b in self.content]
        super().forget(blocks)


class EngineCache:
    """An engine that runs one request at a time.

    Attributes:
        pool: its blocks.
        cache: the rules by which a request uses them.
    """

    def __init__(self, blocks: int, block_size: int) -> None:
        self.pool = AnnouncingPool(blocks)
        self.cache = KVCache(self.pool, block_size)

    def run(self, prompt: Sequence[int], output: Sequence[int]) -> int:
        """Runs one request to its end.

        Args:
            prompt: its tokens.
            output: what the model generates for it.

        Returns:
            How many tokens of the prompt were found in the cache.
        """
        request = Request(list(prompt))
        hit = self.cache.hit(prompt)
        cached = len(hit) * self.cache.block_size
        self._step(request, len(prompt) - cached, hit)
        for token in output[:-1]:
            request.tokens.append(token)
            self._step(request, 1)
        self.cache.release(request)
        return cached

    def _step(self, request: Request, new: int, hit: Sequence[int] = ()) -> None:
        taken = self.cache.grow(request, new, hit)
        if taken is None:
            raise ValueError(
                "this model runs one request at a time, and this one is too long for the pool"
            )
        request.computed += new


def decoded(events: Iterable[object]) -> list[Event]:
    """Reads an engine's events as somebody would who has nothing but them.

    A `BlockStored` carries hashes, the hash of the block before the first of them, and tokens. The prefix that a
    hash stands for is the prefix of its parent and its own tokens.

    Args:
        events: upstream's event objects, in order.

    Returns:
        One event for each block.

    Raises:
        ValueError: if an event names a parent or a block that was never announced.
    """
    prefixes: dict[object, tuple[int, ...]] = {}
    read: list[Event] = []
    for event in events:
        kind = type(event).__name__
        if kind == "BlockStored":
            parent = event.parent_block_hash  # type: ignore[attr-defined]
            if parent is not None and parent not in prefixes:
                raise ValueError("a block's parent was never announced")
            prefix = prefixes[parent] if parent is not None else ()
            tokens, size = event.token_ids, event.block_size  # type: ignore[attr-defined]
            for index, name in enumerate(event.block_hashes):  # type: ignore[attr-defined]
                prefix = (*prefix, *tokens[index * size : (index + 1) * size])
                if prefixes.setdefault(name, prefix) != prefix:
                    raise ValueError("one hash was announced for two prefixes")
                read.append(Event("stored", prefix))
        elif kind == "BlockRemoved":
            for name in event.block_hashes:  # type: ignore[attr-defined]
                if name not in prefixes:
                    raise ValueError("a block was removed that was never announced")
                read.append(Event("removed", prefixes[name]))
    return read
