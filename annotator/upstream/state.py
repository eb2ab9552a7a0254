"""What repositories' refs are at this moment: as long as they are the same, a ref names the same commit."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from annotator.upstream.git_program import try_git
from annotator.upstream.sources import synced_folders


def source_states(upstreams: Iterable[str], given: Path | None = None) -> dict[str, str]:
    """The state of every repository that is asked for some upstreams, by its folder.

    Args:
        upstreams: their names.
        given: a repository that is asked before the synced ones.
    """
    folders = [given.absolute()] if given is not None else []
    for name in upstreams:
        folders += [folder for _, folder in synced_folders(name)]
    return {str(folder): repository_state(folder) for folder in folders}


def repository_state(folder: Path) -> str:
    """A digest of all refs, of HEAD and of where history is cut off; empty where there is no repository.

    Raises:
        Incomplete: if git is not installed.
    """
    if not folder.is_dir():
        return ""
    listing = try_git(
        ["show-ref", "--head", "--dereference"],
        folder=folder,
        settings={"safe.bareRepository": "all"},
    )
    if listing.returncode != 0:
        return ""
    digest = hashlib.blake2b(listing.stdout, digest_size=16)
    for git_dir in (folder, folder / ".git"):
        shallow = git_dir / "shallow"
        digest.update(shallow.read_bytes() if shallow.is_file() else b"-")
    return digest.hexdigest()
