"""Work cut into parts for any `concurrent.futures` executor: processes of this machine, or a Dask cluster.

A part says all that its worker needs to know, and a worker opens, or fetches, the source itself. A worker that dies takes
nothing along: its part is given out again.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from annotator.model.failures import Incomplete, UserMistake

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

_TRIES = 3
"""How often a part is given out whose workers die."""
_AHEAD = 2
"""Parts under way for each worker: enough to keep it busy, few enough to keep memory flat."""
_ANSWER_SECONDS = 5
_GPU = {"GPU": 1}
"""What a Dask worker declares, by `--resources GPU=1`, that may run work for a GPU."""


class Crew(NamedTuple):
    """Who does the work.

    Attributes:
        jobs: processes of this machine; with one the work is done in this process.
        cluster: address of a Dask scheduler, whose workers do it instead.
        gpu: whether only workers of the cluster will do that declare a GPU.
    """

    jobs: int = 1
    cluster: str = ""
    gpu: bool = False

    @contextmanager
    def executor(self) -> Iterator[tuple[Executor, int]]:
        """Opens an executor; with it comes how many workers it has.

        Raises:
            UserMistake: if what a cluster needs is not installed.
            Incomplete: if the cluster does not answer.
        """
        if self.cluster:
            with _cluster_executor(self.cluster, gpu=self.gpu) as opened:
                yield opened
        elif self.jobs <= 1:
            yield _InThisProcess(), 1
        else:
            # started afresh: a forked process would share this one's open databases
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(self.jobs, mp_context=context) as pool:
                yield pool, self.jobs


def default_jobs() -> int:
    """Worker processes by default: one a processor."""
    return os.cpu_count() or 1


def run_parts(
    work: Callable[[_Part], _Result], parts: Sequence[_Part], crew: Crew
) -> Iterator[tuple[_Part, _Result]]:
    """Does parts of a work and yields each with its result, as they come to an end.

    Args:
        work: what to do with a part; a function that other processes can import.
        parts: the parts; they and their results can be pickled.
        crew: who does it.

    Raises:
        Incomplete: if workers died again and again, or the cluster does not answer.
        AnnotError: whatever `work` raises.
    """
    todo = dict(enumerate(parts))
    for tried in range(1, _TRIES + 1):
        try:
            for at, result in _run(work, todo, crew):
                part = todo.pop(at)
                yield part, result
        except Exception as error:
            if not _is_loss(error):
                raise
            if tried == _TRIES:
                raise Incomplete(
                    f"workers ended {_TRIES} times before their work was done ({error})",
                    hint="run again, with fewer --jobs: what is done is kept",
                ) from error
        else:
            return


def _run(
    work: Callable[[_Part], _Result], todo: dict[int, _Part], crew: Crew
) -> Iterator[tuple[int, _Result]]:
    waiting = iter(list(todo.items()))
    pending: dict[Future[_Result], int] = {}
    with crew.executor() as (executor, workers):
        try:
            while True:
                while len(pending) < _AHEAD * workers and (item := next(waiting, None)):
                    pending[executor.submit(work, item[1])] = item[0]
                if not pending:
                    return
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    at = pending.pop(future)
                    yield at, future.result()
        finally:
            for future in pending:
                future.cancel()


def _is_loss(error: Exception) -> bool:
    """Whether a worker was lost, rather than its work wrong."""
    lost_by_dask = {"KilledWorker", "CommClosedError", "FutureCancelledError"}
    return isinstance(error, (BrokenExecutor, CancelledError)) or (
        type(error).__module__.startswith("distributed") and type(error).__name__ in lost_by_dask
    )


class _InThisProcess(Executor):
    """An executor without workers: a part is done when it is submitted."""

    def submit(self, work, /, *arguments, **keywords):  # type: ignore[no-untyped-def]
        """Does the work."""
        future: Future[object] = Future()
        try:
            future.set_result(work(*arguments, **keywords))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def _cluster_executor(address: str, *, gpu: bool) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise UserMistake(
            "--cluster needs Dask, which is not installed",
            hint="install annot with the extra `cluster`: pip install 'annot[cluster]'",
        ) from error
    try:
        client = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Incomplete(f"no cluster answers at {address}: {error}") from error
    with client, client.get_executor(**({"resources": _GPU} if gpu else {})) as executor:
        yield executor, max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
