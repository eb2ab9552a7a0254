"""Upstream's KV cache manager with full attention against the model: block tables, hits, admission, no leak."""

from typing import Any

from annotator.probes.contract import CannotAdapt, Context
from annotator.probes.reference.attention_groups import Group
from annotator.probes.reference.block_pool import BlockPool, ReturnRule
from annotator.probes.reference.kv_cache import KVCache, Request
from annotator.probes.rigs.kv_cache import (
    Requests,
    find,
    free_order,
    hit,
    make_manager,
    tables,
    users,
)
from annotator.probes.sequences import Findings, Operation, Run, weighted

BLOCK_SIZE = 2
BLOCKS = 9
WATERMARK = 0.25


def prompt(family: int, length: int) -> list[int]:
    """A prompt; those of one family start alike, and all families share their first three tokens."""
    return [
        position if position < 3 else 100 * (family + 1) + position for position in range(length)
    ]


def observe_kv_cache(context: Context, findings: Findings, rule: ReturnRule) -> None:
    """Tests the checks about a request's block table."""
    from hypothesis import strategies as st

    _observe_three_requests(context)
    index, chunk = st.integers(0, 3), st.integers(1, 8)
    arrive = st.tuples(
        st.just("arrive"),
        st.integers(0, 1),
        st.integers(1, 9),
        chunk,
        st.sampled_from(["", "late"]),
    )
    operations = weighted(
        (4, arrive),
        (4, st.tuples(st.just("step"), index, chunk, st.integers(0, 2))),
        (2, st.tuples(st.just("finish"), index)),
        (1, st.tuples(st.just("restart"), index)),
        (1, st.tuples(st.just("reset"))),
    )

    def without_watermark(sequence: list[Operation], run: Run) -> None:
        _Lives(context, rule, run, None).live(sequence)

    def with_watermark(sequence: list[Operation], run: Run) -> None:
        _Lives(context, rule, run, WATERMARK).live(sequence)

    findings.explore("block tables", operations, without_watermark)
    try:
        make_manager(
            context,
            [Group(BLOCK_SIZE)],
            BLOCKS,
            hash_block_size=BLOCK_SIZE,
            alignment=BLOCK_SIZE,
            watermark=WATERMARK,
        )
    except CannotAdapt:
        context.not_applicable("watermark-on-waiting", "this release has no watermark")
    else:
        findings.explore("block tables with a watermark", operations, with_watermark)


def _observe_three_requests(context: Context) -> None:
    """A of two full blocks, B and C of one block each that never fills; they end in the order B, C, A."""
    requests = Requests(context, BLOCK_SIZE)
    manager = make_manager(
        context, [Group(BLOCK_SIZE)], 7, hash_block_size=BLOCK_SIZE, alignment=BLOCK_SIZE
    )
    made = {
        name: requests.make(name, tokens)
        for name, tokens in {"A": [1, 2, 3, 4], "B": [5], "C": [6]}.items()
    }
    for request in made.values():
        manager.allocate_slots(request, request.num_tokens)
    for name in "BCA":
        manager.free(made[name])
    context.saw("free-order.three-requests", free_order(manager.block_pool))


