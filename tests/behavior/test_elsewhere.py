"""Surveys by processes and by a Dask cluster: the same bytes as with threads."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symbed import Family, Probe, survey
from symbed.behavior.store.segments import Store
from symbed.cli import main
from symbed.errors import WorkerError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
LINES = [f"a*sin({k}*x) + b" for k in range(3000)] + [f"x + {k}" for k in range(2000)]


def files(path: Path) -> list[str]:
    """The files of an atlas: they are named by their content."""
    return [batch.path.name for batch in Store.open(path).batches]


def scaled(points: Any, vector: Any) -> Any:
    return points[:, 0] * vector[0]


class Counted(Executor):
    """Another executor that counts what it is given."""

    def __init__(self, other: Executor) -> None:
        self.other, self.n_blocks = other, 0

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        self.n_blocks += 1
        return self.other.submit(function, *arguments)


def test_processes_write_the_same_bytes_as_threads(tmp_path: Path) -> None:
    survey(LINES, PROBE, out=tmp_path / "threads")
    line = Family(scaled, parameters=("a",), label="line")
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        counted = Counted(pool)
        survey(LINES, PROBE, out=tmp_path / "processes", executor=counted)
        assert counted.n_blocks > 8
        atlas = survey(["x", line, "a*x"], PROBE, executor=pool)
    assert files(tmp_path / "processes") == files(tmp_path / "threads")
    np.testing.assert_array_equal(atlas[1].values, survey([line], PROBE)[0].values)


def test_a_pool_that_lost_a_process_is_told_and_what_was_finished_stays(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(WorkerError, match="call again with a new one"):
            survey(LINES, PROBE, out=tmp_path / "a", executor=pool)
    survey(LINES, PROBE, out=tmp_path / "b")
    survey(LINES, PROBE, out=tmp_path / "a")
    assert files(tmp_path / "a") == files(tmp_path / "b")


@pytest.fixture
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_writes_the_same_bytes(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey(LINES, PROBE, out=tmp_path / "threads")
    counted = Counted(client.get_executor())
    survey(LINES, PROBE, out=tmp_path / "cluster", executor=counted)
    assert counted.n_blocks > 8
    assert files(tmp_path / "cluster") == files(tmp_path / "threads")
    victim = next(iter(client.run(os.getpid).values()))

    def kill(n_read: int) -> None:
        if n_read == 2048:
            os.kill(victim, signal.SIGKILL)

    survey(LINES, PROBE, out=tmp_path / "killed", executor=client, progress=kill)
    assert files(tmp_path / "killed") == files(tmp_path / "threads")
    assert victim not in client.run(os.getpid).values()
    (tmp_path / "lines.txt").write_text("\n".join(LINES))
    monkeypatch.chdir(tmp_path)
    words = ["survey", "lines.txt", "--domain", "x=1:5", "--parameters", "1:5", "--points", "16"]
    words += ["--draws", "8", "-o", "command", "--scheduler", client.scheduler.address]
    assert main(words) == 0
    assert files(tmp_path / "command") == files(tmp_path / "threads")
