"""A KV memory that remembers what was computed into it.

The purpose of all the bookkeeping is one sentence: *when a request attends to a position, the slot that its block
table names holds the KV of that request's own prefix.* KV depends on the whole prefix, so here a slot simply stores
the prefix. A block evicted while in use, a hit on the wrong block, a reference lost: each makes a request read
something that is not its own.
"""

from collections.abc import Sequence

from annotator.probes.reference.block_pool import BlockPool

Slot = tuple[int, int]
"""Block and offset in it."""


class KVMemory:
    """Slots of one group of layers."""

    def __init__(self) -> None:
        self.slots: dict[Slot, tuple[int, ...]] = {}

    def compute(
        self, tokens: Sequence[int], table: Sequence[int], block_size: int, start: int, end: int
    ) -> None:
        """Runs the model on the tokens at positions `start` to `end`: their KV goes to the slots the table names."""
        for position in range(start, end):
            slot = self._slot(table, block_size, position)
            if slot[0] != BlockPool.NULL:  # what is written to the null block is lost
                self.slots[slot] = tuple(tokens[: position + 1])

    def first_foreign(
        self, tokens: Sequence[int], table: Sequence[int], block_size: int, start: int, end: int
    ) -> int | None:
        """The first position from `start` to `end` whose slot does not hold this request's own prefix, if any."""
        for position in range(start, end):
            if self.slots.get(self._slot(table, block_size, position)) != tuple(
                tokens[: position + 1]
            ):
                return position
        return None

    @staticmethod
    def _slot(table: Sequence[int], block_size: int, position: int) -> Slot:
        return table[position // block_size], position % block_size
