"""What a load test calls good, and when its requests are due."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Served(NamedTuple):
    """One request of a load test; times in seconds.

    Attributes:
        succeeded: whether it was answered.
        first: until its first token (TTFT).
        total: until its last (end-to-end latency).
        tokens: how many it got.
    """

    succeeded: bool
    first: float
    total: float
    tokens: int

    @property
    def per_token(self) -> float:
        """Time per output token after the first (TPOT); 0 where there is no second."""
        return (self.total - self.first) / (self.tokens - 1) if self.tokens > 1 else 0.0


def goodput(served: Iterable[Served], limits: Mapping[str, float], seconds: float) -> float:
    """Good requests per second of the run: those that succeeded and met every limit. GPUs do not enter.

    Args:
        served: all requests.
        limits: `ttft`, `tpot`, `e2el` → milliseconds.
        seconds: duration of the run.
    """
    good = 0
    for one in served:
        times = {"ttft": one.first, "tpot": one.per_token, "e2el": one.total}
        met = all(times[name] * 1000 <= limit for name, limit in limits.items())
        good += one.succeeded and met
    return good / seconds


def due(gaps: Sequence[float], rate: float) -> list[float]:
    """When requests are due, given the gaps drawn: stretched so that the last is due at number / rate."""
    stretch = len(gaps) / rate / sum(gaps)
    return [sum(gaps[: index + 1]) * stretch for index in range(len(gaps))]
