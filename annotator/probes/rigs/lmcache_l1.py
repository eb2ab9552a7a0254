"""LMCache's storage without a server: a first tier with places for objects of one size, and tiers behind it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

PLACE = 4096
"""Bytes of an object here: one unit of L1's alignment."""


def object_key(name: str) -> Any:
    """Returns the key of an object of the made-up model."""
    from lmcache.v1.distributed.api import ObjectKey

    return ObjectKey(name.encode(), "made-up", 0)


def object_keys(names: Sequence[str]) -> list[Any]:
    """Returns the keys of several objects. A string counts as one name a letter."""
    return [object_key(name) for name in names]


def layout() -> Any:
    """Returns the layout of an object that takes one place."""
    import torch
    from lmcache.v1.distributed.api import MemoryLayoutDesc

    return MemoryLayoutDesc([torch.Size([PLACE // 4])], [torch.float32])


def l1_config(places: int, **options: Any) -> Any:
    """Returns settings of a first tier.

    Args:
        places: how many objects it holds.
        **options: further settings.
    """
    from lmcache.v1.distributed.config import L1ManagerConfig, L1MemoryManagerConfig

    return L1ManagerConfig(L1MemoryManagerConfig(places * PLACE, False, shm_name=""), **options)


@contextmanager
def first_tier(places: int) -> Iterator[Any]:
    """Makes a first tier of its own for as long as the block."""
    from lmcache.v1.distributed.l1_manager import L1Manager

    manager = L1Manager(l1_config(places))
    try:
        yield manager
    finally:
        manager.close()


@contextmanager
def storage_manager(l1: Sequence[Any], adapters: Sequence[Any] = ()) -> Iterator[Any]:
    """Makes tiers together for as long as the block.

    Args:
        l1: settings of the first tiers.
        adapters: settings of what lies behind them.
    """
    from lmcache.v1.distributed.config import EvictionConfig, StorageManagerConfig
    from lmcache.v1.distributed.l2_adapters.config import L2AdaptersConfig
    from lmcache.v1.distributed.storage_manager import StorageManager

    more = {"l1_manager_configs": list(l1)} if len(l1) > 1 else {}
    eviction = EvictionConfig("LRU", 1.0)
    manager = StorageManager(
        StorageManagerConfig(l1[0], eviction, L2AdaptersConfig(list(adapters)), **more)
    )
    try:
        yield manager
    finally:
        manager.close()
