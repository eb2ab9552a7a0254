"""A study's files as one word that changes with any of them."""

import hashlib
import os
from pathlib import Path

_READ = frozenset({".yaml", ".yml", ".json"})
"""What a check reads: anchors, reviews, locks."""


def study_digest(folder: Path) -> str:
    """The digest of all files of the study in `folder` that a check may read, names and contents.

    Whatever has the ending of such a file counts, since a folder or a wrongly spelt ending is a mistake to be told;
    links count with where they lead, since what is read changes with that.

    Raises:
        OSError: if one of them cannot be read.
    """
    digest = hashlib.blake2b(digest_size=20)
    for path in sorted(folder.rglob("*")):
        is_read = path.suffix.lower() in _READ
        link = os.readlink(path) if path.is_symlink() else ""
        if not is_read and not link:
            continue
        content = path.read_bytes() if is_read and path.is_file() else None
        said = (path.relative_to(folder).as_posix(), link, content is None, len(content or b""))
        digest.update(repr(said).encode("utf-8", "surrogateescape"))
        digest.update(content or b"")
    return digest.hexdigest()
