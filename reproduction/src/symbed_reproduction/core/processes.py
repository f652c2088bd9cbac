"""Processes: a function and blocks of work go in; results come out as they are finished.

Workers end with the process that started them, also when that one is killed, and at once when it
is interrupted: what they have finished is on the disk, and the rest will be computed again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, as_completed
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from symbed.errors import WorkerError

Result = TypeVar("Result")


def run_anywhere(
    n_workers: int, function: Callable[..., Result], blocks: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """``function(*block)`` for each block, by so many processes; whatever is finished comes first.

    Parameters
    ----------
    n_workers : number of processes.
    function : a function of a module, so that another process can find it.
    blocks : arguments; those that come first are begun first.
    """
    context = multiprocessing.get_context("spawn")  # a fork could copy a lock that is held
    told, teller = context.Pipe(duplex=False)
    pool = _Pool(n_workers, context, initializer=_listen, initargs=(told,))
    try:
        futures = [pool.submit(function, *block) for block in blocks]
        for future in as_completed(futures):
            yield future.result()
    except BrokenExecutor as error:
        raise WorkerError(
            "a process was lost, perhaps for lack of memory; finished units are kept, call again "
            "to go on, with fewer workers if memory is short"
        ) from error
    except BaseException:
        teller.close()  # no waiting for units that are under way
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        teller.close()
        told.close()


class _Pool(ProcessPoolExecutor):
    """Processes that are deaf to Ctrl-C: the one that started them decides when they end."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Processes are started in here, and inherit which signals are blocked.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(function, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen(told: Connection) -> None:
    """End this process when the other end of the pipe is closed, be it by a kill."""

    def listen() -> None:
        try:
            told.recv_bytes()
        finally:
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
