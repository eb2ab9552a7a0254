"""An LMCache multiprocess server of the tree under test on loopback, with a worker whose KV cache is made up."""

import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from annotator.probes.contract import CannotAdapt, Context
from annotator.probes.rigs.lmcache_tree import SETTINGS, one_worker
from annotator.probes.rigs.loopback import HOST, free_port, leashed, log_tail

CHUNK, BLOCK = 32, 16
MODEL = "made-up"
LAYERS, HEADS, HEAD_SIZE = 2, 2, 8

_BOOT = (
    "from annotator.probes.rigs.lmcache_tree import borrow_native; borrow_native(); "
    "import runpy, sys; sys.argv[0] = 'server'; "
    "runpy.run_module('lmcache.v1.multiprocess.server', run_name='__main__')"
)


@contextmanager
def server(context: Context, **options: str) -> Iterator[str]:
    """Runs a server for as long as the block.

    Args:
        context: of the probe.
        **options: further options of the server, with `_` for `-`.

    Yields:
        Its address.
    """
    port = free_port()
    given = {
        "host": HOST,
        "port": str(port),
        "chunk-size": str(CHUNK),
        "l1-size-gb": "0.05",
        "eviction-policy": "LRU",
        "supported-transfer-mode": "engine_driven",
        **{key.replace("_", "-"): value for key, value in options.items()},
    }
    command = [sys.executable, "-c", _BOOT, "--disable-observability"]
    command += [part for key, value in given.items() for part in (f"--{key}", value)]
    log = os.path.join(context.folder, f"server-{port}.log")
    with leashed(
        command, log, PYTHONPATH=os.pathsep.join(p for p in sys.path if p), **SETTINGS
    ) as process:
        yield f"tcp://{HOST}:{port}"
        if process.poll() is not None:
            raise CannotAdapt(f"the server ended on its own: {log_tail(log)}")


@dataclass(slots=True)
class Engine:
    """The two halves of LMCache that live in an engine, and KV tensors of one float a token, layer and head.

    Attributes:
        adapters: the module of the adapters.
        scheduler: the half in the scheduler.
        worker: the half in the worker.
        kv: layer → keys and values, blocks, tokens, heads, size.
    """

    adapters: Any
    scheduler: Any
    worker: Any
    kv: dict[str, Any]

    def lookup(self, request: str, tokens: Sequence[int], salt: str = "") -> int:
        """Asks the server for a prompt and waits. Returns the tokens that hit."""
        self.scheduler.maybe_submit_lookup_request(request, list(tokens), cache_salt=salt)
        return int(wait(lambda: self.scheduler.check_lookup_result(request)))

    def store(
        self, request: str, tokens: Sequence[int], blocks: Sequence[int], start: int, salt: str = ""
    ) -> bool:
        """Stores the chunks from `start` whose KV lies in `blocks`."""
        operation = self._operation(tokens, blocks, start)
        self.worker.submit_store_request(
            request, operation, self.worker.create_recorded_event(), cache_salt=salt
        )
        return bool(self.worker.store_futures.pop(request).result(timeout=30))

    def retrieve(
        self, request: str, tokens: Sequence[int], blocks: Sequence[int], skip: int, salt: str = ""
    ) -> bool:
        """Loads chunks from the first on into `blocks`, leaving the first `skip` tokens alone."""
        operation = self._operation(tokens, blocks, 0, skip)
        self.worker.submit_retrieve_request(
            request, operation, self.worker.create_recorded_event(), cache_salt=salt
        )
        future, _ = self.worker.retrieve_futures.pop(request)
        return bool(future.result(timeout=30))

    def clear(self) -> None:
        """Sends CLEAR without force, and waits. Until 0.5.5 there was no force to be without."""
        for client in self.scheduler.req_clients.values():
            options = (
                {"force": False} if "force" in inspect.signature(client.clear).parameters else {}
            )
            client.clear(**options).result(timeout=30)

    def finish(self, request: str) -> None:
        """Ends a request."""
        self.scheduler.cleanup_lookup_result(request)
        self.scheduler.end_session(request)

    def _operation(
        self, tokens: Sequence[int], blocks: Sequence[int], start: int, skip: int = 0
    ) -> Any:
        return self.adapters.LoadStoreOp(
            token_ids=list(tokens),
            block_ids=[list(blocks)],
            start=start,
            end=start + len(blocks) * BLOCK,
            skip_first_n_tokens=skip,
        )


@contextmanager
def engine(adapters: Any, address: str, blocks: int) -> Iterator[Engine]:
    """Connects a scheduler half and a worker half to a server.

    Args:
        adapters: the module of the adapters.
        address: of the server.
        blocks: in the worker's KV cache.
    """
    import torch
    import zmq

    sockets = zmq.Context()
    made: list[Any] = []
    try:
        kv = {f"layer.{i}": torch.zeros(2, blocks, BLOCK, HEADS, HEAD_SIZE) for i in range(LAYERS)}
        arguments = (sockets, MODEL, BLOCK, one_worker(adapters))
        made.append(adapters.LMCacheMPSchedulerAdapter([address], *arguments, mq_timeout=60))
        made.append(adapters.LMCacheMPWorkerAdapter(address, *arguments, mq_timeout=60))
        made[1].register_kv_caches(kv, layout_hints={"kv_layout": "NHD"})
        scheduler, worker = made
        yield Engine(adapters, scheduler, worker, kv)
    finally:
        for half in made:
            half.shutdown()
        sockets.destroy(linger=0)


def wait(ready: Callable[[], Any], seconds: float = 30) -> Any:
    """Calls `ready` until it gives something, and returns that."""
    deadline = time.monotonic() + seconds
    while (value := ready()) is None:
        if time.monotonic() > deadline:
            raise TimeoutError("LMCache did not answer")
        time.sleep(0.002)
    return value
