"""How an engine counts its prefix cache hits: what is added to which counter, and when.

A hit rate is a quotient, and everything depends on the denominator. Three things surprise people:

- Everything is counted in **tokens**. A request adds *all* its tokens to the queries, although a hit ends at a block
  boundary and can never cover the last token; so the rate of a workload that is cached as well as can be stays below 1.
- A request counts **once, when it is admitted**, however often it was looked up while it waited for room. A request that
  comes back after a preemption is counted apart: it would find its own blocks and make the cache look better than
  it is. A request that asked not to read the cache is not counted.
- What a connector brings has counters of its own, whose denominator is **what the local cache did not have**. The two
  rates can be neither added nor compared.
"""

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counters:
    """What has been counted so far.

    Attributes:
        queries: tokens of admitted requests.
        hits: those of them that were in the local prefix cache.
        external_queries: tokens that were not, where there is a connector.
        external_hits: those of them that the connector brought.
        again_queries: tokens of requests that came back after a preemption.
        again_hits: those of them that were in the local prefix cache.
        preemptions: how often a running request had to give way.
    """

    queries: int = 0
    hits: int = 0
    external_queries: int = 0
    external_hits: int = 0
    again_queries: int = 0
    again_hits: int = 0
    preemptions: int = 0

    def admit(
        self,
        tokens: int,
        local: int,
        external: int | None = None,
        *,
        again: bool = False,
        reads: bool = True,
    ) -> None:
        """A waiting request starts to run, or to load.

        Args:
            tokens: all it has: its prompt, and what it generated before a preemption.
            local: how many were in the local prefix cache.
            external: how many a connector brings; None without a connector.
            again: whether it was preempted before.
            reads: whether it may read the cache.
        """
        if again:
            self.again_queries += tokens
            self.again_hits += local
            return
        if reads:
            self.queries += tokens
            self.hits += local
        if external is not None:
            self.external_queries += tokens - local
            self.external_hits += external


@dataclass(slots=True)
class RecentRate:
    """The hit rate in the log: that of the most recent requests, not of all since the start.

    Counted in batches, as they come; the latest batch stays even if it alone has more requests than are remembered.

    Attributes:
        remembered: how many requests.
        batches: requests, queries and hits of each batch, the oldest first.
    """

    remembered: int
    batches: deque[tuple[int, int, int]] = field(default_factory=deque)

    def add(self, requests: int, queries: int, hits: int) -> None:
        """One batch more; the oldest go while more requests are held than are to be remembered."""
        if requests == 0:
            return
        self.batches.append((requests, queries, hits))
        while len(self.batches) > 1 and sum(b[0] for b in self.batches) > self.remembered:
            self.batches.popleft()

    def reset(self) -> None:
        """The cache was emptied: the rate starts anew. The counters above never go back."""
        self.batches.clear()

    def rate(self) -> float:
        """Hits by queries; 0 when nothing was asked."""
        queries = sum(b[1] for b in self.batches)
        return sum(b[2] for b in self.batches) / queries if queries else 0.0
