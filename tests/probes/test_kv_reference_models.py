"""The reference models of blocks and scheduling say what the notes say."""

import pytest

from annotator.probes.reference.attention_groups import (
    Group,
    blocks_behind_hit,
    blocks_dropped,
    longest_common_hit,
)
from annotator.probes.reference.block_pool import BlockPool, ReturnRule
from annotator.probes.reference.free_queue import FreeQueue, NotEnoughBlocks
from annotator.probes.reference.kv_cache import KVCache, Request
from annotator.probes.reference.kv_memory import KVMemory
from annotator.probes.reference.scheduler import Limits, Policy, Scheduler
from annotator.probes.reference.scheduler import Request as Scheduled


def test_a_queue_that_cannot_give_enough_stays_as_it_is() -> None:
    queue = FreeQueue([1, 2])
    with pytest.raises(NotEnoughBlocks):
        queue.take(3)
    assert queue.order == [1, 2]


@pytest.mark.parametrize(
    ("rule", "free"),
    [("unhashed-to-head", [4, 3, 5, 6, 2, 1]), ("all-to-tail", [5, 6, 4, 3, 2, 1])],
)
def test_where_blocks_go_that_come_back(rule: ReturnRule, free: list[int]) -> None:
    pool = BlockPool(7, rule)
    taken = pool.take(4)
    pool.register(1, "a")
    pool.register(2, "b")
    pool.give_back(reversed(taken))
    assert pool.free.order == free


def test_a_shared_block_is_free_only_when_nobody_uses_it() -> None:
    pool = BlockPool(3)
    (block,) = pool.take(1)
    pool.register(block, "a")
    pool.share([block])
    pool.give_back([block])
    assert pool.free.order == [2]
    pool.give_back([block])
    assert pool.free.order == [2, 1]
    assert pool.find("a") == 1


def test_a_block_loses_its_content_when_it_is_handed_out() -> None:
    pool = BlockPool(2)
    pool.register(pool.take(1)[0], "a")
    pool.give_back([1])
    pool.take(1)
    assert pool.find("a") is None


def test_a_reset_needs_an_idle_pool() -> None:
    pool = BlockPool(3)
    pool.register(pool.take(1)[0], "a")
    assert not pool.reset()
    assert pool.find("a") == 1
    pool.give_back([1])
    assert pool.reset()
    assert pool.find("a") is None


@pytest.mark.parametrize(
    ("length", "hit"),
    [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2)],
    ids=["too short", "last token left out", "one block", "last block left out", "two blocks"],
)
def test_a_hit_leaves_the_last_token(length: int, hit: int) -> None:
    cache = KVCache(BlockPool(9), block_size=2)
    first = Request([1, 2, 3, 4, 5])
    cache.grow(first, 5)
    assert len(cache.hit([1, 2, 3, 4, 5][:length])) == hit


def test_growth_takes_all_blocks_or_none() -> None:
    cache = KVCache(BlockPool(4), block_size=2)
    assert cache.grow(Request([1] * 8), 8) is None
    assert cache.pool.free.order == [1, 2, 3]
    assert cache.grow(Request([1] * 6), 6) == [1, 2, 3]


def test_the_watermark_holds_for_those_who_join_others() -> None:
    cache = KVCache(BlockPool(4), block_size=2, watermark=2)
    assert cache.grow(Request([1] * 4), 4, beside_others=True) is None
    assert cache.grow(Request([1] * 4), 4) == [1, 2]


@pytest.mark.parametrize(
    ("window", "computed", "dropped"), [(None, 100, 0), (4, 3, 0), (4, 5, 1), (4, 7, 2), (3, 7, 2)]
)
def test_blocks_behind_a_window(window: int | None, computed: int, dropped: int) -> None:
    assert blocks_dropped(Group(2, window), computed) == dropped


def test_a_common_hit_is_one_that_every_group_accepts() -> None:
    groups = [Group(2), Group(2, window=3)]
    cached = [{0, 1, 2, 3}, {1, 3}]
    assert list(blocks_behind_hit(groups[1], 8)) == [3]
    assert longest_common_hit(groups, 8, 2, lambda group, index: index in cached[group]) == 8
    assert longest_common_hit(groups, 7, 2, lambda group, index: index in cached[group]) == 4


def test_memory_notices_what_another_computed() -> None:
    memory = KVMemory()
    memory.compute([1, 2, 3], [5, 6], 2, 0, 3)
    assert memory.first_foreign([1, 2, 3], [5, 6], 2, 0, 3) is None
    memory.compute([9], [6], 2, 0, 1)
    assert memory.first_foreign([1, 2, 3], [5, 6], 2, 0, 3) == 2


def _scheduler(blocks: int, policy: Policy = "fcfs", budget: int = 8) -> Scheduler:
    return Scheduler(KVCache(BlockPool(blocks), 2), Limits(budget=budget, seats=4, policy=policy))


def _request(name: str, length: int, priority: int = 0, arrival: float = 0) -> Scheduled:
    tokens = [ord(name) * 100 + position for position in range(length)]
    return Scheduled(
        tokens, name=name, prompt=length, outputs=9, priority=priority, arrival=arrival
    )


def test_a_long_prompt_gets_what_is_left_of_the_budget() -> None:
    scheduler = _scheduler(20)
    scheduler.add(_request("a", 5))
    scheduler.add(_request("b", 9))
    assert scheduler.step().tokens == {"a": 5, "b": 3}


@pytest.mark.parametrize(
    ("policy", "victim"), [("fcfs", "b"), ("priority", "a")], ids=["the last", "the least urgent"]
)
def test_who_gives_way(policy: Policy, victim: str) -> None:
    scheduler = _scheduler(5, policy)
    scheduler.add(_request("a", 3, priority=1))
    scheduler.sample(scheduler.step(), 7)
    scheduler.add(_request("b", 4, arrival=1))
    scheduler.sample(scheduler.step(), 7)
    step = scheduler.step()
    assert step.preempted == [victim]
    assert scheduler.waiting[0].name == victim
    assert scheduler.waiting[0].computed == 0
    assert list(step.tokens) == ["a" if victim == "b" else "b"]
