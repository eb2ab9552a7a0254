"""How much a step takes in where nobody said: it depends on the memory and the name of the GPU, and on who asks."""

from typing import NamedTuple


class Defaults(NamedTuple):
    """What a step is limited to.

    Attributes:
        offline: tokens, for the class `LLM`.
        online: tokens, for the API server.
        requests: requests, for both.
    """

    offline: int
    online: int
    requests: int


SMALL = Defaults(offline=8192, online=2048, requests=256)
LARGE = Defaults(offline=16384, online=8192, requests=1024)
LARGEST = Defaults(offline=16384, online=16384, requests=1024)


def defaults_for(gibibytes: int, name: str) -> Defaults:
    """The defaults on a GPU. An A100 counts as small whatever its memory: larger steps made it slower."""
    if gibibytes >= 160:
        return LARGEST
    return LARGE if gibibytes >= 70 and "a100" not in name.lower() else SMALL


def accepted(tokens: int, requests: int) -> bool:
    """Whether a step's limits go together: each running request needs a token of it."""
    return tokens >= requests