class _Lives:
    """Requests that live on upstream's manager and on the model, in step."""

    def __init__(
        self, context: Context, rule: ReturnRule, run: Run, watermark: float | None
    ) -> None:
        self.run = run
        self.requests = Requests(context, BLOCK_SIZE)
        self.manager = make_manager(
            context,
            [Group(BLOCK_SIZE)],
            BLOCKS,
            hash_block_size=BLOCK_SIZE,
            alignment=BLOCK_SIZE,
            watermark=watermark,
        )
        self.pool = self.manager.block_pool
        self.model = KVCache(BlockPool(BLOCKS, rule), BLOCK_SIZE, int((watermark or 0) * BLOCKS))
        self.admission_check = "all-or-nothing" if watermark is None else "watermark-on-waiting"
        self.living: list[tuple[Any, Request]] = []
        self.born = 0

    def live(self, sequence: list[Operation]) -> None:
        for operation in sequence:
            self.do(operation)
            self.run.stop_if_parted()
        for request, model in self.living:
            self.manager.free(request)
            self.model.release(model)
        self.run.expect(
            "no-leak",
            sorted(free_order(self.pool)),
            list(range(1, BLOCKS)),
            "free when all have ended",
        )
        self.run.expect("no-leak", sum(users(self.pool)), 0, "references when all have ended")

    def do(self, operation: Operation) -> None:
        name, *rest = operation
        if name == "arrive":
            family, length, chunk, late = rest
            self.born += 1
            tokens = prompt(family, length)
            self._admit(
                self.requests.make(f"r{self.born}", tokens), Request(tokens), chunk, late == "late"
            )
        elif name == "reset":
            self.run.expect(
                "reset-needs-idle",
                self.manager.reset_prefix_cache(),
                self.model.pool.reset(),
                "reset",
            )
        elif self.living:
            request, model = self.living[rest[0] % len(self.living)]
            if name == "step":
                self._step(request, model, rest[1], rest[2])
                return
            self.living.remove((request, model))
            self._end(request, model)
            if name == "restart":
                self._admit(request, model, len(model.tokens), False)

    def _admit(self, request: Any, model: Request, chunk: int, late: bool) -> None:
        """A request without blocks: look for a hit, then allocate for its first tokens."""
        from vllm.v1.request import RequestStatus

        request.status = RequestStatus.WAITING
        request.num_computed_tokens = 0
        blocks, hit_tokens = hit(self.manager, request)
        expected_hit = self.model.hit(model.tokens)
        expect = self.run.expect
        expect(
            "last-token-recomputed",
            hit_tokens < len(model.tokens),
            True,
            f"hit {hit_tokens} leaves a token",
        )
        expect("hit-is-longest-prefix", list(blocks.get_block_ids()[0]), expected_hit, "hit")
        expect("hit-is-longest-prefix", hit_tokens, len(expected_hit) * BLOCK_SIZE, "tokens hit")
        self.run.stop_if_parted()
        new = min(chunk, len(model.tokens) - hit_tokens)
        got = self.manager.allocate_slots(
            request,
            new,
            num_new_computed_tokens=hit_tokens,
            new_computed_blocks=blocks,
            delay_cache_blocks=late,
        )
        taken = self.model.grow(model, new, expected_hit, register=not late, beside_others=True)
        self._compare(request, model, got, taken, "admitting")
        if got is None:
            return
        request.status = RequestStatus.RUNNING
        request.num_computed_tokens = hit_tokens + new
        model.computed += new
        self.living.append((request, model))

    def _step(self, request: Any, model: Request, chunk: int, ahead: int) -> None:
        """A request with blocks: the next chunk of its prompt, or one generated token."""
        if model.computed == len(model.tokens):
            request.append_output_token_ids(7)
            model.tokens.append(7)
        new = min(chunk, len(model.tokens) - model.computed)
        got = self.manager.allocate_slots(request, new, num_lookahead_tokens=ahead)
        taken = self.model.grow(model, new, ahead=ahead)
        self._compare(request, model, got, taken, "a step")
        if got is not None:
            request.num_computed_tokens += new
            model.computed += new

    def _end(self, request: Any, model: Request) -> None:
        self.manager.free(request)
        self.model.release(model)
        self.run.expect(
            "freed-tail-first",
            free_order(self.pool),
            self.model.pool.free.order,
            "free after an end",
        )
        self.run.expect(
            "counts-references", users(self.pool), self.model.pool.users, "users after an end"
        )

    def _compare(
        self, request: Any, model: Request, got: Any, taken: list[int] | None, what: str
    ) -> None:
        expect, pool = self.run.expect, self.model.pool
        check = self.admission_check if what == "admitting" else "all-or-nothing"
        expect(
            check,
            got is not None,
            taken is not None,
            f"{what} succeeds with {len(pool.free.order)} free",
        )
        table = tables(self.manager, request.request_id)[0]
        if got is None:
            expect("all-or-nothing", table, model.table, "table after a refusal")
        expect("blocks-on-demand", len(table), len(model.table), f"blocks held after {what}")
        expect("hands-out-head", table, model.table, f"table after {what}")
        expect("hands-out-head", free_order(self.pool), pool.free.order, f"free after {what}")
        expect("counts-references", users(self.pool), pool.users, f"users after {what}")
        full = len(model.tokens) // BLOCK_SIZE
        expect(
            "registered-before-forward",
            [find(self.pool, request.block_hashes[index]) for index in range(full)],
            [pool.find(tuple(model.tokens[: (index + 1) * BLOCK_SIZE])) for index in range(full)],
            f"where its full blocks are found after {what}",
        )
