"""Threads that compute the answers of the page, few at a time and not for long.

The page must answer while numbers are being computed, so they are computed in threads. A thread
cannot be stopped: what bounds it are the limits on points, draws and nodes. The clock only decides
how long the page waits, and a thread that is late still holds its place in the queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class Busy(Exception):
    """Too much is being computed already."""


class Late(Exception):
    """The computation takes too long."""


class ThreadPool:
    """A few threads, a short queue, and a clock.

    Parameters
    ----------
    seconds : float
        How long an answer may take.
    n_threads : int
        How many computations run at once.
    n_waiting : int
        How many more may wait.
    """

    def __init__(self, seconds: float = 20.0, n_threads: int = 2, n_waiting: int = 8) -> None:
        self._seconds, self._most = seconds, n_threads + n_waiting
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="symbed-explorer")
        self._pending = 0

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Compute in a thread; called from one event loop only."""
        return await self.run_within(None, work, *args, **kwargs)

    async def run_within(
        self, seconds: float | None, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Compute in a thread for so long; as long as everybody may, if None."""
        if self._pending >= self._most:
            raise Busy
        self._pending += 1
        loop = asyncio.get_running_loop()
        future = self._pool.submit(work, *args, **kwargs)
        future.add_done_callback(lambda _: _tell(loop, self._finished))
        try:
            return await asyncio.wait_for(
                asyncio.wrap_future(future), self._seconds if seconds is None else seconds
            )
        except TimeoutError:
            if future.done() and not future.cancelled() and future.exception():
                raise  # the computation's own
            raise Late from None

    def _finished(self) -> None:
        self._pending -= 1


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
