from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from symbed import Probe, survey
from symbed.errors import RangeError, ShapeError, WorkerError
from symbed.parallel import ATTEMPTS, count_workers, open_cluster, open_executor, run_blocks


class Flaky(Executor):
    """Loses the first few attempts at every block."""

    def __init__(self, n_lost: int, error: Exception) -> None:
        self.n_lost, self.error = n_lost, error
        self.attempts: dict[Any, int] = {}

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        attempt = self.attempts[arguments] = self.attempts.get(arguments, 0) + 1
        if attempt <= self.n_lost:
            future.set_exception(self.error)
        else:
            future.set_result(function(*arguments))
        return future


class KilledWorker(Exception):
    """What Dask raises."""


KilledWorker.__module__ = "distributed.scheduler"


@pytest.mark.parametrize("error", [BrokenExecutor(), CancelledError(), KilledWorker()])
def test_a_block_that_is_lost_with_its_worker_is_computed_again(error: Exception) -> None:
    flaky = Flaky(ATTEMPTS - 1, error)
    assert list(run_blocks(flaky, pow, [(2, k) for k in range(9)])) == [2**k for k in range(9)]
    assert set(flaky.attempts.values()) == {ATTEMPTS}


def test_a_block_that_is_lost_again_and_again_is_an_error() -> None:
    with pytest.raises(WorkerError, match=f"lost with its worker {ATTEMPTS} times"):
        list(run_blocks(Flaky(ATTEMPTS, BrokenExecutor()), pow, [(2, 3)]))


def test_an_error_of_the_work_itself_is_not_tried_again() -> None:
    flaky = Flaky(1, ZeroDivisionError("mine"))
    with pytest.raises(ZeroDivisionError, match="mine"):
        list(run_blocks(flaky, pow, [(2, 3)]))
    assert flaky.attempts == {(2, 3): 1}


def test_an_executor_that_takes_no_more_work_is_told() -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, *_: Any, **__: Any) -> Future[Any]:  # type: ignore[override]
            raise BrokenExecutor("a child process terminated")

    with pytest.raises(WorkerError, match="call again with a new one"):
        list(run_blocks(Broken(1), pow, [(2, 3)]))


def test_results_come_in_order_however_long_they_take() -> None:
    def work(number: int) -> int:
        time.sleep(0.01 if number % 3 == 0 else 0.0)
        return number

    with ThreadPoolExecutor(4) as pool:
        assert list(run_blocks(pool, work, [(k,) for k in range(40)])) == list(range(40))


def test_blocks_are_made_only_as_they_are_needed() -> None:
    made = 0

    def blocks() -> Iterator[tuple[int, int]]:
        nonlocal made
        for k in range(1000):
            made += 1
            yield 2, k

    with ThreadPoolExecutor(2) as pool:
        results = run_blocks(pool, pow, blocks())
        next(results)
        assert made <= 7
        results.close()  # type: ignore[attr-defined]


def test_an_executor_is_anything_with_the_interface() -> None:
    class Client:
        """Like Dask's: no executor itself, but it has one."""

        def get_executor(self) -> Executor:
            return pool

    with ThreadPoolExecutor(3) as pool:
        with open_executor(None, Client()) as found:  # type: ignore[arg-type]
            assert found is pool
        assert count_workers(pool) == 3
        assert pool.submit(pow, 2, 3).result() == 8, "it is not ours to shut down"
    assert count_workers(Executor()) >= 1
    with pytest.raises(ShapeError, match=r"interface of concurrent\.futures, got int"):
        survey(["x"], Probe({"x": (1, 5)}), executor=3)  # type: ignore[arg-type]
    with pytest.raises(RangeError, match="workers or executor, not both"):
        survey(["x"], Probe({"x": (1, 5)}), executor=pool, workers=2)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "no-such-host.invalid:8786", "abc", ""])
def test_a_scheduler_that_is_not_there_is_told(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("symbed.parallel.PATIENCE", 0.5)
    with pytest.raises(WorkerError, match="no Dask scheduler answers at"), open_cluster(address):
        pass


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from symbed.errors import MissingExtra

    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with (
        pytest.raises(MissingExtra, match=r"pip install 'symbed\[dask\]'"),
        open_cluster("tcp://x:1"),
    ):
        pass


def test_no_address_means_no_cluster() -> None:
    with open_cluster(None) as found:
        assert found is None
