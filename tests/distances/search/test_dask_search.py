"""Neighbors and duplicates on a Dask cluster are those found on this machine."""

from __future__ import annotations

import pytest

from symbed import Probe, duplicates, nearest, survey

distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)


def test_neighbors_and_duplicates_are_the_same_on_a_cluster() -> None:
    texts = [f"a*sin({k}*x) + {k % 7}" for k in range(6_000)]
    texts += [f"(2*a*sin({k}*x) + {k % 7 * 2})/2" for k in range(6_000)]
    # Two atlases: sketches are kept with the atlas that they were made for.
    here, there = survey(texts, PROBE, keep="programs"), survey(texts, PROBE, keep="programs")
    mine = nearest("a*sin(7*x) + 3", here, k=20), duplicates(here)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pool = client.get_executor()
        theirs = (
            nearest("a*sin(7*x) + 3", there, k=20, executor=pool),
            duplicates(there, executor=pool),
        )
    assert mine[0].indices.tolist() == theirs[0].indices.tolist()
    assert mine[0].distances.tolist() == theirs[0].distances.tolist()
    groups = [[group.members.tolist() for group in found] for found in (mine[1], theirs[1])]
    assert groups[0] == groups[1]
    assert len(groups[0]) < 6_100
