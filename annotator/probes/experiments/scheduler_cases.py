"""Cases of scheduling worth a look of their own: told as observations, so that releases can be compared."""

from collections.abc import Callable
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.vllm_scheduler import Decision, Rig

TOKEN = 7
MOST_STEPS = 40
PLAIN = {
    "max_num_batched_tokens": 64,
    "max_num_seqs": 4,
    "policy": "fcfs",
    "enable_chunked_prefill": True,
    "long_prefill_token_threshold": 0,
    # Not in every release:
    "scheduler_reserve_full_isl": False,
    "watermark": 0.0,
}


class _Case:
    """A fresh scheduler and its requests."""

    def __init__(self, rig: Rig, blocks: int, **settings: Any) -> None:
        known = {name: value for name, value in PLAIN.items() if rig.knows(name)}
        rig.renew(blocks=blocks, **{**known, **settings})
        self.rig = rig
        self.count = 0

    def add(self, name: str, length: int, *, outputs: int = 32, **more: Any) -> Any:
        """A request whose prompt shares nothing with others."""
        self.count += 1
        tokens = [1000 * self.count + position for position in range(length)]
        return self.rig.add(name, tokens, outputs=outputs, arrival=float(self.count), **more)

    def step(self, tokens_of: Callable[[Any], list[int]] | None = None) -> Decision:
        """One step, with one token sampled for everyone who has caught up unless told otherwise."""
        return self.rig.step(tokens_of or _one_token)


def _one_token(request: Any) -> list[int]:
    return [TOKEN] if request.num_computed_tokens == request.num_tokens else []


def observe_self_preemption(context: Context, rig: Rig) -> bool:
    """The least urgent request runs first and preempts itself: is there a turn for the other in the same step?

    Returns:
        Whether there is.
    """
    case = _Case(rig, 5, policy="priority")
    case.add("lax", 3, priority=1)
    case.step()
    case.add("urgent", 4, priority=0)
    case.step()
    decision = case.step()
    context.saw("priority.preempted", sorted(decision.preempted))
    context.saw("priority.tokens-after-self-preemption", dict(decision.tokens))
    return bool(decision.tokens)


def observe_recomputation(context: Context, rig: Rig) -> None:
    """Two requests outgrow six blocks; the second gives way, returns, and starts from what is still cached."""
    case = _Case(rig, 7)
    names = {name: case.add(name, 4, outputs=6) for name in ("a", "b")}
    decisions: list[Decision] = []
    while rig.scheduler.has_unfinished_requests() and len(decisions) < MOST_STEPS:
        decisions.append(case.step())
    context.saw("preemption.steps", [dict(decision.tokens) for decision in decisions])
    context.saw("preemption.preempted", [sorted(decision.preempted) for decision in decisions])
    computed = sum(decision.total for decision in decisions)
    # The last token of a request is sampled and never computed.
    needed = sum(request.num_tokens - 1 for request in names.values())
    context.saw("preemption.tokens-computed-again", computed - needed)


def observe_long_prefills(context: Context, rig: Rig) -> None:
    """A threshold of 8 for long prompts: what it does to one of 20 tokens, alone and beside another."""
    alone = _Case(rig, 64, long_prefill_token_threshold=8)
    alone.add("a", 20)
    context.saw("long-prefill.alone", [dict(alone.step().tokens) for _ in range(3)])
    two = _Case(rig, 64, long_prefill_token_threshold=8)
    two.add("a", 20)
    two.add("b", 20)
    steps = [dict(two.step().tokens) for _ in range(3)]
    context.saw("long-prefill.two", [dict(step) for step in steps])
    most = max(max(step.values()) for step in steps)
    context.verdict(
        "long-prefill-capped", most == 8, f"threshold 8, two prompts of 20 tokens: {steps}"
    )


def observe_drafts(context: Context, rig: Rig) -> None:
    """Three draft tokens for a running request: what they cost, and what becomes of rejected ones."""
    case = _Case(rig, 64, max_num_batched_tokens=8)
    first = case.add("a", 3)
    case.add("b", 3)
    case.step()
    first.spec_token_ids = [11, 12, 13]
    before = first.num_computed_tokens
    decision = case.step(lambda request: [11, TOKEN] if request is first else [TOKEN])
    context.saw("drafts.tokens", dict(decision.tokens))
    context.verdict(
        "drafts-use-budget",
        decision.tokens == {"a": 4, "b": 1} and decision.total == 5,
        f"three drafts for a: {decision.tokens}, total {decision.total}",
    )
    kept = first.num_computed_tokens - before
    context.verdict(
        "rejected-rolled-back",
        kept == 2,
        f"four tokens computed, one of three drafts accepted: {kept} stay computed",
    )
    tight = _Case(rig, 64, max_num_batched_tokens=6)
    first = tight.add("a", 3)
    tight.add("b", 3)
    tight.step()
    first.spec_token_ids = list(range(11, 18))
    decision = rig.schedule()
    context.saw("drafts.tokens-beyond-budget", dict(decision.tokens))
    context.verdict(
        "drafts-use-budget",
        decision.total <= 6,
        f"budget 6 and seven drafts for a: {decision.tokens}",
    )


def observe_adapters(context: Context, rig: Rig) -> None:
    """One place for adapters, and four requests: two with one adapter, one with another, one with none."""
    from vllm.config.lora import LoRAConfig
    from vllm.lora.request import LoRARequest

    rig.config.lora_config = context.call(LoRAConfig, max_loras=1, required=("max_loras",))
    try:
        case = _Case(rig, 64)
        one, other = LoRARequest("one", 1, "/one"), LoRARequest("other", 2, "/other")
        for name, adapter in (("a", one), ("b", other), ("c", None), ("d", one)):
            case.add(name, 3, outputs=2, adapter=adapter)
        steps = [sorted(case.step().tokens) for _ in range(4)]
    finally:
        rig.config.lora_config = None
    context.saw("adapters.steps", [list(step) for step in steps])
    context.verdict(
        "adapters-overtaken",
        steps[0] == ["a", "c", "d"] and steps[2] == ["b"],
        f"one adapter at a time, b wants another than a and d: steps {steps}",
    )
