"""What repositories' refs are at this moment: as long as they are the same, a ref names the same commit."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from annotator.upstream.git_program import try_git
from annotator.upstream.in_place import synced_folders


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
    """A digest of all refs, of HEAD and its like, and of where history is cut off or joined; empty for no repository.

    Raises:
        Incomplete: if git is not installed.
    """
    if not folder.is_dir():
        return ""
    listing = _asked(folder, "show-ref", "--head", "--dereference")
    if not listing:
        return ""
    digest = hashlib.blake2b(listing, digest_size=16)
    for file in _beside_refs(folder):
        try:
            content = file.read_bytes()
        except OSError:
            continue
        digest.update(f"{file.name} {len(content)} ".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def history_limit(git_dir: Path) -> str:
    """A digest of where history is cut off or joined by hand; another one once a shallow repository is deepened."""
    content = b""
    for file in _limits(git_dir):
        with suppress(OSError):
            content += b"%b\0" % file.read_bytes()
    return hashlib.blake2b(content, digest_size=8).hexdigest() if content else ""


def _beside_refs(folder: Path) -> Iterator[Path]:
    """Files that `git show-ref` says nothing of, and that what a name means, or history, depends on."""
    own = next((each for each in (folder, folder / ".git") if (each / "HEAD").is_file()), None)
    if own is None:  # a linked worktree, or a folder inside one
        own = folder / _asked(folder, "rev-parse", "--git-dir").decode("utf-8", "replace").strip()
    yield from sorted(own.glob("*_HEAD"))  # FETCH_HEAD, ORIG_HEAD, …
    yield from _limits(own)


def _limits(git_dir: Path) -> tuple[Path, Path]:
    """Files that say where history is cut off, and where it is joined by hand."""
    shared = _shared(git_dir)
    return shared / "shallow", shared / "info" / "grafts"


def _shared(git_dir: Path) -> Path:
    """The git folder that a linked worktree's shares with all others; else the folder itself."""
    try:
        return git_dir / (git_dir / "commondir").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return git_dir


def _asked(folder: Path, *question: str) -> bytes:
    done = try_git(question, folder=folder, settings={"safe.bareRepository": "all"})
    return done.stdout if done.returncode == 0 else b""
