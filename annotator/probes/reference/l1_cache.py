"""The first tier of LMCache's multiprocess server: objects that are written, become visible, are read and evicted.

A writer first reserves a place. Until it says that it has finished, the object is *staged*: readers do not see it.
Then it is *resident*. A reader locks before it reads; locks are counted, and a locked object is neither deleted nor
evicted. A temporary object goes with its last reader.

Eviction looks at how full the tier is, and then removes a share of the *objects*, the least recently used first.
Among objects used together the last of the prompt goes first: without its beginning the rest of a prompt is of no use.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

DONE = "SUCCESS"
ABSENT = "KEY_NOT_EXIST"
NOT_WRITABLE = "KEY_NOT_WRITABLE"
NOT_READABLE = "KEY_NOT_READABLE"
WRONG_STATE = "KEY_IN_WRONG_STATE"
LOCKED = "KEY_IS_LOCKED"
FULL = "OUT_OF_MEMORY"


@dataclass(slots=True)
class Resident:
    """An object that readers see. `readers` counts its locks; `temporary` ones go with the last of them."""

    temporary: bool
    readers: int = 0


@dataclass(slots=True)
class L1Cache:
    """The life of objects of equal size.

    Attributes:
        places: how many objects there is room for.
        staged: (key, writer) → whether it is temporary.
        resident: key → what readers see.
    """

    places: int
    staged: dict[tuple[str, str], bool] = field(default_factory=dict)
    resident: dict[str, Resident] = field(default_factory=dict)

    def used(self) -> int:
        """Returns how many places are taken."""
        return len(self.staged) + len(self.resident)

    def reserve_write(self, keys: Sequence[str], writer: str, temporary: bool = False) -> list[str]:
        """Takes places. All that can be staged get one, or none does: places are given to a batch as a whole."""
        free = [k for k in keys if k not in self.resident and (k, writer) not in self.staged]
        if self.used() + len(free) > self.places:
            return [FULL if k in free else NOT_WRITABLE for k in keys]
        self.staged.update({(k, writer): temporary for k in free})
        return [DONE if k in free else NOT_WRITABLE for k in keys]

    def finish_write(self, keys: Sequence[str], writer: str) -> list[str]:
        """Makes staged objects resident. Whoever is second with a key loses its copy, and nobody minds."""
        answers = []
        for key in keys:
            temporary = self.staged.pop((key, writer), None)
            if temporary is not None:
                self.resident.setdefault(key, Resident(temporary))
            answers.append(ABSENT if temporary is None else DONE)
        return answers

    def reserve_read(self, keys: Sequence[str]) -> list[str]:
        """Locks what is resident."""
        for key in keys:
            if key in self.resident:
                self.resident[key].readers += 1
        return [DONE if key in self.resident else ABSENT for key in keys]

    def read(self, keys: Sequence[str]) -> list[str]:
        """Reads what somebody has locked before."""
        return [
            ABSENT
            if key not in self.resident
            else DONE
            if self.resident[key].readers
            else NOT_READABLE
            for key in keys
        ]

    def finish_read(self, keys: Sequence[str]) -> list[str]:
        """Takes one lock back from each, and drops temporary objects that nobody reads any more."""
        answers = self.read(keys)
        for key, answer in zip(keys, answers, strict=True):
            if answer == DONE:
                self.resident[key].readers -= 1
                if self.resident[key].temporary and not self.resident[key].readers:
                    del self.resident[key]
        return [WRONG_STATE if answer == NOT_READABLE else answer for answer in answers]

    def delete(self, keys: Sequence[str]) -> list[str]:
        """Deletes what is neither read nor being written."""
        answers = []
        for key in keys:
            being_written = any(k == key for k, _ in self.staged)
            if being_written or (key in self.resident and self.resident[key].readers):
                answers.append(LOCKED)
            else:
                answers.append(ABSENT if self.resident.pop(key, None) is None else DONE)
        return answers

    def evictable(self, key: str) -> bool:
        """Says whether eviction may take an object."""
        return key in self.resident and not self.resident[key].readers


@dataclass(slots=True)
class LeastRecentlyUsed:
    """The order of eviction, the first to go in front."""

    order: list[str] = field(default_factory=list)

    def created(self, keys: Sequence[str]) -> None:
        """New objects, in the order of their prompt, become the most recently used."""
        for key in reversed(keys):
            self._to_the_end(key)

    def touched(self, keys: Sequence[str]) -> None:
        """Used objects do too, if they are known."""
        for key in reversed(keys):
            if key in self.order:
                self._to_the_end(key)

    def removed(self, keys: Iterable[str]) -> None:
        """Forgets objects."""
        gone = set(keys)
        self.order = [key for key in self.order if key not in gone]

    def victims(self, share: float, evictable: Callable[[str], bool] = lambda _: True) -> list[str]:
        """Returns whom to evict: that share of all objects, at least one, counting only what may be evicted."""
        wanted = max(int(len(self.order) * min(share, 1.0)), 1 if share > 0 else 0)
        return [key for key in self.order if evictable(key)][:wanted]

    def _to_the_end(self, key: str) -> None:
        if key in self.order:
            self.order.remove(key)
        self.order.append(key)


@dataclass(slots=True)
class TimedLock:
    """A count of locks with one time of expiry for all, which every lock pushes back.

    The count says nothing about who holds a lock. After the time is up the lock is open, whoever still reads; the
    next lock then starts to count at one.

    Attributes:
        lifetime: for how long a lock holds.
        count: locks taken.
        ends: when they expire.
    """

    lifetime: float
    count: int = 0
    ends: float = 0.0

    def lock(self, now: float) -> None:
        """Takes a lock."""
        self.count = 1 if now >= self.ends else self.count + 1
        self.ends = now + self.lifetime

    def unlock(self) -> None:
        """Gives one back, anybody's."""
        self.count = max(self.count - 1, 0)

    def locked(self, now: float) -> bool:
        """Says whether it holds."""
        return self.count > 0 and now < self.ends
