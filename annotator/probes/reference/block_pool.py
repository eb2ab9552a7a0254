"""Who uses which block, what it holds, and which block is handed out next.

Three facts describe a block: how many requests use it, what content it is registered under (none while it is not
full), and, when nobody uses it, where it stands in the queue of free blocks. A free block keeps its content: it is a
*cached* block until it is handed out for something else. That is the whole of prefix caching's eviction: least
recently freed first, and never a block that somebody uses.
"""

from collections.abc import Hashable, Iterable
from typing import Literal

from annotator.probes.reference.free_queue import FreeQueue

ReturnRule = Literal["unhashed-to-head", "all-to-tail"]
"""Where a block goes that its last user gives back. `unhashed-to-head`: one with content joins the tail, one without
goes to the head, since nobody will ever look for it. `all-to-tail`: every block joins the tail."""


class BlockPool:
    """All blocks of a KV cache.

    Attributes:
        free: the queue of blocks that nobody uses.
        users: block → how many use it.
        content: block → what it is registered under.
        holders: content → the blocks that hold it, first registered first. Equal content may sit in several blocks:
            two requests that compute the same prefix at the same time both keep theirs.
    """

    NULL = 0
    """The null block: a placeholder in block tables (for a place that no longer needs a block). It is never free."""

    def __init__(self, size: int, rule: ReturnRule = "unhashed-to-head") -> None:
        self.rule = rule
        self.free = FreeQueue(range(1, size))
        self.users = [0] * size
        self.content: dict[int, Hashable] = {}
        self.holders: dict[Hashable, list[int]] = {}

    def take(self, count: int) -> list[int]:
        """Hands out blocks from the head of the queue. Each loses the content it still had: it is evicted.

        Raises:
            NotEnoughBlocks: if fewer are free; nothing has changed then.
        """
        blocks = self.free.take(count)
        self.forget(blocks)
        for block in blocks:
            self.users[block] = 1
        return blocks

    def share(self, blocks: Iterable[int]) -> None:
        """One more user for each block ("touch"). A block that was free leaves the queue; its content stays."""
        for block in blocks:
            if block == self.NULL:
                continue
            if self.users[block] == 0:
                self.free.unlink(block)
            self.users[block] += 1

    def give_back(self, blocks: Iterable[int]) -> None:
        """One user less for each block. Those without users become free, in the order given."""
        unused = []
        for block in blocks:
            if block == self.NULL:
                continue
            self.users[block] -= 1
            if self.users[block] == 0:
                unused.append(block)
        if self.rule == "all-to-tail":
            self.free.to_tail(unused)
            return
        self.free.to_head(block for block in unused if block not in self.content)
        self.free.to_tail(block for block in unused if block in self.content)

    def register(self, block: int, content: Hashable) -> None:
        """Makes a full block findable."""
        if block == self.NULL:
            return
        self.content[block] = content
        self.holders.setdefault(content, []).append(block)

    def find(self, content: Hashable) -> int | None:
        """The block to reuse for a content: of several, the one registered first."""
        holders = self.holders.get(content)
        return holders[0] if holders else None

    def forget(self, blocks: Iterable[int]) -> None:
        """Takes away the content of blocks. Users and the place in the queue stay as they are."""
        for block in blocks:
            content = self.content.pop(block, None)
            if content is None:
                continue
            self.holders[content].remove(block)
            if not self.holders[content]:
                del self.holders[content]

    def reset(self) -> bool:
        """Forgets all content, but only while no block is in use.

        Returns:
            Whether it was done.
        """
        if any(self.users):
            return False
        self.forget(list(self.content))
        return True
