"""How an engine asks several LMCache servers for a prompt, without ever waiting.

Asking takes two steps. First LOOKUP, which each server acknowledges; then, over and over, for the result. A server
answers the two out of order if it may, and "never heard of it" reads as "no hit". So no server is asked for its result
before all have acknowledged the LOOKUP.

The hit of the request is the smallest of the servers' hits. The others have locked more than anybody will read, and
these locks are given back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Lookup:
    """One request under way.

    Attributes:
        servers: whom it was sent to.
        chunk: tokens in a chunk.
        acknowledged: who has acknowledged it.
        asked: who has been asked for a result and has not answered.
        answers: who has answered what and has not been heard; None means "not yet".
        hits: chunks found by each server.
        questions: how often each server has been asked.
    """

    servers: Sequence[str]
    chunk: int
    acknowledged: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    answers: dict[str, int | None] = field(default_factory=dict)
    hits: dict[str, int] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)

    def acknowledge(self, server: str) -> None:
        """A server has the LOOKUP."""
        self.acknowledged.add(server)

    def answer(self, server: str, hit: int | None) -> None:
        """A server that was asked answers: chunks, or None for "not yet"."""
        if server in self.asked:
            self.asked.remove(server)
            self.answers[server] = hit

    def poll(self) -> int | None:
        """Asks whom it may, hears who has answered. Returns the tokens that hit, or None for "ask again"."""
        if len(self.acknowledged) < len(self.servers):
            return None
        for server in self.servers:
            if server not in self.hits and server not in self.asked and server not in self.answers:
                self.asked.add(server)
                self.questions[server] = self.questions.get(server, 0) + 1
        for server, hit in self.answers.items():
            if hit is not None:
                self.hits[server] = hit
        self.answers.clear()
        return min(self.hits.values()) * self.chunk if len(self.hits) == len(self.servers) else None

    def surplus(self) -> dict[str, tuple[int, int]]:
        """Returns for each server the tokens, first and one after the last, whose locks are given back."""
        least = min(self.hits.values(), default=0)
        return {
            s: (least * self.chunk, hit * self.chunk) for s, hit in self.hits.items() if hit > least
        }
