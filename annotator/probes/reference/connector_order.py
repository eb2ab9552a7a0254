"""The order in which the hooks of a KV connector are called.

A connector brings KV blocks in from outside (another machine, a host cache, a disk) and carries them out again. It
lives twice: in the scheduler, which decides, and in each worker, which copies. The engine calls its hooks, and an
author of a connector can rely on three rules, written down here:

1. **One request's life on the scheduler's side** (`Life`). Asked how much KV is available outside, told the
   blocks that were allocated for it, asked once more at the end whether the blocks may go. An asynchronous load is
   told twice: when blocks are allocated for the load, and again when the load is done and the rest is allocated.
2. **One step on the scheduler's side** (`scheduler_step`). All questions and allocations come first, then exactly
   one `build_connector_meta`: the order sheet for the workers.
3. **One step on the worker's side** (`worker_step`). The order sheet is bound first and cleared last. Around every
   attention layer there is a wait before and a save after. A load that this step's forward pass needs is
   started before it; any other load is started after the forward pass was submitted, to keep it off the critical path.

Nothing here knows upstream: hooks are their names, requests are strings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ABSTRACT_HOOKS = frozenset(
    {
        "start_load_kv",
        "wait_for_layer_load",
        "save_kv_layer",
        "wait_for_save",
        "get_num_new_matched_tokens",
        "update_state_after_alloc",
        "build_connector_meta",
    }
)
"""What every connector has to implement: four hooks of the worker, three of the scheduler."""

FINISHING = ("request_finished", "request_finished_all_groups")
"""The two forms of the last question. The second is for connectors that handle several cache groups."""

RESULTS = ("get_finished", "get_transfer_results")
"""The two forms in which a worker is asked which transfers are done. The second calls the first."""


@dataclass(slots=True)
class Life:
    """One request as its connector sees it from the scheduler.

    Attributes:
        block_size: tokens in a block.
        state: `new`, `asked`, `loading`, `arrived`, `placed`, `preempted` or `finished`.
        found: tokens that the connector said it has, in its last answer.
        computed: tokens of the prompt that the local prefix cache had when it was asked.
        asynchronous: whether that load was to be asynchronous.
        failed: whether a load of it failed.
        delays_free: whether the connector kept the blocks at the end.
        questions: how often it was asked.
        placements: how often it was told of an allocation.
    """

    block_size: int
    state: str = "new"
    found: int = 0
    computed: int = 0
    asynchronous: bool = False
    failed: bool = False
    delays_free: bool = False
    questions: int = 0
    placements: int = 0

    def ask(self, computed: int, found: int | None, asynchronous: bool) -> str | None:
        """The scheduler asks what is available outside.

        Allowed for a request that waits: a new one, one that was asked before and could not be placed, one that
        was preempted, one whose load failed from the first block on. Never while it runs or loads.

        Returns:
            What is wrong about it, or None. So do the other methods.
        """
        waiting = (
            ("new", "asked", "preempted", "arrived")
            if self.failed
            else ("new", "asked", "preempted")
        )
        if self.state not in waiting:
            return f"asked while {self.state}"
        self.questions += 1
        self.state = "asked"
        self.found, self.computed, self.asynchronous = found or 0, computed, asynchronous
        return None

    def place(self, external: int, blocks: int) -> str | None:
        """The scheduler tells which blocks were allocated, and how many tokens of them come from outside."""
        self.placements += 1
        if self.state == "asked":
            if external != self.found:
                return f"told of {external} external tokens after it offered {self.found}"
            loads = self.asynchronous and self.found > 0
            self.state = "loading" if loads else "placed"
            needed = -(-(self.computed + external) // self.block_size)
            if loads and blocks != needed:
                return f"{blocks} blocks for a load that needs {needed}"
            if blocks < needed:
                return f"only {blocks} blocks for {needed} blocks of tokens that are there"
            return None
        if self.state == "arrived":
            self.state = "placed"
            return None if external == 0 else f"told again of {external} external tokens"
        return f"told of an allocation while {self.state}"

    def arrive(self) -> None:
        """The worker reported that an asynchronous load is done."""
        if self.state == "loading":
            self.state = "arrived"

    def preempt(self) -> None:
        """The request lost its blocks and will be asked about again."""
        self.state = "preempted"

    def fail_load(self) -> None:
        """The worker reported that a part of the load is not valid. What is valid is kept, if anything is."""
        self.failed = True

    def finish(self, delays_free: bool) -> str | None:
        """The last question: may the blocks go? Exactly once."""
        if self.state == "finished":
            return "asked to finish twice"
        self.state = "finished"
        self.delays_free = delays_free
        return None


def scheduler_step(hooks: Sequence[str]) -> str | None:
    """Whether the hooks that `schedule()` called are in order.

    Args:
        hooks: names of the calls between the start of a step and its forward pass.

    Returns:
        What is wrong, or None.
    """
    sheets = hooks.count("build_connector_meta")
    if sheets != 1:
        return f"build_connector_meta called {sheets} times in one step"
    late = [
        hook
        for hook in hooks[hooks.index("build_connector_meta") :]
        if hook in ("get_num_new_matched_tokens", "update_state_after_alloc")
    ]
    return f"{late[0]} came after build_connector_meta" if late else None


def worker_step(layers: Sequence[str], forward: bool, load_first: bool) -> list[str]:
    """The hooks of one step on a worker, in order.

    Args:
        layers: names of the attention layers; only their number matters.
        forward: whether there is anything to compute.
        load_first: whether a request of this step needs what is loaded now.

    Returns:
        Names of hooks, with `forward` where the pass is submitted and `attention` for each layer. The last question
        about transfers is called `results`, whichever form it has.
    """
    order = ["bind_connector_metadata"]
    if load_first:
        order.append("start_load_kv")
    if forward:
        order.append("forward")
        for _ in layers:
            order += ["wait_for_layer_load", "attention", "save_kv_layer"]
    if not load_first:
        order.append("start_load_kv")
    return [*order, "wait_for_save", "results", "clear_connector_metadata"]


def essential(hooks: Sequence[str]) -> list[str]:
    """Leaves of a worker's calls those that `worker_step` speaks of: statistics and the like may be anywhere."""
    kept = {
        "bind_connector_metadata",
        "start_load_kv",
        "forward",
        "wait_for_layer_load",
        "attention",
        "save_kv_layer",
        "wait_for_save",
        "clear_connector_metadata",
    }
    return [
        "results" if hook in RESULTS else hook for hook in hooks if hook in kept or hook in RESULTS
    ]
