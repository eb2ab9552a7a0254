"""The reference models of LMCache, by the cases that a reader would work out by hand."""

import hashlib

import pytest

from annotator.probes.reference.chunk_hash import ChunkStore, chunks, digest_of_chunk, names
from annotator.probes.reference.chunk_negotiation import (
    Transfer,
    negotiated,
    scheduler_block,
    span,
    starts,
    to_load,
    to_store,
)
from annotator.probes.reference.l1_cache import L1Cache, LeastRecentlyUsed, TimedLock
from annotator.probes.reference.lookup_protocol import Lookup

SHA = digest_of_chunk(lambda data: hashlib.sha256(data).digest())


def test_names_stand_for_everything_before():
    one = names([1, 2, 3, 4], 2, 0, SHA)
    other = names([9, 9, 3, 4], 2, 0, SHA)
    assert one[0] != other[0]
    assert one[1] != other[1]
    assert names([1, 2, 3, 4, 5], 2, 0, SHA) == one


def test_a_tail_counts_only_if_kept():
    assert chunks(range(5), 2) == [(0, 2), (2, 4)]
    assert chunks(range(5), 2, keep_tail=True) == [(0, 2), (2, 4), (4, 5)]


def test_hits_are_runs_from_the_start():
    store = ChunkStore(2, 0, SHA)
    store.store([1, 2, 3, 4, 5, 6])
    assert store.hit([1, 2, 3, 4, 5]) == 4
    assert store.hit([1, 2, 7, 7, 5, 6]) == 2
    assert store.hit([3, 4]) == 0


@pytest.mark.parametrize(
    ("spans", "chunk", "block", "begins", "agreed"),
    [
        pytest.param([16], 256, 16, True, 256, id="a block of 16"),
        pytest.param([span(1024, 2, attention=True)], 256, 2048, False, 2048, id="DCP 2"),
        pytest.param([784], 256, 784, False, 784, id="hybrid"),
        pytest.param([32, 48], 256, 96, False, 288, id="two groups"),
        pytest.param([256, 784, 0], 256, 12544, False, 12544, id="nearly coprime, and scratch"),
    ],
)
def test_chunk_sizes_of_the_exercise(spans, chunk, block, begins, agreed):
    assert scheduler_block(spans) == block
    assert starts(chunk, block) is begins
    assert negotiated(chunk, block) == agreed


def test_loads_begin_at_a_chunk_and_skip_what_the_engine_has():
    assert to_load(704, 1024, 256, [16]) == Transfer(512, 1024, 192, ((32, 64),))
    assert to_load(704, 512, 256, [16]) is None


def test_stores_take_whole_chunks_of_the_prompt():
    common = {"chunk": 256, "spans": [16]}
    assert to_store(0, 1100, 1100, 1100, 0, [69], **common) == Transfer(0, 1024, 0, ((0, 64),))
    assert to_store(0, 200, 600, 600, 0, [40], **common) is None
    assert to_store(0, 1100, 1100, 0, 300, [69], **common) == Transfer(0, 256, 0, ((0, 16),))


def test_what_is_being_written_is_not_seen():
    cache = L1Cache(places=2)
    assert cache.reserve_write(["a"], "one") == ["SUCCESS"]
    assert cache.reserve_write(["a"], "other") == ["SUCCESS"]
    assert cache.reserve_write(["b"], "one") == ["OUT_OF_MEMORY"]
    assert cache.reserve_read(["a"]) == ["KEY_NOT_EXIST"]
    assert cache.finish_write(["a"], "one") == ["SUCCESS"]
    assert cache.finish_write(["a"], "other") == ["SUCCESS"]
    assert cache.used() == 1


def test_locked_objects_stay_and_temporary_ones_go_with_their_reader():
    cache = L1Cache(places=2)
    cache.reserve_write(["t"], "", temporary=True)
    cache.finish_write(["t"], "")
    cache.reserve_read(["t"])
    assert cache.delete(["t"]) == ["KEY_IS_LOCKED"]
    assert cache.finish_read(["t"]) == ["SUCCESS"]
    assert cache.used() == 0


def test_the_end_of_a_prompt_is_evicted_before_its_beginning():
    policy = LeastRecentlyUsed()
    policy.created("abc")
    policy.created("de")
    assert policy.victims(0.4) == ["c", "b"]
    policy.touched("bc")
    assert policy.victims(1.0, lambda key: key != "a") == ["e", "d", "c", "b"]


def test_an_expired_lock_counts_from_one():
    lock = TimedLock(lifetime=10)
    lock.lock(0)
    lock.lock(1)
    assert lock.locked(10)
    assert not lock.locked(11)
    lock.lock(20)
    lock.unlock()
    assert not lock.locked(20)


def test_nobody_is_asked_before_all_have_acknowledged():
    lookup = Lookup("ab", 16)
    lookup.acknowledge("a")
    assert lookup.poll() is None
    assert lookup.questions == {}
    lookup.acknowledge("b")
    lookup.poll()
    lookup.answer("a", 3)
    lookup.answer("b", None)
    assert lookup.poll() is None
    lookup.poll()
    lookup.answer("b", 1)
    assert lookup.poll() == 16
    assert lookup.questions == {"a": 1, "b": 2}
    assert lookup.surplus() == {"a": (16, 48)}
