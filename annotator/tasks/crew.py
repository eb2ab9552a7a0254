"""Work cut into parts for any `concurrent.futures` executor: processes of this machine, or a Dask cluster.

A part says all that its worker needs to know, and a worker opens, or fetches, the source itself. A worker that dies takes
nothing along: its part is given out again.
"""

import multiprocessing
import os
import time
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
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from annotator.model.failures import Incomplete, UserMistake

if TYPE_CHECKING:
    from distributed import Client

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

_TRIES = 3
"""How often a part is given out whose workers die."""
_AHEAD = 2
"""Parts under way for each worker: enough to keep it busy, few enough to keep memory flat."""
_ANSWER_SECONDS = 5
_LOOK_SECONDS = 2.0
"""How often a work that does not move on is looked after."""
_GPU = {"GPU": 1}
"""What a Dask worker declares, by `--resources GPU=1`, that may run work for a GPU."""


class Workforce:
    """An open executor.

    Attributes:
        executor: it.
        workers: how many workers it has for this work; a cluster's may come later.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self.executor = executor
        self.workers = workers

    def look(self, patience: float) -> None:
        """Looks whether somebody is there who can do the work.

        Args:
            patience: for how many seconds nobody may have been there.

        Raises:
            Incomplete: if nobody was.
        """


class Crew(NamedTuple):
    """Who does the work.

    Attributes:
        jobs: processes of this machine; with one the work is done in this process.
        cluster: address of a Dask scheduler, whose workers do it instead.
        gpu: whether only workers of the cluster will do that declare a GPU.
        patience: seconds for which a cluster may be without workers: nannies and job queues bring new ones.
    """

    jobs: int = 1
    cluster: str = ""
    gpu: bool = False
    patience: float = 60.0

    @property
    def is_shared(self) -> bool:
        """Whether the work leaves this process."""
        return self.jobs > 1 or bool(self.cluster)

    @contextmanager
    def executor(self) -> Iterator[Workforce]:
        """Opens an executor.

        Raises:
            UserMistake: if what a cluster needs is not installed.
            Incomplete: if the cluster does not answer.
        """
        if self.cluster:
            with _on_cluster(self.cluster, gpu=self.gpu) as workforce:
                yield workforce
        elif self.jobs <= 1:
            yield Workforce(_InThisProcess(), 1)
        else:
            # started afresh: a forked process would share this one's open databases
            context = multiprocessing.get_context("spawn")
            others = set(multiprocessing.active_children())
            with ProcessPoolExecutor(self.jobs, mp_context=context) as pool:
                try:
                    yield Workforce(pool, self.jobs)
                except (
                    BaseException
                ):  # what is under way, and what a worker would take up next, is wanted no more
                    for process in set(multiprocessing.active_children()) - others:
                        process.terminate()
                    raise


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
        Incomplete: if workers died again and again, or the cluster does not answer or has no workers left.
        AnnotError: whatever `work` raises.
    """
    return run_shared(work, [(crew, parts)])


def run_shared(
    work: Callable[[_Part], _Result], shares: Sequence[tuple[Crew, Sequence[_Part]]]
) -> Iterator[tuple[_Part, _Result]]:
    """Does parts of a work, several crews at the same time, each its own share; see `run_parts`."""
    left = [(crew, dict(enumerate(parts))) for crew, parts in shares]
    for tried in range(1, _TRIES + 1):
        try:
            for todo, at, result in _run(work, left):
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


class _Share(Generic[_Part, _Result]):
    """A crew's share of the work, and what of it is under way."""

    def __init__(self, crew: Crew, workforce: Workforce, todo: dict[int, _Part]) -> None:
        self._crew = crew
        self._workforce = workforce
        self.todo = todo
        self._waiting = iter(list(todo.items()))
        self.pending: dict[Future[_Result], int] = {}

    def fill(self, work: Callable[[_Part], _Result]) -> None:
        """Gives out parts until the crew is busy."""
        most = _AHEAD * max(1, self._workforce.workers)
        while len(self.pending) < most and (item := next(self._waiting, None)):
            self.pending[self._workforce.executor.submit(work, item[1])] = item[0]

    def look(self) -> None:
        """Raises Incomplete if the work will not go on."""
        self._workforce.look(self._crew.patience)


def _run(
    work: Callable[[_Part], _Result], left: Sequence[tuple[Crew, dict[int, _Part]]]
) -> Iterator[tuple[dict[int, _Part], int, _Result]]:
    with ExitStack() as opened:
        shares: list[_Share[_Part, _Result]] = [
            _Share(crew, opened.enter_context(crew.executor()), todo) for crew, todo in left if todo
        ]
        try:
            while True:
                for share in shares:
                    share.fill(work)
                shares = [share for share in shares if share.pending]
                if not shares:
                    return
                under_way = [future for share in shares for future in share.pending]
                done = wait(under_way, _LOOK_SECONDS, return_when=FIRST_COMPLETED).done
                for share in shares:
                    ended = done & share.pending.keys()
                    for future in ended:
                        at = share.pending.pop(future)
                        yield share.todo, at, future.result()
                    if not ended:
                        share.look()
        finally:
            for share in shares:
                for future in share.pending:
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
def _on_cluster(address: str, *, gpu: bool) -> Iterator[Workforce]:
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
        yield _Cluster(executor, client, address, gpu=gpu)


class _Cluster(Workforce):
    """The workers of a Dask cluster. Dask itself waits for workers for ever."""

    def __init__(self, executor: Executor, client: "Client", address: str, *, gpu: bool) -> None:
        self._client = client
        self._address = address
        self._gpu = gpu
        self._seen = time.monotonic()
        super().__init__(executor, self._count())

    def look(self, patience: float) -> None:
        """See `Workforce.look`."""
        now = time.monotonic()
        if self._count():
            self._seen = now
        elif now - self._seen >= patience:
            start = f"dask worker {self._address}"
            if self._gpu:
                raise Incomplete(
                    f"no worker of the cluster at {self._address} declares a GPU",
                    hint=f"start one on a machine that has one: {start} --resources GPU=1",
                )
            raise Incomplete(
                f"the cluster at {self._address} has no workers",
                hint=f"start some where annot is installed: {start}",
            )

    def _count(self) -> int:
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return sum("GPU" in worker["resources"] or not self._gpu for worker in workers)
