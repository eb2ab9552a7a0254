"""The small study that is damaged."""

from tests.store.conftest import study

__all__ = ["study"]
