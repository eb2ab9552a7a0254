"""The LMCache of the tree under test, made importable: its compiled extension, its settings, absent engine parts."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from annotator.probes.contract import CannotAdapt, Context

_NATIVE = "lmcache.lmcache_native"
"""The extension without which hardly any module of LMCache can be imported."""

SETTINGS = {"LMCACHE_TRACK_USAGE": "false", "LMCACHE_LOG_LEVEL": "ERROR"}


def prepare(context: Context) -> None:
    """Imports `lmcache`, with the compiled extension of an installed wheel where the tree has none.

    Raises:
        CannotAdapt: if there is no extension for this interpreter, in the tree or in an installed wheel.
    """
    os.environ.update(SETTINGS)
    logging.disable(logging.WARNING)
    borrowed = borrow_native()
    if borrowed:
        context.adaptations.append(
            "lmcache_native is that of the installed wheel, not of this tree"
        )
    lmcache = importlib.import_module("lmcache")
    context.versions["lmcache"] = str(getattr(lmcache, "__version__", "unknown"))
    if importlib.util.find_spec("numba") is None:
        raise CannotAdapt("lmcache needs numba, which this environment lacks")


def borrow_native() -> bool:
    """Makes the extension importable from an installed wheel if the tree that comes first on the path has none.

    Returns:
        Whether that was necessary.

    Raises:
        CannotAdapt: if no place on the path has the extension.
    """
    first = importlib.machinery.PathFinder.find_spec("lmcache")
    if first is None or not first.submodule_search_locations:
        raise CannotAdapt("there is no lmcache on the path")
    if importlib.machinery.PathFinder.find_spec(_NATIVE, first.submodule_search_locations):
        return False
    for folder in sys.path:
        spec = importlib.machinery.PathFinder.find_spec(_NATIVE, [os.path.join(folder, "lmcache")])
        if spec is not None:
            sys.meta_path.insert(0, _Given(spec))
            return True
    raise CannotAdapt(
        "this tree has no compiled lmcache_native and no wheel of lmcache is installed to borrow it from"
    )


class _Given(importlib.abc.MetaPathFinder):
    """Finds one module where it was found before."""

    def __init__(self, spec: importlib.machinery.ModuleSpec) -> None:
        self._spec = spec

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return self._spec if fullname == self._spec.name else None


@contextmanager
def engine_names(context: Context) -> Iterator[None]:
    """Lets modules that import names of vLLM be imported without it, each name being an empty class.

    What is imported this way may only be asked for what needs none of these names. With vLLM installed nothing is
    replaced.
    """
    if importlib.util.find_spec("vllm") is not None:
        yield
        return
    context.adaptations.append("names of vllm are empty classes: vllm is not installed here")
    finder = _EmptyPackage("vllm")
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n.partition(".")[0] == "vllm"]:
            del sys.modules[name]


class _EmptyPackage(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A package in which every module exists and every name is an empty class."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != self._name:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        return None


class _EmptyClass(type):
    """A class whose every attribute is its own name, as the members of an enumeration need it."""

    def __getattr__(cls, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return f"{cls.__name__}.{name}"

    def __getitem__(cls, arguments: Any) -> "_EmptyClass":
        return cls


class _EmptyModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _EmptyClass(name, (), {})
        setattr(self, name, made)
        return made


def one_worker(adapters: Any) -> Any:
    """Returns the parallel layout of one worker with one server. `adapters` is the module of the MP adapters."""
    return adapters.ParallelStrategy(
        mla_only=False, vllm_world_size=1, vllm_worker_id=0, tp_size=1, pp_size=1, n_servers=1
    )
