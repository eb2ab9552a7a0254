"""The reference models behind the probes of the engine and of its metrics."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.probes.reference.engine_cache import EngineCache, Event, decoded
from annotator.probes.reference.hit_counters import Counters, RecentRate

PROMPT = list(range(10))


def cache(blocks=8):
    return EngineCache(blocks, 4)


def test_a_repeated_prompt_hits_its_full_blocks():
    engine = cache()
    assert engine.run(PROMPT, [90, 91]) == 0
    assert engine.run(PROMPT, [90, 91]) == 8


def test_the_block_of_the_last_token_is_computed_again():
    engine = cache()
    engine.run(PROMPT[:8], [90])
    assert engine.run(PROMPT[:8], [90]) == 4
    assert [e.kind for e in engine.pool.events] == ["stored"] * 3


def test_the_last_generated_token_completes_no_block():
    engine = cache()
    engine.run(PROMPT, [90, 91])
    assert [len(e.prefix) for e in engine.pool.events] == [4, 8]
    engine = cache()
    engine.run(PROMPT, [90, 91, 92])
    assert engine.pool.events[-1] == Event("stored", (*PROMPT, 90, 91))


def test_equal_blocks_behind_another_prefix_are_not_hit():
    engine = cache()
    engine.run(PROMPT, [90])
    assert engine.run([50, 51, 52, 53, *PROMPT[4:]], [90]) == 0


def test_the_oldest_tail_goes_first():
    engine = cache(blocks=5)
    engine.run(PROMPT, [90])
    engine.run([50, 51, 52, 53, 54, 55, 56, 57, 58], [90])
    assert [e for e in engine.pool.events if e.kind == "removed"] == [
        Event("removed", tuple(PROMPT[:8]))
    ]


def test_a_request_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="too long"):
        cache(blocks=3).run(PROMPT, [90])


@dataclass
class BlockStored:
    block_hashes: list[bytes]
    parent_block_hash: bytes | None
    token_ids: list[int]
    block_size: int = 2


@dataclass
class BlockRemoved:
    block_hashes: list[bytes] = field(default_factory=list)


@dataclass
class AllBlocksCleared:
    pass


def test_events_alone_tell_the_prefixes():
    events = [
        BlockStored([b"a", b"b"], None, [1, 2, 3, 4]),
        BlockStored([b"c"], b"a", [7, 8]),
        BlockRemoved([b"b"]),
        AllBlocksCleared(),
    ]
    assert decoded(events) == [
        Event("stored", (1, 2)),
        Event("stored", (1, 2, 3, 4)),
        Event("stored", (1, 2, 7, 8)),
        Event("removed", (1, 2, 3, 4)),
    ]


@pytest.mark.parametrize(
    "events",
    [
        [BlockStored([b"a"], b"x", [1, 2])],
        [BlockRemoved([b"a"])],
        [BlockStored([b"a"], None, [1, 2]), BlockStored([b"a"], None, [3, 4])],
    ],
    ids=["unknown parent", "unknown block", "one hash, two prefixes"],
)
def test_events_that_cannot_be_read(events):
    with pytest.raises(ValueError, match="announced"):
        decoded(events)


def test_what_counts_where():
    counters = Counters()
    counters.admit(100, 32, 48)
    counters.admit(40, 16, again=True)
    counters.admit(40, 0, reads=False)
    assert (counters.queries, counters.hits) == (100, 32)
    assert (counters.external_queries, counters.external_hits) == (68, 48)
    assert (counters.again_queries, counters.again_hits) == (40, 16)


def test_the_recent_rate_forgets_the_oldest_and_keeps_the_latest():
    rate = RecentRate(2)
    assert rate.rate() == 0
    rate.add(1, 10, 10)
    rate.add(1, 10, 0)
    assert rate.rate() == 0.5
    rate.add(1, 10, 0)
    assert rate.rate() == 0
    rate.add(9, 10, 5)
    assert rate.rate() == 0.5
    rate.add(0, 10, 10)
    assert rate.rate() == 0.5
    rate.reset()
    assert rate.rate() == 0


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 6)), max_size=12))
def test_events_and_pool_agree_whatever_is_run(requests):
    engine = cache(blocks=12)
    for length, output in requests:
        engine.run(list(range(length)), list(range(90, 90 + output)))
    stored = sum(e.kind == "stored" for e in engine.pool.events)
    removed = sum(e.kind == "removed" for e in engine.pool.events)
    assert stored - removed == len(engine.pool.content)
    assert not any(engine.pool.users)
