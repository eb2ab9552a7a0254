"""A study's files as one word that changes with any of them."""

import hashlib
from pathlib import Path

_READ = frozenset({".yaml", ".yml", ".json"})
"""What a check reads: anchors, reviews, locks."""


def study_digest(folder: Path) -> str:
    """The digest of all files of the study in `folder` that a check may read, names and contents.

    Raises:
        OSError: if one of them cannot be read.
    """
    digest = hashlib.blake2b(digest_size=20)
    for path in sorted(folder.rglob("*")):
        if path.suffix in _READ and path.is_file():
            content = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            digest.update(f"{len(name)} {name} {len(content)} ".encode("utf-8", "surrogateescape"))
            digest.update(content)
    return digest.hexdigest()
