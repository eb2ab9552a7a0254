"""Upstream's linked list of free blocks against a plain list."""

from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.free_queue import FreeQueue
from annotator.probes.sequences import Findings, Operation, Run

BLOCKS = 6


def observe_free_queue(context: Context, findings: Findings) -> None:
    """Tests `queue-is-a-list`."""
    from hypothesis import strategies as st
    from vllm.v1.core.kv_cache_utils import FreeKVCacheBlockQueue

    can_prepend = hasattr(FreeKVCacheBlockQueue, "prepend_n")
    context.saw("free-queue.can-prepend", can_prepend)
    operations = [
        st.tuples(st.just("take"), st.integers(1, 3)),
        st.tuples(st.just("take one")),
        st.tuples(st.just("unlink"), st.integers(0, BLOCKS)),
        st.tuples(st.just("to tail"), st.integers(1, 3)),
        st.tuples(st.just("one to tail")),
    ]
    if can_prepend:
        operations.append(st.tuples(st.just("to head"), st.integers(1, 3)))
    findings.explore("free queue", st.one_of(operations), _run)


def _run(sequence: list[Operation], run: Run) -> None:
    from vllm.v1.core.kv_cache_utils import FreeKVCacheBlockQueue, KVCacheBlock

    blocks: list[Any] = [KVCacheBlock(number) for number in range(BLOCKS)]
    queue = FreeKVCacheBlockQueue(blocks)
    model = FreeQueue(range(BLOCKS))
    outside: list[int] = []
    for name, *numbers in sequence:
        if name == "take" and numbers[0] <= len(model.order):
            taken = [block.block_id for block in queue.popleft_n(numbers[0])]
            run.expect("queue-is-a-list", taken, expected := model.take(numbers[0]), "taken")
            outside += expected
        elif name == "take one" and model.order:
            run.expect(
                "queue-is-a-list", [queue.popleft().block_id], expected := model.take(1), "taken"
            )
            outside += expected
        elif name == "unlink" and model.order:
            block = model.order[numbers[0] % len(model.order)]
            queue.remove(blocks[block])
            model.unlink(block)
            outside.append(block)
        elif name in ("to tail", "to head") and outside:
            back, outside = outside[: numbers[0]], outside[numbers[0] :]
            many = queue.append_n if name == "to tail" else queue.prepend_n
            many([blocks[number] for number in back])
            (model.to_tail if name == "to tail" else model.to_head)(back)
        elif name == "one to tail" and outside:
            queue.append(blocks[outside[0]])
            model.to_tail([outside.pop(0)])
        seen = [block.block_id for block in queue.get_all_free_blocks()]
        run.expect("queue-is-a-list", seen, model.order, "free")
        run.expect(
            "queue-is-a-list", queue.num_free_blocks, len(model.order), "number of free blocks"
        )
        run.stop_if_parted()
