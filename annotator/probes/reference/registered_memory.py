"""Memory that a transfer engine may touch: ranges registered beforehand, which do not overlap."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class RegisteredMemory:
    """Ranges of one process.

    Attributes:
        ranges: start → length.
    """

    ranges: dict[int, int] = field(default_factory=dict)

    def register(self, start: int, length: int) -> bool:
        """Registers a range, unless it is empty or overlaps one that is registered. Ranges may touch."""
        if length <= 0 or any(start < s + n and s < start + length for s, n in self.ranges.items()):
            return False
        self.ranges[start] = length
        return True

    def unregister(self, start: int) -> bool:
        """Forgets the range that begins there."""
        return self.ranges.pop(start, None) is not None

    def covers(self, start: int, length: int) -> bool:
        """Says whether a piece lies within one registered range."""
        return any(s <= start and start + length <= s + n for s, n in self.ranges.items())
