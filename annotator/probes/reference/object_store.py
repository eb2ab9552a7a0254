"""Mooncake Store as seen by its users: objects that never change, kept in the memory of several machines for a while.

A *master* knows which object lies where; the bytes lie in *segments*, pieces of memory that clients lend. Writing
takes room in as many different segments as the object is to have *replicas*, one piece of the object's whole length in
each. Fewer will do if there is room in fewer; none, and the write fails at once.

An object is written once. A second write of a key changes nothing and still succeeds, which is safe if keys are made
from the contents.

Asking for an object grants a *lease*: for that long it is neither removed nor evicted, so that it can be read in peace.
Asking is enough; one need not read.

When more than a share of the memory is used (the watermark counts bytes), a share of the objects is evicted (that
counts objects, so it may have to be done more than once), those first whose lease ended first. The lease of an object
that nobody has asked for ends when it is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

UNDER_LEASE = "under lease"
ABSENT = "absent"
REMOVED = "removed"
STORED = "stored"
UNCHANGED = "there already"
NO_ROOM = "no room"


@dataclass(slots=True)
class Object:
    """A stored object.

    Attributes:
        size: its length in bytes.
        segments: where its replicas are.
        lease_ends: until when it is safe.
        pinned: whether it is never evicted.
    """

    size: int
    segments: tuple[str, ...]
    lease_ends: float
    pinned: bool = False


@dataclass(slots=True)
class ObjectStore:
    """A master and its segments.

    Attributes:
        segments: segment → capacity in bytes.
        lease: how long a lease lasts, in the unit of `now`.
        watermark: share of the memory above which eviction starts.
        share: share of the objects that one round evicts at least.
        objects: key → object.
        contents: key → its bytes; written once.
    """

    segments: dict[str, int]
    lease: float
    watermark: float = 0.9
    share: float = 0.05
    objects: dict[str, Object] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)

    def put(
        self, key: str, value: bytes, now: float, replicas: int = 1, pinned: bool = False
    ) -> str:
        """Writes an object, unless the key has one."""
        if key in self.objects:
            return UNCHANGED
        with_room = [s for s in self.segments if self.used_in(s) + len(value) <= self.segments[s]][
            :replicas
        ]
        if not with_room:
            return NO_ROOM
        self.objects[key] = Object(len(value), tuple(with_room), now, pinned)
        self.contents[key] = value
        return STORED

    def ask(self, key: str, now: float) -> bool:
        """Says whether an object is there, and grants a lease if so."""
        if key not in self.objects:
            return False
        known = self.objects[key]
        known.lease_ends = max(known.lease_ends, now + self.lease)
        return True

    def get(self, key: str, now: float) -> bytes | None:
        """Reads an object, which begins with asking for it."""
        return self.contents[key] if self.ask(key, now) else None

    def remove(self, key: str, now: float) -> str:
        """Removes an object that is under no lease."""
        if key not in self.objects:
            return ABSENT
        if now < self.objects[key].lease_ends:
            return UNDER_LEASE
        self._drop(key)
        return REMOVED

    def lose(self, segment: str) -> list[str]:
        """Takes a segment out, as when its client has died. Returns the keys that are gone with it."""
        del self.segments[segment]
        gone = []
        for key, known in list(self.objects.items()):
            known.segments = tuple(s for s in known.segments if s != segment)
            if not known.segments:
                gone.append(key)
                self._drop(key)
        return gone

    def used_in(self, segment: str) -> int:
        """Returns how many bytes of a segment are taken."""
        return sum(known.size for known in self.objects.values() if segment in known.segments)

    def used(self) -> float:
        """Returns which share of the memory is taken."""
        return sum(self.used_in(s) for s in self.segments) / sum(self.segments.values())

    def evict(self, now: float) -> list[str]:
        """Evicts until no more than the watermark is used, in rounds. Returns the keys in the order they went."""
        gone: list[str] = []
        while self.used() > self.watermark:
            victims = self.victims(now)
            if not victims:
                break
            for key in victims:
                self._drop(key)
            gone += victims
        return gone

    def victims(self, now: float) -> Sequence[str]:
        """Returns whom one round evicts.

        The share grows by how far the use is above the watermark. It is a share of all objects that are not pinned,
        those under a lease too, although these are spared.
        """
        unpinned = [key for key, known in self.objects.items() if not known.pinned]
        wanted = ceil(len(unpinned) * (self.share + max(self.used() - self.watermark, 0)))
        free = [key for key in unpinned if self.objects[key].lease_ends <= now]
        return sorted(free, key=lambda key: self.objects[key].lease_ends)[:wanted]

    def _drop(self, key: str) -> None:
        del self.objects[key]
        del self.contents[key]
