"""One step of continuous batching: who computes how many tokens, and who has to give way.

There is no prefill phase and no decode phase. Each request has tokens, and some of them are computed; a step hands
out a budget of tokens so that the computed ones catch up. A request that is one token behind decodes, one that is
further behind prefills, and a prompt longer than what is left of the budget is computed in chunks.

The order of a step:

1. Requests that run already, in the order in which they were admitted, get what they lack. If there are no blocks for
   one of them, the *last* admitted (or, under the priority policy, the least urgent) gives all its blocks back and
   waits again; what it had computed is lost but for what the prefix cache still holds when it returns.
2. If nobody was preempted, waiting requests are admitted from the front of the queue while budget, seats and blocks
   last. The first that does not fit ends the step, even if one behind it would fit.
"""

from dataclasses import dataclass, field
from typing import Literal

from annotator.probes.reference import kv_cache
from annotator.probes.reference.kv_cache import KVCache

Policy = Literal["fcfs", "priority"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a scheduler is configured with.

    Attributes:
        budget: the most tokens in a step.
        seats: the most requests that run at once.
        policy: first come first served, or by priority.
        chunked: whether a prompt may be split over steps.
        whole_prompt_must_fit: admit only if there are blocks for the whole request, not just for its first chunk.
        step_goes_on: whether the others still get their turn after a request preempted itself (priority policy).
    """

    budget: int
    seats: int
    policy: Policy = "fcfs"
    chunked: bool = True
    whole_prompt_must_fit: bool = False
    step_goes_on: bool = True


@dataclass(slots=True, eq=False)
class Request(kv_cache.Request):
    """A request as the scheduler sees it.

    Attributes:
        name: of the request.
        priority: the smaller, the more urgent.
        arrival: when it came.
        prompt: length of its prompt.
        outputs: how many tokens it generates.
    """

    name: str = ""
    priority: int = 0
    arrival: float = 0.0
    prompt: int = 0
    outputs: int = 1

    @property
    def urgency(self) -> tuple[int, float]:
        """What the priority policy sorts by, the most urgent first."""
        return self.priority, self.arrival

    @property
    def lacks(self) -> int:
        """How many of its tokens are not computed."""
        return len(self.tokens) - self.computed

    @property
    def finished(self) -> bool:
        """Whether it has generated all it may."""
        return len(self.tokens) == self.prompt + self.outputs


@dataclass(slots=True)
class Step:
    """What a step decided.

    Attributes:
        tokens: request → how many tokens it computes, in the order in which they were decided.
        preempted: those that gave way, in order.
        admitted: those that left the waiting queue, in order.
    """

    tokens: dict[str, int] = field(default_factory=dict)
    preempted: list[str] = field(default_factory=list)
    admitted: list[str] = field(default_factory=list)


class Scheduler:
    """Requests, waiting and running, over one KV cache.

    Attributes:
        waiting: the next to be admitted first.
        running: the first admitted first.
    """

    def __init__(self, cache: KVCache, limits: Limits) -> None:
        self.cache = cache
        self.limits = limits
        self.waiting: list[Request] = []
        self.running: list[Request] = []

    def add(self, request: Request) -> None:
        """A new request waits behind the others, or where its priority puts it."""
        self.waiting.append(request)
        self._sort()

    def step(self) -> Step:
        """Decides one step and counts its tokens as computed."""
        step = Step()
        self._serve_running(step)
        if not step.preempted:
            self._admit(step)
        for request in self.running:
            request.computed += step.tokens.get(request.name, 0)
        return step

    def sample(self, step: Step, token: int) -> list[Request]:
        """The model has run: each request that has caught up gets its next token.

        Returns:
            Those that are finished by it; their blocks are free.
        """
        finished = []
        for request in [
            each for each in self.running if each.name in step.tokens and each.lacks == 0
        ]:
            request.tokens.append(token)
            if request.finished:
                finished.append(request)
                self.end(request)
        return finished

    def end(self, request: Request) -> None:
        """A request is done, or nobody wants it any more."""
        (self.running if request in self.running else self.waiting).remove(request)
        self.cache.release(request)

    def _serve_running(self, step: Step) -> None:
        for request in list(self.running):
            if self._left(step) == 0:
                return
            if request not in self.running:
                continue  # it gave way to one before it
            new = min(request.lacks, self._left(step))
            if self._make_room(request, new, step):
                step.tokens[request.name] = new
            elif self.limits.policy == "fcfs" or not self.limits.step_goes_on:
                return

    def _make_room(self, request: Request, new: int, step: Step) -> bool:
        """Preempts until a request has its blocks, or had to give way itself."""
        while self.cache.grow(request, new) is None:
            victim = self._victim()
            self._preempt(victim, step)
            if victim is request:
                return False
        return True

    def _admit(self, step: Step) -> None:
        while self.waiting and self._left(step) > 0 and len(self.running) < self.limits.seats:
            request = self.waiting[0]
            hit = self.cache.hit(request.tokens)
            lacks = request.lacks - len(hit) * self.cache.block_size
            if lacks > self._left(step) and not self.limits.chunked:
                return
            new = min(lacks, self._left(step))
            beside_others, all_must_fit = bool(self.running), self.limits.whole_prompt_must_fit
            if (
                self.cache.grow(
                    request, new, hit, beside_others=beside_others, all_must_fit=all_must_fit
                )
                is None
            ):
                return
            self.running.append(self.waiting.pop(0))
            step.tokens[request.name] = new
            step.admitted.append(request.name)

    def _left(self, step: Step) -> int:
        return self.limits.budget - sum(step.tokens.values())

    def _victim(self) -> Request:
        if self.limits.policy == "priority":
            return max(self.running, key=lambda request: request.urgency)
        return self.running[-1]

    def _preempt(self, request: Request, step: Step) -> None:
        """Takes everything from a request but its tokens: those it generated are kept, their KV is not."""
        self.running.remove(request)
        step.tokens.pop(
            request.name, None
        )  # it may have had its turn in this step: the budget gets that back
        step.preempted.append(request.name)
        self.cache.release(request)
        self.waiting.insert(0, request)
        self._sort()

    def _sort(self) -> None:
        if self.limits.policy == "priority":
            self.waiting.sort(key=lambda request: request.urgency)
