"""The queue of free blocks, as a plain list.

Upstream threads a doubly linked list through the blocks themselves, because a prefix hit has to pull a block out of
the middle in constant time. What that list *means* fits in this file: the block at the head is handed out next, so
whatever joins at the tail keeps its content for longest.
"""

from collections.abc import Iterable


class NotEnoughBlocks(Exception):
    """More blocks were asked for than are free. Nothing has changed."""


class FreeQueue:
    """Blocks that nobody uses, in the order in which they will be handed out.

    Attributes:
        order: block numbers; the first is handed out next.
    """

    def __init__(self, blocks: Iterable[int]) -> None:
        self.order = list(blocks)

    def take(self, count: int) -> list[int]:
        """Hands out the blocks at the head.

        Raises:
            NotEnoughBlocks: if fewer are free.
        """
        if count > len(self.order):
            raise NotEnoughBlocks(f"{count} asked for, {len(self.order)} free")
        taken, self.order = self.order[:count], self.order[count:]
        return taken

    def unlink(self, block: int) -> None:
        """Takes one block out of the queue, wherever it stands: somebody found its content and uses it again."""
        self.order.remove(block)

    def to_tail(self, blocks: Iterable[int]) -> None:
        """Queues blocks behind all others; the first given is the first of them to be handed out."""
        self.order = [*self.order, *blocks]

    def to_head(self, blocks: Iterable[int]) -> None:
        """Puts blocks before all others; the first given becomes the head."""
        self.order = [*blocks, *self.order]
