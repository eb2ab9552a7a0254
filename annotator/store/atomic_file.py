"""Files that are replaced whole or not at all."""

import os
import shutil
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Writes `text` to `path` as UTF-8, line endings as they are; no reader ever sees half of it.

    Permissions stay. Nothing is written if nothing changes. A symbolic link is replaced, not
    followed: a study may come from strangers.

    Raises:
        OSError: if the folder cannot be written; the old file is untouched then.
    """
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: Path, content: bytes) -> None:
    """The same for content that need not be text.

    Raises:
        OSError: if the folder cannot be written; the old file is untouched then.
    """
    there = path.is_file()
    if there and not path.is_symlink() and path.read_bytes() == content:
        return
    # A hidden name of its own: no other command reads it, and two processes do not collide.
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        draft.write_bytes(content)
        if there:
            shutil.copymode(path, draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
