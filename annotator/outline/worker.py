"""What worker processes do; it imports no more than that needs, since each of them pays for it."""

from annotator.outline.codec import encode
from annotator.outline.engine import outline_blob

Task = tuple[str, bytes]
"""A language and a content."""


def encode_tasks(tasks: list[Task]) -> list[bytes]:
    """Contents to encoded outlines."""
    return [encode(outline_blob(language, data)) for language, data in tasks]
