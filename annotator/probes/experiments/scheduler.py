"""Upstream's scheduler against the model, step by step, with requests that come, finish and are aborted."""

from dataclasses import dataclass, replace
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.experiments.kv_cache import prompt
from annotator.probes.reference.block_pool import BlockPool, ReturnRule
from annotator.probes.reference.kv_cache import KVCache
from annotator.probes.reference.scheduler import Limits, Request, Scheduler
from annotator.probes.rigs.kv_cache import free_order, tables, users
from annotator.probes.rigs.vllm_scheduler import Decision, Rig, Settings
from annotator.probes.sequences import Findings, Operation, Run, weighted

BLOCK_SIZE = 2
BLOCKS = 10
SETTINGS = Settings(
    BLOCKS,
    BLOCK_SIZE,
    max_num_seqs=4,
    max_num_batched_tokens=512,
    max_model_len=512,
    log_stats=False,
)
"""Of the rig that is handed in; each sequence and case changes what it is about."""
MOST_STEPS = 400
WATERMARK = 0.2
NEXT_TOKEN = 7
"""What the model that never runs always answers."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A configuration of upstream's scheduler and of the model.

    Attributes:
        limits: the model's.
        watermark: share of blocks kept free.
    """

    limits: Limits
    watermark: float = 0.0

    @property
    def settings(self) -> dict[str, Any]:
        """The same for upstream."""
        return {
            "max_num_batched_tokens": self.limits.budget,
            "max_num_seqs": self.limits.seats,
            "policy": self.limits.policy,
            "enable_chunked_prefill": self.limits.chunked,
            "long_prefill_token_threshold": 0,
            "scheduler_reserve_full_isl": self.limits.whole_prompt_must_fit,
            "watermark": self.watermark,
        }


def observe_steps(
    context: Context,
    findings: Findings,
    rig: Rig,
    rule: ReturnRule,
    *,
    step_goes_on: bool,
) -> None:
    """Tests the checks about whole steps.

    Args:
        context: who is told.
        findings: of this probe.
        rig: makes schedulers.
        rule: how blocks are given back in this release.
        step_goes_on: whether others still get their turn after a request preempted itself in this release.
    """
    from hypothesis import strategies as st

    add = st.tuples(
        st.just("add"), st.integers(0, 1), st.integers(1, 9), st.integers(1, 5), st.integers(0, 2)
    )
    step, abort = st.tuples(st.just("step")), st.tuples(st.just("abort"), st.integers(0, 3))
    operations = weighted((5, add), (6, step), (1, abort))
    first = Limits(budget=6, seats=3)
    setups = {
        "first come first served": Setup(first),
        "one seat less, one token more": Setup(replace(first, seats=2, budget=7)),
        "no chunking": Setup(replace(first, chunked=False, budget=9)),
        "priority": Setup(replace(first, policy="priority", seats=4, step_goes_on=step_goes_on)),
    }
    if rig.knows("scheduler_reserve_full_isl"):
        setups["whole prompt must fit"] = Setup(replace(first, whole_prompt_must_fit=True))
    if rig.knows("watermark"):
        setups["watermark"] = Setup(first, WATERMARK)
    context.saw(
        "scheduler.settings", [name for name in setups["priority"].settings if rig.knows(name)]
    )
    for name, setup in setups.items():

        def runner(sequence: list[Operation], run: Run, setup: Setup = setup) -> None:
            _Schedulers(rig, setup, rule, run).live(sequence)

        findings.explore(name, operations, runner, longest=30)


