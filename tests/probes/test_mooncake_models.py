"""The reference models of Mooncake, by the cases that a reader would work out by hand."""

from annotator.probes.reference.object_store import ObjectStore
from annotator.probes.reference.registered_memory import RegisteredMemory


def test_an_object_is_written_once():
    store = ObjectStore({"s": 100}, lease=10)
    assert store.put("k", b"first", 0) == "stored"
    assert store.put("k", b"second", 1) == "there already"
    assert store.get("k", 2) == b"first"


def test_asking_grants_a_lease_and_writing_does_not():
    store = ObjectStore({"s": 100}, lease=10)
    store.put("k", b"value", 0)
    assert store.remove("k", 0) == "removed"
    store.put("k", b"value", 0)
    store.ask("k", 5)
    assert store.remove("k", 14) == "under lease"
    assert store.remove("k", 15) == "removed"
    assert store.remove("k", 15) == "absent"


def test_replicas_are_in_different_segments_and_may_be_fewer():
    store = ObjectStore({"s": 100, "t": 10}, lease=10)
    store.put("small", bytes(5), 0, replicas=3)
    store.put("large", bytes(50), 0, replicas=2)
    assert store.objects["small"].segments == ("s", "t")
    assert store.objects["large"].segments == ("s",)
    assert store.put("too large", bytes(101), 0) == "no room"
    assert store.lose("s") == ["large"]


def test_a_round_evicts_a_share_of_the_objects_by_the_end_of_their_lease():
    store = ObjectStore({"s": 100}, lease=10, watermark=0.5, share=0.2)
    for number in range(10):
        store.put(f"k{number}", bytes(5), number, pinned=number == 0)
    store.ask("k1", 20)
    store.ask("k9", 40)
    assert store.victims(45) == ["k2", "k3"]
    store.put("last", bytes(6), 45)
    assert store.evict(45) == ["k2", "k3", "k4"]


def test_ranges_may_touch_and_not_overlap():
    memory = RegisteredMemory()
    assert memory.register(0, 10)
    assert memory.register(10, 10)
    assert not memory.register(19, 10)
    assert not memory.register(30, 0)
    assert memory.covers(3, 7)
    assert not memory.covers(5, 10)
    assert memory.unregister(0)
    assert not memory.unregister(0)
