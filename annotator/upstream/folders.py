"""Where synced source lies on this machine: a cache, safe to delete."""

import os
from pathlib import Path

CACHE_VARIABLE = "ANNOT_CACHE_DIR"


def cache_folder() -> Path:
    """The cache: `ANNOT_CACHE_DIR` if set, else where this system keeps caches."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs  # noqa: PLC0415 - only where nothing is chosen

    return platformdirs.user_cache_path("annot", appauthor=False)


def clone_folder(upstream: str) -> Path:
    """The bare clone of an upstream, fetched from its git host."""
    return cache_folder() / "sources" / upstream / "clone.git"


def releases_folder(upstream: str) -> Path:
    """The bare repository of an upstream's releases, imported from a package index."""
    return cache_folder() / "sources" / upstream / "releases.git"
