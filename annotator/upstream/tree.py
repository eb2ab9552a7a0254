"""The files of one commit, and what differs between two of them. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Tree:
    """All files of one commit.

    Attributes:
        commit: full id of the commit.
        files: path → blob id of the regular files.
        links: paths of symbolic links and submodules, which hold no source text of their own.
        unnamed: paths of everything whose name is not UTF-8, with surrogate escapes. Neither a study nor a report can
            name it, so it is never a place.
    """

    commit: str
    files: Mapping[str, str]
    links: frozenset[str]
    unnamed: frozenset[str] = frozenset()


def parse_tree(commit: str, listing: bytes) -> Tree:
    """Reads the output of `git ls-tree -r -z`."""
    entries = listing.decode("utf-8", "surrogateescape").split("\0")[:-1]
    # "100644 blob ID\tPATH": everything before the path has the same length in all blob entries.
    path_at = len("100644 blob ") + len(commit) + len("\t")
    id_at = path_at - len(commit) - 1
    files = {entry[path_at:]: entry[id_at : path_at - 1] for entry in entries if entry[:3] == "100"}
    links = frozenset(entry.partition("\t")[2] for entry in entries if entry[:3] != "100")
    try:
        listing.decode("utf-8")
    except UnicodeDecodeError:
        unnamed = frozenset(path for path in (*files, *links) if not _is_text(path))
        files = {path: blob for path, blob in files.items() if path not in unnamed}
        return Tree(commit, MappingProxyType(files), links - unnamed, unnamed)
    return Tree(commit, MappingProxyType(files), links)


def changed_paths(old: Tree, new: Tree) -> dict[str, str]:
    """Path → `A`, `M` or `D` for each file whose content differs; modes and renames do not count."""
    changed = dict.fromkeys(old.files.keys() - new.files.keys(), "D")
    changed |= dict.fromkeys(new.files.keys() - old.files.keys(), "A")
    for path in old.files.keys() & new.files.keys():
        if old.files[path] != new.files[path]:
            changed[path] = "M"
    return changed


def parse_renames(listing: bytes) -> dict[str, tuple[str, float]]:
    """Reads `git diff-tree -z -M`: old path → (new path, similarity 0 to 1), of files that `Tree.files` names."""
    # Three words each: ":100644 100644 OLDID NEWID R087", old path, new path.
    words = listing.decode("utf-8", "surrogateescape").split("\0")
    return {
        old_path: (new_path, int(meta.rpartition(" R")[2]) / 100)
        for meta, old_path, new_path in zip(words[::3], words[1::3], words[2::3], strict=False)
        if meta.startswith(":100") and _is_text(old_path) and _is_text(new_path)
    }


def changed_blobs(listing: bytes) -> set[str]:
    """The contents on both sides of every change in the output of `git diff-tree --raw`: ids of blobs that there are."""
    found = set()
    for line in listing.decode("utf-8", "surrogateescape").split("\n"):
        if line.startswith(":"):  # ":100644 100644 OLDID NEWID M\tpath"
            modes, ids = line[1:].split(" ")[:2], line.split(" ")[2:4]
            found |= {id_ for mode, id_ in zip(modes, ids, strict=True) if mode[:2] in {"10", "12"}}
    return found


def _is_text(path: str) -> bool:
    """Whether a path has no bytes that are not UTF-8, which are decoded as lone surrogates."""
    return path.isascii() or not any("\udc80" <= char <= "\udcff" for char in path)
