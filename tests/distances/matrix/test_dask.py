"""A matrix on a cluster that loses a worker has the bytes of one made by a single thread."""

from __future__ import annotations

import filecmp
import logging
import os
import signal
from pathlib import Path

import pytest

from symbed import Atlas, Probe, pairwise, survey
from symbed.distances.matrix import tiles as tiling
from tests.marks import DASK

distributed = pytest.importorskip("distributed")

pytestmark = DASK


@pytest.fixture
def client(tmp_path: Path):
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None,
            local_directory=str(tmp_path), silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):  # fmt: skip
        yield connected


def expressions(count: int) -> Atlas:
    probe = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=4)
    texts = (
        f"a*x^{k / 7919 + 0.5:.6f} + b" if k % 3 else f"x^{k / 7919:.6f}" for k in range(count)
    )
    return survey(texts, probe, keep="programs")


def test_a_matrix_of_20_000_survives_a_killed_worker_byte_for_byte(client, tmp_path: Path) -> None:
    atlas = expressions(20_000)
    pairwise(atlas, workers=1, out=tmp_path / "serial.npy")
    (victim, *_) = client.run(os.getpid).values()
    killed = []

    def kill(done: int) -> None:
        if done > 0.4 * len(atlas) ** 2 and not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    found = pairwise(
        atlas, executor=client.get_executor(), out=tmp_path / "cluster.npy", progress=kill
    )
    assert killed
    assert found.shape == (20_000, 20_000)
    assert filecmp.cmp(tmp_path / "serial.npy", tmp_path / "cluster.npy", shallow=False)


def test_a_matrix_in_memory_is_the_same_from_a_cluster(client, monkeypatch) -> None:
    monkeypatch.setattr(tiling, "ROWS", 128)
    atlas = expressions(1_000)
    found = pairwise(atlas, executor=client.get_executor(), metric="relative")
    assert found.values.tobytes() == pairwise(atlas, metric="relative").values.tobytes()
