"""Upstream's KV cache manager with sliding windows and several groups: what is dropped, what is hit, what is read."""

from typing import Any

from annotator.probes.contract import Context
from annotator.probes.experiments.kv_cache import prompt
from annotator.probes.reference.attention_groups import (
    Group,
    blocks_behind_hit,
    blocks_dropped,
    longest_common_hit,
    most_blocks,
)
from annotator.probes.reference.kv_cache import blocks_for
from annotator.probes.reference.kv_memory import KVMemory
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

HASH_BLOCK_SIZE = 2
BLOCKS = 16  # few enough for blocks to be evicted from the middle of what is cached
PLENTY = 64
MOST_PER_STEP = 4
LAYOUTS = {
    "one window": [Group(2, window=3)],
    "full and window": [Group(2), Group(2, window=4)],
    "blocks of two sizes": [Group(4), Group(2, window=3)],
    "full and two windows": [Group(2), Group(2, window=3), Group(2, window=6)],
}


def observe_attention_groups(context: Context, findings: Findings) -> None:
    """Tests the checks about sliding windows and hybrid models."""
    from hypothesis import strategies as st

    index, chunk = st.integers(0, 3), st.integers(1, MOST_PER_STEP)
    operations = weighted(
        (2, st.tuples(st.just("arrive"), st.integers(0, 1), st.integers(1, 14), chunk)),
        (3, st.tuples(st.just("step"), index, chunk)),
        (1, st.tuples(st.just("finish"), index)),
    )
    for name, groups in LAYOUTS.items():

        def runner(sequence: list[Operation], run: Run, groups: list[Group] = groups) -> None:
            _HybridLives(context, groups, run).live(sequence)

        findings.explore(name, operations, runner, longest=30)
    _observe_retention(context)
    _observe_bound(context)


def _observe_retention(context: Context) -> None:
    """Which blocks of a window's layers a prompt of ten blocks registers, with the default settings."""
    from vllm.config import CacheConfig

    groups, tokens = LAYOUTS["full and window"], prompt(0, 20)
    fields: dict[str, Any] = {}
    if hasattr(CacheConfig, "prefix_cache_retention_interval"):
        fields["prefix_cache_retention_interval"] = CacheConfig().prefix_cache_retention_interval
    requests = Requests(context, HASH_BLOCK_SIZE)
    manager = make_manager(
        context, groups, PLENTY, hash_block_size=HASH_BLOCK_SIZE, alignment=2, **fields
    )
    request = requests.make("a", tokens)
    manager.allocate_slots(request, len(tokens))
    pool = manager.block_pool
    registered = [
        index
        for index, value in enumerate(request.block_hashes)
        if find(pool, value, group=1) is not None
    ]
    manager.free(request)
    again = hit(manager, requests.make("b", tokens))[1]
    context.saw(
        "retention.default", fields.get("prefix_cache_retention_interval", "no such setting")
    )
    context.saw("retention.registered-window-blocks", registered)
    context.saw("retention.hit-of-the-same-prompt", again)
    if not fields:
        context.not_applicable(
            "retention-keeps-tails", "this release registers every full block of a window"
        )
        return
    needed = list(blocks_behind_hit(groups[1], len(tokens) - 2))
    context.verdict(
        "retention-keeps-tails",
        registered == needed and again == len(tokens) - 2,
        f"of 10 blocks {registered} are registered; the same prompt again hits {again} of {len(tokens)} tokens",
    )


def _observe_bound(context: Context) -> None:
    """The most blocks that prompts of 8, 16 and 32 tokens ever hold for a window of 3, four tokens a step."""
    group, most = LAYOUTS["one window"][0], {}
    for length in (8, 16, 32):
        manager = make_manager(
            context, [group], PLENTY, hash_block_size=HASH_BLOCK_SIZE, alignment=group.block_size
        )
        request = Requests(context, HASH_BLOCK_SIZE).make("a", prompt(0, length))
        held = []
        while request.num_computed_tokens < length:
            manager.allocate_slots(request, MOST_PER_STEP)
            request.num_computed_tokens += MOST_PER_STEP
            table = tables(manager, "a")[0]
            held.append(sum(block != manager.block_pool.null_block.block_id for block in table))
        most[str(length)] = max(held)
    context.saw("window.most-blocks-held", most)
    bound = most_blocks(group, MOST_PER_STEP) or 0
    context.verdict(
        "window-is-bounded",
        max(most.values()) <= bound,
        f"most blocks by length of prompt: {most}, at most {bound}",
    )


