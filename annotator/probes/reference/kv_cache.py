"""The block table of a request: what a prefix hit gives, what a step allocates, what comes back at the end.

Full attention only: every token needs the KV of all tokens before it, so a request keeps its blocks until it ends.
Two ideas carry everything. A block's identity is the *whole prefix* up to its last token (upstream hashes it; this
model uses the tokens themselves), so equal identity means equal KV. And blocks are taken *on demand*: for the tokens
of the next step and no more; nothing is set aside for what a request may still generate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotator.probes.reference.block_pool import BlockPool


@dataclass(slots=True, eq=False)
class Request:
    """A request as the KV cache sees it. Two requests with equal tokens are still two.

    Attributes:
        tokens: its prompt and what it has generated.
        computed: how many of them have KV.
        table: its blocks, in the order of its tokens.
        registered: how many blocks of the table are findable by others.
    """

    tokens: list[int]
    computed: int = 0
    table: list[int] = field(default_factory=list)
    registered: int = 0


def blocks_for(tokens: int, block_size: int) -> int:
    """How many blocks hold that many tokens."""
    return -(-tokens // block_size)


class KVCache:
    """One pool and the rules by which requests use it.

    Attributes:
        pool: the blocks.
        block_size: tokens in a block.
        watermark: blocks kept free when a waiting request is admitted beside others, so that those which run already
            can grow for a while before somebody has to be preempted.
    """

    def __init__(self, pool: BlockPool, block_size: int, watermark: int = 0) -> None:
        self.pool = pool
        self.block_size = block_size
        self.watermark = watermark

    def hit(self, tokens: Sequence[int]) -> list[int]:
        """The longest run of cached full blocks from the start of a prompt.

        The last token is left out even when its block is cached: its KV would be there, but the model must run on at
        least one token to produce the next. Since hits end at block boundaries, that costs a whole block.
        """
        blocks: list[int] = []
        for end in range(
            self.block_size, len(tokens), self.block_size
        ):  # `end` < len(tokens): never the last token
            block = self.pool.find(tuple(tokens[:end]))
            if block is None:
                break
            blocks.append(block)
        return blocks

    def grow(
        self,
        request: Request,
        new: int,
        hit: Sequence[int] = (),
        *,
        ahead: int = 0,
        register: bool = True,
        beside_others: bool = False,
        all_must_fit: bool = False,
    ) -> list[int] | None:
        """Gives a request the blocks for its next `new` tokens: all of them or none.

        Args:
            request: who grows.
            new: tokens to be computed next.
            hit: cached blocks to start from, for a request without blocks.
            ahead: slots for speculative tokens.
            register: whether blocks that become full are findable at once, before the model has run. (Safe: whoever
                finds them runs in the same step or later.) Not when their KV is still to arrive from elsewhere.
            beside_others: a waiting request is admitted while others run: the watermark applies.
            all_must_fit: admit only if the whole of the request would fit, not just these tokens.

        Returns:
            The blocks taken, or None if there are not enough; then nothing has changed.
        """
        computed = request.computed + len(hit) * self.block_size
        watermark = self.watermark if beside_others else 0
        idle = sum(
            self.pool.users[block] == 0 for block in hit
        )  # they are free now, and will not be

        def missing(tokens: int) -> int:
            return max(0, blocks_for(tokens, self.block_size) - len(hit) - len(request.table))

        available = len(self.pool.free.order) - watermark - idle
        if all_must_fit and missing(len(request.tokens)) > available:
            return None
        needed = missing(computed + new + ahead)
        if needed > available:
            return None
        self.pool.share(hit)
        taken = self.pool.take(needed)
        request.table += [*hit, *taken]
        request.registered += len(hit)
        request.computed = computed
        if register:
            self.register(request, computed + new)
        return taken

    def register(self, request: Request, tokens: int) -> None:
        """Makes the full blocks of a request's first `tokens` tokens findable (drafts never: they may be rejected)."""
        full = min(tokens, len(request.tokens)) // self.block_size
        for index in range(request.registered, full):
            prefix = tuple(request.tokens[: (index + 1) * self.block_size])
            self.pool.register(request.table[index], prefix)
        request.registered = max(request.registered, full)

    def release(self, request: Request) -> None:
        """Gives back all blocks, the last first: a prefix is worth more to others than its continuation."""
        self.pool.give_back(reversed(request.table))
        request.table = []
        request.registered = 0
        request.computed = 0