class _Schedulers:
    """Upstream's scheduler and the model, in step."""

    def __init__(self, rig: Rig, setup: Setup, rule: ReturnRule, run: Run) -> None:
        self.run = run
        self.limits = setup.limits
        settings = {name: value for name, value in setup.settings.items() if rig.knows(name)}
        rig.renew(blocks=BLOCKS, **settings)
        self.rig, self.upstream = rig, rig.scheduler
        cache = KVCache(BlockPool(BLOCKS, rule), BLOCK_SIZE, int(setup.watermark * BLOCKS))
        self.model = Scheduler(cache, setup.limits)
        self.made: dict[str, Any] = {}
        self.aborted: set[str] = set()

    def live(self, sequence: list[Operation]) -> None:
        for name, *rest in sequence:
            if name == "add":
                self._add(*rest)
            elif name == "step":
                self._step()
            else:
                self._abort(rest[0])
            self.run.stop_if_parted()
        for _ in range(MOST_STEPS):
            if not self.upstream.has_unfinished_requests():
                break
            self._step()
            self.run.stop_if_parted()
        self._compare_end()

    def _add(self, family: int, length: int, outputs: int, priority: int) -> None:
        name, tokens = f"r{len(self.made) + 1}", prompt(family, length)
        arrival = float(len(self.made))
        self.made[name] = self.rig.add(
            name, tokens, outputs=outputs, priority=priority, arrival=arrival
        )
        self.model.add(
            Request(
                tokens,
                name=name,
                priority=priority,
                arrival=arrival,
                prompt=length,
                outputs=outputs,
            )
        )

    def _abort(self, which: int) -> None:
        from vllm.v1.request import RequestStatus

        living = [*self.model.running, *self.model.waiting]
        if living:
            request = living[which % len(living)]
            self.aborted.add(request.name)
            self.upstream.finish_requests(request.name, RequestStatus.FINISHED_ABORTED)
            self.model.end(request)

    def _step(self) -> None:
        run_before, wait_before = self.rig.running(), self.rig.waiting()
        lacks = {
            name: each.num_tokens - each.num_computed_tokens
            for name, each in self.upstream.requests.items()
        }
        decision = self.rig.schedule()
        step = self.model.step()
        self._compare_limits(decision)
        self._compare_order(decision, run_before, wait_before, lacks)
        self._compare_preemption(decision, run_before)
        expect = self.run.expect
        expect("steps-as-predicted", decision.tokens, step.tokens, "tokens of a step")
        expect("steps-as-predicted", list(decision.tokens), list(step.tokens), "order of a step")
        expect("steps-as-predicted", decision.preempted, set(step.preempted), "preempted in a step")
        self._compare_queues()
        self.run.stop_if_parted()
        self.rig.update(
            decision.raw,
            lambda each: [] if each.num_computed_tokens < each.num_tokens else [NEXT_TOKEN],
        )
        self.model.sample(step, NEXT_TOKEN)
        self._compare_queues()

    def _compare_limits(self, decision: Decision) -> None:
        total = sum(decision.tokens.values())
        self.run.expect(
            "budget-kept", total <= self.limits.budget, True, f"{total} tokens in a step"
        )
        self.run.expect("total-is-sum", decision.total, total, "total of a step")
        seated = len(self.rig.running())
        self.run.expect("seats-kept", seated <= self.limits.seats, True, f"{seated} requests run")

    def _compare_order(
        self,
        decision: Decision,
        run_before: list[str],
        wait_before: list[str],
        lacks: dict[str, int],
    ) -> None:
        expect, tokens = self.run.expect, decision.tokens
        admitted = [name for name in tokens if name not in run_before]
        short = [
            name
            for name in run_before
            if tokens.get(name, 0) < lacks[name] and name not in decision.preempted
        ]
        if admitted:
            expect("running-first", short, [], f"short of tokens while {admitted} are admitted")
            by_priority = self.limits.policy == "priority"
            # Who was preempted came before all who wait, so that the order of arrival is that of the queue.
            queue = sorted(wait_before, key=self._urgency if by_priority else self._arrival)
            check = "urgent-first" if by_priority else "first-come-first-served"
            expect(check, admitted, queue[: len(admitted)], f"admitted of {wait_before}")
        after = self.rig.computed()
        cut = [name for name in tokens if after[name] < self.made[name].num_tokens]
        if not self.limits.chunked:
            expect("prefill-in-chunks", cut, [], "computed in part, without chunking")
        elif cut:
            left = self.limits.budget - sum(tokens.values())
            expect("prefill-in-chunks", left, 0, f"budget left though {cut} are computed in part")

    def _arrival(self, name: str) -> float:
        return float(self.made[name].arrival_time)

    def _urgency(self, name: str) -> tuple[int, float]:
        return self.made[name].priority, self.made[name].arrival_time

    def _compare_preemption(self, decision: Decision, run_before: list[str]) -> None:
        gave_way = decision.preempted
        if not gave_way:
            return
        expect, count = self.run.expect, len(gave_way)
        admitted = [name for name in decision.tokens if name not in run_before or name in gave_way]
        expect(
            "preempting-step-admits-none",
            admitted,
            [],
            f"admitted in a step that preempts {sorted(gave_way)}",
        )
        if self.limits.policy == "priority":
            least_urgent = sorted(run_before, key=self._urgency)[-count:]
            expect(
                "preempts-least-urgent", gave_way, set(least_urgent), f"preempted of {run_before}"
            )
        else:
            expect(
                "preempts-last", gave_way, set(run_before[-count:]), f"preempted of {run_before}"
            )
            expected = [name for name in run_before if name in gave_way]
            expect(
                "preempted-starts-over",
                self.rig.waiting()[:count],
                expected,
                "front of the queue",
            )
        manager = self.upstream.kv_cache_manager
        kept = {
            name: (self.rig.computed()[name], tables(manager, name)[0]) for name in sorted(gave_way)
        }
        expect(
            "preempted-starts-over",
            kept,
            dict.fromkeys(kept, (0, [])),
            "tokens and blocks a preempted one keeps",
        )

    def _compare_queues(self) -> None:
        expect, model = self.run.expect, self.model
        expect(
            "steps-as-predicted",
            self.rig.running(),
            [each.name for each in model.running],
            "running",
        )
        expect(
            "steps-as-predicted",
            sorted(self.rig.waiting()),
            sorted(r.name for r in model.waiting),
            "waiting",
        )
        expect(
            "steps-as-predicted",
            {
                each.name: self.upstream.requests[each.name].num_computed_tokens
                for each in model.running
            },
            {each.name: each.computed for each in model.running},
            "computed tokens",
        )
        expect(
            "steps-as-predicted",
            {
                each.name: tables(self.upstream.kv_cache_manager, each.name)[0]
                for each in model.running
            },
            {each.name: each.table for each in model.running},
            "block tables",
        )

    def _compare_end(self) -> None:
        generated = {
            name: len(r.output_token_ids)
            for name, r in self.made.items()
            if name not in self.aborted
        }
        expected = {name: self.made[name].max_tokens for name in generated}
        self.run.expect(
            "all-finish", generated, expected, f"tokens generated within {MOST_STEPS} steps"
        )
        pool = self.upstream.kv_cache_manager.block_pool
        self.run.expect(
            "no-leak", sorted(free_order(pool)), list(range(1, BLOCKS)), "free when all have ended"
        )
        self.run.expect("no-leak", sum(users(pool)), 0, "references when all have ended")
