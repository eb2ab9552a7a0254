"""How vLLM names a block of KV cache: a chain of hashes over whole blocks of tokens.

The KV of a token depends on every token before it. A block of KV may therefore be reused only where everything up to
its end is the same: the tokens, and whatever else went into the model's input (an adapter's weights, an image behind
placeholder tokens). The name of a block says exactly that, by three parts:

    name(i) = hash(name(i - 1), tokens of block i, extra keys of block i)

- The parent's name stands for everything before the block, so equal blocks after different beginnings have different
  names, and equal blocks at different positions too.
- The first block's parent is a starting value that all chains of an engine share.
- Extra keys are what tokens do not show: the adapter, images that lie in the block, and in the first block the salt
  with which a caller keeps its cache to itself. Later blocks need no salt: it is in their parent's name.

A block that is not full has no name. As tokens are generated, blocks fill and names are added; those given before
never change.

With a drafting model whose KV looks L tokens ahead, a block's KV depends on L tokens after its end as well. Its name
then covers these, and can be given only once they exist.

Names are written here as what they stand for, nested tuples instead of hashes: two blocks have the same name exactly
when everything that went into it is the same. Upstream's hashes must be equal in just these cases.
"""

import hashlib
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Name = tuple[Any, ...]
Digest = Callable[[Any], bytes]

START: Name = ("start",)
"""Parent of every first block."""


@dataclass(frozen=True, slots=True)
class Image:
    """An input that placeholder tokens stand for.

    Attributes:
        identifier: stands for its content.
        offset: its first token.
        length: number of its tokens.
    """

    identifier: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Content:
    """What a request computes KV from, besides its tokens.

    Attributes:
        salt: the caller's secret word, if there is one.
        adapter: name and path of a LoRA adapter, if there is one.
        images: in the order of their offsets.
    """

    salt: str = ""
    adapter: tuple[str, str] | None = None
    images: tuple[Image, ...] = ()


def images_between(images: Sequence[Image], start: int, end: int) -> list[tuple[str, int]]:
    """The images that have a token in [start, end): each with where it begins, counted from `start`."""
    return [
        (image.identifier, image.offset - start)
        for image in images
        if image.offset < end and image.offset + image.length > start
    ]


def extra_keys(content: Content, start: int, end: int) -> Name:
    """What a block's name covers besides its tokens and its parent.

    Args:
        content: of the request.
        start: the block's first token.
        end: behind the last token that its KV depends on.
    """
    keys: list[Any] = []
    if content.adapter:
        keys.append(("adapter", *content.adapter))
    keys += [("image", *image) for image in images_between(content.images, start, end)]
    if content.salt and start == 0:
        keys.append(("salt", content.salt))
    return tuple(keys)


def block_names(
    tokens: Sequence[int], content: Content, block_size: int, lookahead: int = 0
) -> list[Name]:
    """The names of a request's full blocks.

    Args:
        tokens: all of the request's tokens so far.
        content: what else it computes from.
        block_size: tokens in a block.
        lookahead: tokens behind a block that its KV depends on.
    """
    names: list[Name] = []
    parent = START
    for end in range(block_size, len(tokens) - lookahead + 1, block_size):
        start, reach = end - block_size, end + lookahead
        keys = extra_keys(content, start, reach)
        parent = (parent, tuple(tokens[start:end]), keys, tuple(tokens[end:reach]))
        names.append(parent)
    return names


def shared_blocks(one: Sequence[Name], other: Sequence[Name]) -> int:
    """How many blocks, from the start, one request can take over from another."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def sha256_of_pickle(value: Any) -> bytes:
    """The hash called `sha256`: of Python's own serialization, and so of use to Python programs only."""
    return hashlib.sha256(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)).digest()


def sha256_of_cbor(value: Any) -> bytes:
    """The hash called `sha256_cbor`: of a serialization that any language can make."""
    return hashlib.sha256(cbor(value)).digest()


def cbor(value: Any) -> bytes:
    """The canonical form of a value in CBOR (RFC 8949, section 4.2), as far as block hashes need it."""
    if value is None:
        return b"\xf6"
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return _head(3, len(text)) + text
    if isinstance(value, (tuple, list)):
        return _head(4, len(value)) + b"".join(cbor(item) for item in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    raise TypeError(f"no block hash holds a {type(value).__name__}")


def _head(kind: int, number: int) -> bytes:
    """The kind and a number in as few bytes as it takes."""
    if number < 24:
        return bytes([kind << 5 | number])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([kind << 5 | code]) + number.to_bytes(size, "big")
    raise ValueError(f"{number} does not fit into eight bytes")
