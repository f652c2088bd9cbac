"""A distance matrix on a Dask cluster that loses a worker: the same bytes as on this machine."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symbed import Probe, duplicates, nearest, pairwise, survey

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)


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


def digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def test_a_matrix_of_20000_is_the_same_though_a_worker_was_killed_midway(
    client: Any, tmp_path: Path
) -> None:
    texts = [f"a*sin({k}*x) + b" for k in range(16_000)] + [f"x^2 + {k}" for k in range(4_000)]
    atlas = survey(texts, PROBE, keep="programs")
    assert atlas.n_distinct == 20_000
    pairwise(atlas, out=tmp_path / "serial.npy", workers=1, progress=False)
    serial = digest(tmp_path / "serial.npy")
    (tmp_path / "serial.npy").unlink()
    victim = next(iter(client.run(os.getpid).values()))
    seen: list[int] = []

    def kill(n_done: int) -> None:
        if n_done > 50_000_000 and not seen:
            os.kill(victim, signal.SIGKILL)
            seen.append(n_done)

    pairwise(atlas, out=tmp_path / "dask.npy", executor=client.get_executor(), progress=kill)
    assert seen, "the worker was not killed"
    assert seen[0] < 300_000_000, "that was not midway"
    assert victim not in client.run(os.getpid).values()
    assert digest(tmp_path / "dask.npy") == serial


def test_neighbours_and_duplicates_are_the_same_on_a_cluster(client: Any) -> None:
    texts = [f"a*sin({k % 3000}*x) + {k % 7}" for k in range(12_000)]
    here, there = survey(texts, PROBE, keep="programs"), survey(texts, PROBE, keep="programs")
    executor = client.get_executor()
    mine = nearest("a*sin(7*x) + 3", here, k=20)
    theirs = nearest("a*sin(7*x) + 3", there, k=20, executor=executor)
    assert mine.indices.tolist() == theirs.indices.tolist()
    assert mine.distances.tolist() == theirs.distances.tolist()
    one, two = duplicates(here), duplicates(there, executor=executor)
    assert [g.members.tolist() for g in one] == [g.members.tolist() for g in two]
