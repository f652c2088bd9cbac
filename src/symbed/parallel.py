"""Blocks of work on threads, processes or a Dask cluster, with results in order.

An executor is anything with the interface of ``concurrent.futures``. Blocks are functions of their
arguments alone, so one whose worker was lost is just computed again, and neither the number of
workers nor their order shows in the results. Kernels release the GIL, so plain threads are enough
on one machine, without OpenMP.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

from symbed.errors import MissingExtra, RangeError, ShapeError, WorkerError

Result = TypeVar("Result")

ATTEMPTS = 4  # how often a block is given to a worker before giving up
PATIENCE = 5  # seconds to wait for a Dask scheduler, and then for its first worker


def count_threads(workers: int | None) -> int:
    """The number of threads for a ``workers`` argument: all cores unless it says otherwise.

    As in scikit-learn's ``n_jobs``, -1 means all cores, -2 all but one, and so on.
    """
    if workers is None:
        return available_cores()
    if isinstance(workers, bool) or not hasattr(workers, "__index__") or not int(workers):
        raise RangeError(
            f"workers must be a positive whole number, or -1 for all cores, got {workers!r}"
        )
    return int(workers) if workers > 0 else max(1, available_cores() + 1 + int(workers))


def available_cores() -> int:
    """The number of cores that this process may use.

    Asked for in every search, and ``os.cpu_count`` reads a file each time.
    """
    # Fewer than the machine has where the process is bound to some; not every system tells.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def open_executor(workers: int | None, executor: Executor | None) -> Iterator[Executor]:
    """The executor of a call: the one given, or threads of its own.

    Parameters
    ----------
    workers : int or None
        Number of threads, all cores by default; only without ``executor``.
    executor : Executor or None
        An executor, or a Dask ``Client``.
    """
    if executor is None:
        own = ThreadPoolExecutor(count_threads(workers))
        try:
            yield own
        finally:
            own.shutdown(cancel_futures=True)
        return
    if workers is not None:
        raise RangeError("give workers or executor, not both: an executor has its own workers")
    yield _as_executor(executor)


def run_blocks(
    executor: Executor, function: Callable[..., Result], blocks: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """``function(*block)`` for each block, in order; only a few blocks are under way at once.

    >>> with open_executor(2, None) as threads:
    ...     list(run_blocks(threads, pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    # Results come in order, so others have to have work while the first one is waited for.
    queue: WorkQueue[Result] = WorkQueue(executor, 2 * count_workers(executor) + 2)
    try:
        for block in blocks:
            queue.submit(function, *block)
            if queue.full:
                yield queue.next()
        while queue:
            yield queue.next()
    finally:
        queue.cancel()


class WorkQueue(Generic[Result]):
    """Blocks under way, in the order in which they were submitted.

    Parameters
    ----------
    executor : Executor
        Who computes them.
    length : int
        How many may be under way at once; ``full`` tells when to take results out.
    """

    def __init__(self, executor: Executor, length: int) -> None:
        self._executor, self._length = executor, length
        self._running: deque[_Block] = deque()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def full(self) -> bool:
        """Whether results should be taken out before more is submitted."""
        return len(self._running) >= self._length

    def submit(self, function: Callable[..., Result], *arguments: Any) -> None:
        """Put one more block in queue."""
        self._running.append(_Block(function, arguments, self._try(function, arguments)))

    def next(self) -> Result:
        """The result of the first block; waits for it."""
        function, arguments, future = self._running.popleft()
        attempts = 1
        while True:
            try:
                return future.result()  # type: ignore[no-any-return]
            except Exception as error:
                if not _is_lost(error):
                    raise
                if attempts == ATTEMPTS:
                    raise WorkerError(
                        f"a block of work was lost with its worker {ATTEMPTS} times "
                        f"({_short(error)}); give the workers more memory, or fewer threads"
                    ) from error
            # A block is a function of its arguments alone, so it can be computed again.
            future, attempts = self._try(function, arguments), attempts + 1

    def cancel(self) -> None:
        """Forget all blocks; those that have not begun are never computed."""
        while self._running:
            self._running.popleft().future.cancel()

    def _try(self, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Future[Any]:
        try:
            return self._executor.submit(function, *arguments)
        # A pool of processes that lost one is broken for good.
        except BrokenExecutor as error:
            raise WorkerError(
                f"the executor lost a worker and takes no more work ({_short(error)}); "
                "call again with a new one"
            ) from error


class _Block(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: Future[Any]


@contextmanager
def open_cluster(address: str | None) -> Iterator[Executor | None]:
    """An executor on a Dask cluster; None for no address, which means threads on this machine.

    Parameters
    ----------
    address : str or None
        Address of the scheduler, such as ``tcp://host:8786``.
    """
    if address is None:
        yield None
        return
    client = _connect(address)
    try:
        yield client.get_executor()
    finally:
        client.close()


def _connect(address: str) -> Any:
    try:
        from distributed import Client as connect
    except ImportError:
        raise MissingExtra(
            "a scheduler needs Dask; install it with: pip install 'symbed[dask]'"
        ) from None
    import logging

    _knock(address)
    logging.getLogger("distributed.client").setLevel(logging.ERROR)
    try:
        client: Any = connect(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise _nobody(address, error) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise WorkerError(
            f"the scheduler at {address} has no workers; start some with: dask worker {address}"
        ) from None
    return client


def _knock(address: str) -> None:
    """See first whether anybody listens there.

    A Dask client that cannot connect is torn down when it is collected as garbage, and if that
    happens while the next one is being made, both wait for each other for ever.
    """
    import socket  # late: few calls go to a cluster

    host, colon, port = address.rpartition("://")[2].rpartition(":")
    try:
        if not colon or not port.isdigit():
            raise ValueError("an address looks like tcp://host:8786")
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _nobody(address, error) from None


def _nobody(address: str, error: Exception) -> WorkerError:
    return WorkerError(
        f"no Dask scheduler answers at {address} ({str(error) or type(error).__name__}); "
        "start one with: dask scheduler"
    )


def count_workers(executor: Executor) -> int:
    """How many blocks an executor computes at once, as far as it tells."""
    # Executors have no public way to tell.
    known = getattr(executor, "_max_workers", None)
    client = getattr(executor, "_client", None)  # of Dask
    if known is None and client is not None:
        known = sum(client.nthreads().values())
    return max(1, known) if isinstance(known, int) else count_threads(None)


def _as_executor(given: Any) -> Executor:
    if hasattr(given, "get_executor"):  # a Dask client
        given = given.get_executor()
    if not callable(getattr(given, "submit", None)):
        raise ShapeError(
            "executor needs the interface of concurrent.futures, "
            f"got {type(given).__name__}; with Dask, give client.get_executor()"
        )
    return given  # type: ignore[no-any-return]


def _is_lost(error: Exception) -> bool:
    """Whether a block failed because of its worker, not because of what it computes."""
    # By the name of its module: whoever has no Dask could not import the classes.
    home = type(error).__module__.partition(".")[0]
    return isinstance(error, (BrokenExecutor, CancelledError)) or home == "distributed"


def _short(error: BaseException) -> str:
    return str(error).split("\n")[0] or type(error).__name__