class _HybridLives:
    """Requests on a manager with several groups, each group with a memory that remembers what was computed."""

    def __init__(self, context: Context, groups: list[Group], run: Run) -> None:
        self.groups = groups
        self.run = run
        self.alignment = max(group.block_size for group in groups)
        self.requests = Requests(context, HASH_BLOCK_SIZE)
        self.manager = make_manager(
            context, groups, BLOCKS, hash_block_size=HASH_BLOCK_SIZE, alignment=self.alignment
        )
        self.pool = self.manager.block_pool
        self.memories = [KVMemory() for _ in groups]
        self.living: list[Any] = []
        self.born = 0

    def live(self, sequence: list[Operation]) -> None:
        for name, *rest in sequence:
            if name == "arrive":
                self.born += 1
                self._admit(self.requests.make(f"r{self.born}", prompt(rest[0], rest[1])), rest[2])
            elif self.living:
                request = self.living[rest[0] % len(self.living)]
                if name == "step":
                    self._step(request, rest[1])
                else:
                    self.living.remove(request)
                    self.manager.free(request)
            self._compare_references()
            self.run.stop_if_parted()
        for request in self.living:
            self.manager.free(request)
        self.run.expect(
            "no-leak",
            sorted(free_order(self.pool)),
            list(range(1, BLOCKS)),
            "free when all have ended",
        )
        self.run.expect("no-leak", sum(users(self.pool)), 0, "references when all have ended")

    def _admit(self, request: Any, chunk: int) -> None:
        blocks, hit_tokens = hit(self.manager, request)
        best = longest_common_hit(
            self.groups,
            request.num_tokens - 1,
            self.alignment,
            lambda group, index: (
                find(self.pool, self._hash(request, group, index), group) is not None
            ),
        )
        check = "hit-suits-all-groups" if len(self.groups) > 1 else "window-hit-needs-window"
        self.run.expect(check, hit_tokens, best, f"tokens hit of {request.num_tokens}")
        self.run.expect(
            "last-token-recomputed", hit_tokens < request.num_tokens, True, f"hit {hit_tokens}"
        )
        self.run.stop_if_parted()
        new = min(chunk, request.num_tokens - hit_tokens)
        got = self.manager.allocate_slots(
            request, new, num_new_computed_tokens=hit_tokens, new_computed_blocks=blocks
        )
        if got is None:
            self.run.expect(
                "all-or-nothing",
                any(tables(self.manager, request.request_id)),
                False,
                "got some blocks",
            )
            return
        self.living.append(request)
        request.num_computed_tokens = hit_tokens
        self._forward(request, new)

    def _step(self, request: Any, chunk: int) -> None:
        if request.num_computed_tokens == request.num_tokens:
            request.append_output_token_ids(7)
        new = min(chunk, request.num_tokens - request.num_computed_tokens)
        if self.manager.allocate_slots(request, new) is not None:
            self._forward(request, new)

    def _forward(self, request: Any, new: int) -> None:
        """Looks at the tables, "runs the model" on the new tokens, and reads what attention would read."""
        start, end = request.num_computed_tokens, request.num_computed_tokens + new
        tokens = list(request.all_token_ids)
        null = self.pool.null_block.block_id
        for number, (group, table) in enumerate(
            zip(self.groups, tables(self.manager, request.request_id), strict=True)
        ):
            memory, size = self.memories[number], group.block_size
            dropped = blocks_dropped(group, start)
            self.run.expect(
                "window-drops-behind",
                [block == null for block in table],
                [index < dropped for index in range(blocks_for(end, size))],
                f"null places of group {number} with {start} tokens computed",
            )
            self.run.stop_if_parted()
            memory.compute(tokens, table, size, start, end)
            first = 0 if group.window is None else max(0, start - group.window + 1)
            foreign = memory.first_foreign(tokens, table, size, first, end)
            self.run.expect(
                "reads-own-content",
                foreign,
                None,
                f"position read that is not its own in group {number}",
            )
        request.num_computed_tokens = end

    def _compare_references(self) -> None:
        counts = [0] * BLOCKS
        for request in self.living:
            for table in tables(self.manager, request.request_id):
                for block in table:
                    counts[block] += 1
        counts[self.pool.null_block.block_id] = 0
        self.run.expect("counts-references", users(self.pool), counts, "users")
        unused = [block for block in range(1, BLOCKS) if counts[block] == 0]
        self.run.expect("counts-references", sorted(free_order(self.pool)), unused, "free")

    def _hash(self, request: Any, group: int, index: int) -> Any:
        from vllm.v1.core.kv_cache_utils import BlockHashListWithBlockSize

        size = self.groups[group].block_size
        if size == HASH_BLOCK_SIZE:
            return request.block_hashes[index]
        return BlockHashListWithBlockSize(request.block_hashes, HASH_BLOCK_SIZE, size)[index]
