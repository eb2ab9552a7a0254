"""How LMCache names a piece of KV cache: by a chain of hashes over chunks of tokens.

A prompt is cut into chunks of equal length. The name of a chunk is the hash of two things: the name of the chunk
before it, and its own tokens. The first chunk follows a fixed starting value. Hence

- a name stands for *all* tokens up to the end of its chunk, not for the chunk alone: the same sixteen tokens at
  another place of a prompt, or after another beginning, have another name;
- two prompts share the names of exactly their common beginning, rounded down to whole chunks;
- a hit can only be a run from the start. Whether chunk 7 is stored is of no use if chunk 3 is not.

The tail that does not fill a chunk has no name, or, where the cache is told to keep it, one that only the very same
tail reproduces.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Name = bytes | int
"""A hash: bytes of a digest, or an integer."""

HashOfChunk = Callable[[Name, Sequence[int]], Name]
"""From the name of the chunk before and the tokens of this one to the name of this one."""


def chunks(tokens: Sequence[int], size: int, keep_tail: bool = False) -> list[tuple[int, int]]:
    """Cuts tokens into chunks.

    Args:
        tokens: the prompt.
        size: tokens in a chunk.
        keep_tail: whether a last, shorter chunk counts.

    Returns:
        Start and end of each chunk.
    """
    whole = len(tokens) - len(tokens) % size
    end = len(tokens) if keep_tail else whole
    return [(start, min(start + size, len(tokens))) for start in range(0, end, size)]


def names(
    tokens: Sequence[int],
    size: int,
    start_value: Name,
    hash_of_chunk: HashOfChunk,
    keep_tail: bool = False,
) -> list[Name]:
    """Returns the name of each chunk, in order. Each name goes into the next."""
    chain: list[Name] = []
    before = start_value
    for start, end in chunks(tokens, size, keep_tail):
        before = hash_of_chunk(before, tokens[start:end])
        chain.append(before)
    return chain


def digest_of_chunk(digest: Callable[[bytes], bytes]) -> HashOfChunk:
    """Returns the multiprocess server's way to hash: a digest of the name before, then four bytes for each token.

    Args:
        digest: for instance BLAKE3. A starting value that is a number is written as eight signed bytes.
    """

    def hash_of_chunk(before: Name, tokens: Sequence[int]) -> bytes:
        head = before if isinstance(before, bytes) else before.to_bytes(8, "big", signed=True)
        return digest(head + b"".join(token.to_bytes(4, "big") for token in tokens))

    return hash_of_chunk


def builtin_hash_of_chunk(before: Name, tokens: Sequence[int]) -> int:
    """The in-process mode's default: Python's own `hash` of a tuple.

    Nothing in the tuple is a string, so the random seed of a Python process has no part in it.
    """
    return hash((before, tuple(tokens), ()))


@dataclass(slots=True)
class ChunkStore:
    """A store of named chunks, and what a prompt finds in it.

    Attributes:
        size: tokens in a chunk.
        start_value: what the first chunk of every prompt follows.
        hash_of_chunk: how a chunk is named.
        stored: the names in the store.
    """

    size: int
    start_value: Name
    hash_of_chunk: HashOfChunk
    stored: set[Name] = field(default_factory=set)

    def store(self, tokens: Sequence[int], until: int | None = None) -> None:
        """Stores the whole chunks among the first `until` tokens (all, if not given)."""
        self.stored.update(self._names(tokens[:until]))

    def hit(self, tokens: Sequence[int]) -> int:
        """Returns how many tokens at the beginning of a prompt are in the store: a multiple of the chunk size."""
        found = 0
        for name in self._names(tokens):
            if name not in self.stored:
                break
            found += self.size
        return found

    def _names(self, tokens: Sequence[int]) -> Iterable[Name]:
        return names(tokens, self.size, self.start_value, self.hash_of_chunk)
