"""Upstream's block pool against the model: handing out, sharing, giving back, finding, evicting, resetting."""

from collections.abc import Sequence
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.block_pool import BlockPool, ReturnRule
from annotator.probes.rigs.kv_cache import Requests, find, free_order, make_pool, users
from annotator.probes.sequences import Findings, Operation, Run, weighted

BLOCK_SIZE = 2
SIZE = 7
CONTENTS = 4


def observe_block_pool(context: Context, findings: Findings) -> ReturnRule:
    """Tests the checks about the pool itself.

    Returns:
        The rule by which this release gives blocks back, for experiments that build on it.
    """
    from hypothesis import strategies as st

    rule, seen = return_rule(context)
    context.saw("free-order.two-of-four-registered", seen)
    context.saw("free-order.rule", rule)
    if rule == "all-to-tail":
        evidence = (
            f"blocks 1 to 4 taken, 1 and 2 registered, all given back, last first: free are {seen}"
        )
        context.verdict("unhashed-to-head", False, evidence)
    context.saw("null-block.references-counted", _counts_null_references(context))
    index = st.integers(0, 3)
    content = st.integers(0, CONTENTS - 1)
    operations = weighted(
        (3, st.tuples(st.just("take"), st.integers(1, 3))),
        (4, st.tuples(st.just("register"), index, content)),
        (4, st.tuples(st.just("share"), content)),
        (4, st.tuples(st.just("give back"), index)),
        (2, st.tuples(st.just("give back all"))),
        (1, st.tuples(st.just("evict"), content)),
        (1, st.tuples(st.just("share null"))),
        (2, st.tuples(st.just("reset"))),
    )

    def runner(sequence: list[Operation], run: Run) -> None:
        pools = _Pools(context, rule, run)
        for operation in sequence:
            pools.do(operation)
            pools.compare()
            run.stop_if_parted()

    findings.explore("block pool", operations, runner, times=4)
    return rule


def return_rule(context: Context) -> tuple[ReturnRule, list[int]]:
    """Takes four blocks, registers the first two, gives all back with the last first, and looks where they go.

    Returns:
        The rule that explains it (the current one if none does), and the free blocks seen.
    """
    pools = _Pools(context, "unhashed-to-head", Run())
    blocks = pools.pool.get_new_blocks(4)
    pools.register(blocks[0], 0)
    pools.register(blocks[1], 1)
    pools.pool.free_blocks(list(reversed(blocks)))
    seen = free_order(pools.pool)
    model = BlockPool(SIZE, "all-to-tail")
    taken = model.take(4)
    model.give_back(reversed(taken))
    return ("all-to-tail" if seen == model.free.order else "unhashed-to-head"), seen


def _counts_null_references(context: Context) -> bool:
    """Whether sharing the null block raises its reference count in this release."""
    pool = make_pool(context, SIZE, BLOCK_SIZE)
    before = pool.null_block.ref_cnt
    pool.touch([pool.null_block])
    return bool(pool.null_block.ref_cnt != before)


class _Pools:
    """Upstream's pool and the model, in step."""

    def __init__(self, context: Context, rule: ReturnRule, run: Run) -> None:
        self.run = run
        self.rule = rule
        self.requests = Requests(context, BLOCK_SIZE)
        self.pool = make_pool(context, SIZE, BLOCK_SIZE)
        self.model = BlockPool(SIZE, rule)
        self.held: list[list[int]] = []
        self.last = ""
        # A content is a prompt of one full block; its request brings the hash.
        self.contents = [
            self.requests.make(f"c{number}", [number] * BLOCK_SIZE) for number in range(CONTENTS)
        ]

    def register(self, block: Any, content: int) -> None:
        self.pool.cache_full_blocks(
            request=self.contents[content],
            blocks=[block],
            num_cached_blocks=0,
            num_full_blocks=1,
            block_size=BLOCK_SIZE,
            kv_cache_group_id=0,
        )

    def do(self, operation: Operation) -> None:
        name, *numbers = operation
        self.last = name
        if name == "take" and numbers[0] <= len(self.model.free.order):
            taken = [block.block_id for block in self.pool.get_new_blocks(numbers[0])]
            self.held.append(expected := self.model.take(numbers[0]))
            self.run.expect("hands-out-head", taken, expected, "taken")
        elif name == "register" and self.held:
            self._register_all(self.held[numbers[0] % len(self.held)], numbers[1])
        elif name == "share":
            block = self.model.find(numbers[0])
            if block is not None:
                self.pool.touch(self._blocks([block]))
                self.model.share([block])
                self.held.append([block])
        elif name == "give back" and self.held:
            self._give_back(self.held.pop(numbers[0] % len(self.held)))
        elif name == "give back all":
            while self.held:
                self._give_back(self.held.pop())
        elif name == "evict":
            block = self.model.find(numbers[0])
            if block is not None:
                self.pool.evict_blocks({block})
                self.model.forget([block])
        elif name == "share null":
            self.pool.touch([self.pool.null_block])
            self.pool.free_blocks([self.pool.null_block])
        elif name == "reset":
            self.run.expect(
                "reset-needs-idle", self.pool.reset_prefix_cache(), self.model.reset(), "reset"
            )

    def _give_back(self, blocks: Sequence[int]) -> None:
        back = list(reversed(blocks))
        self.pool.free_blocks(self._blocks(back))
        self.model.give_back(back)

    def _register_all(self, blocks: Sequence[int], content: int) -> None:
        """Registers those that are not registered yet, under this content and the ones after it."""
        for block in blocks:
            if block not in self.model.content:
                self.register(self.pool.blocks[block], content % CONTENTS)
                self.model.register(block, content % CONTENTS)
                content += 1

    def _blocks(self, numbers: Sequence[int]) -> list[Any]:
        return [self.pool.blocks[number] for number in numbers]

    def compare(self) -> None:
        expect, last = self.run.expect, self.last
        order, expected = free_order(self.pool), self.model.free.order
        if last == "take":
            expect("hands-out-head", order, expected, "free after taking")
        elif last == "share":
            expect("touch-unlinks-idle", order, expected, "free after sharing")
        elif last in ("give back", "give back all"):
            self._compare_return(order, expected)
        elif last == "share null":
            expect(
                "null-block-outside",
                order,
                expected,
                "free after sharing and giving back the null block",
            )
        else:
            expect("evicts-when-handed-out", order, expected, f"free after {last}")
        expect(
            "null-block-outside", BlockPool.NULL in order, False, "null block among the free ones"
        )
        expect("counts-references", users(self.pool), self.model.users, f"users after {last}")
        found = [find(self.pool, request.block_hashes[0]) for request in self.contents]
        check = "reset-needs-idle" if last == "reset" else "evicts-when-handed-out"
        expect(
            check,
            found,
            [self.model.find(content) for content in range(CONTENTS)],
            f"findable after {last}",
        )

    def _compare_return(self, order: list[int], expected: list[int]) -> None:
        registered = set(self.model.content)
        self.run.expect(
            "registered-leave-lru",
            [block for block in order if block in registered],
            [block for block in expected if block in registered],
            "registered free blocks, next to be evicted first",
        )
        if self.rule == "all-to-tail":
            self.run.expect("registered-leave-lru", order, expected, "free blocks")
        else:
            self.run.expect(
                "unhashed-to-head",
                [None if block in registered else block for block in order],
                [None if block in registered else block for block in expected],
                "free blocks (None: a registered one)",
            )
