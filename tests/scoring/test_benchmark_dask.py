"""A benchmark on a Dask cluster finds what it finds on one machine."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from symbed.scoring.benchmark import Limits, run_benchmark
from tests.marks import DASK
from tests.scoring.test_benchmark_runs import FILE, contents

distributed = pytest.importorskip("distributed")

pytestmark = DASK


def test_a_cluster_gives_the_same_files(tmp_path: Path) -> None:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    how = {"seeds": 2, "limits": Limits(seconds=60.0, grace=60.0), "progress": False}
    run_benchmark(tmp_path / "here", ["cooling"], [f"{FILE}:Truth"], workers=1, **how)  # type: ignore[arg-type]
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None,
            local_directory=str(tmp_path), silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        run_benchmark(tmp_path / "there", ["cooling"], [f"{FILE}:Truth"], executor=client, **how)  # type: ignore[arg-type]
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
