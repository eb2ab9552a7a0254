"""Outlines to JSON and back, for the cache and for worker processes.

One JSON array an outline, with an array a symbol: it is read and checked in one go, and cannot run code as a
pickle can. An outline is always read as a whole, so a database row a symbol would only cost time.
"""

import msgspec

from annotator.model.symbol import Outline

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Outline)


def encode(outline: Outline) -> bytes:
    """The outline as compact JSON in UTF-8."""
    return _encoder.encode(outline)


def decode(content: bytes) -> Outline:
    """The outline that `encode` wrote.

    Raises:
        ValueError: if the content is anything else.
    """
    try:
        return _decoder.decode(content)
    except (msgspec.DecodeError, RecursionError, TypeError) as error:  # a row may hold a number
        raise ValueError(f"not an encoded outline: {error}") from error
