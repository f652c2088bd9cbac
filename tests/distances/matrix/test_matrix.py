from __future__ import annotations

import numpy as np
import pytest

from symbed import Atlas, Behavior, Probe, distance, observe, pairwise, survey
from symbed.distances.matrix import tiles as tiling
from symbed.errors import LimitError, PointsMismatch, RangeError, ShapeError

PROBE = Probe({"x": (1, 5), "y": (1, 5)}, parameters=(1, 5), n_points=32)
TEXTS = [
    "a*x + b", "x^2", "b + a*x", "sin(C*y)", "x*y", "log(x - 3)", "log(y - 3)", "sqrt(a - 3)",
    "exp(exp(a*x*y))", "a/(x - y)", "log(-x)", "C", "1", "1", "x - y",
]  # fmt: skip


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("mismatch", [np.inf, 2.5])
def test_each_entry_is_exactly_the_distance(p: int, mismatch: float) -> None:
    matrix = pairwise(survey(TEXTS, PROBE), p=p, mismatch=mismatch)
    behaviors = [observe(text, PROBE) for text in TEXTS]
    alone = [[distance(a, b, p=p, mismatch=mismatch) for b in behaviors] for a in behaviors]
    np.testing.assert_array_equal(matrix.values, alone)


def test_a_square_matrix_is_symmetric_with_zeros_on_the_diagonal() -> None:
    matrix = np.asarray(pairwise(survey(TEXTS, PROBE)))
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), 0.0)
    assert not np.isnan(matrix).any()


def test_a_cross_matrix_has_the_entries_of_the_square_one() -> None:
    whole = pairwise(survey(TEXTS, PROBE))
    cross = pairwise(survey(TEXTS[:4], PROBE), survey(TEXTS[4:], PROBE))
    np.testing.assert_array_equal(cross.values, whole.values[:4, 4:])
    assert (cross.row_labels, cross.column_labels) == (TEXTS[:4], TEXTS[4:])
    assert cross.shape == (4, len(TEXTS) - 4)


def test_many_tiles_and_any_number_of_workers_give_the_same_matrix() -> None:
    texts = [f"a*x + {k}*y" for k in range(300)] + [f"x + {k}" for k in range(300)]
    atlas = survey(texts, PROBE)
    one, three = pairwise(atlas, workers=1), pairwise(atlas, workers=3)
    np.testing.assert_array_equal(one.values, three.values)
    for i, j in [(0, 299), (10, 550), (599, 301), (257, 255)]:
        assert one[i, j] == distance(atlas[i], atlas[j])


def test_one_behavior_or_a_list_of_them_works_too() -> None:
    a, b = observe("a*x", PROBE), observe("x + y", PROBE)
    assert pairwise([a, b]).values[0, 1] == distance(a, b)
    assert pairwise(survey(TEXTS, PROBE), b).shape == (len(TEXTS), 1)


def test_the_result_can_be_written_to_an_array() -> None:
    atlas = survey(TEXTS, PROBE)
    out = np.empty((len(TEXTS), len(TEXTS)))
    found = pairwise(atlas, out=out)
    assert np.shares_memory(found.values, out)
    assert out.flags.writeable
    assert not found.values.flags.writeable
    np.testing.assert_array_equal(pairwise(atlas, out=out).values, pairwise(atlas).values)
    with pytest.raises(RangeError, match="float64 array of shape"):
        pairwise(atlas, out=np.empty((2, 2)))
    with pytest.raises(RangeError, match="writable float64 array"):
        pairwise(atlas, out=found.values)


def test_scipy_takes_a_distance_matrix() -> None:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    matrix = pairwise(survey(["x", "x + 0.1", "x + 9", "x + 9.1"], PROBE))
    tree = linkage(squareform(np.asarray(matrix)), "average")
    groups = fcluster(tree, 2, "maxclust")
    assert groups[0] == groups[1] != groups[2] == groups[3]


def test_what_is_no_atlas_is_refused() -> None:
    with pytest.raises(ShapeError, match="needs an Atlas"):
        pairwise(["x", "y"])  # type: ignore[list-item]
    other = survey(["x"], PROBE.with_(seed=1))
    with pytest.raises(PointsMismatch, match="different points"):
        pairwise(survey(["x"], PROBE), other)


def test_a_matrix_too_large_for_memory_is_refused_at_once() -> None:
    atlas = survey((f"x + {k}" for k in range(20_000)), PROBE.with_(n_points=1))
    with pytest.raises(LimitError, match="entries of one distance matrix"):
        pairwise(atlas)


def test_a_matrix_prints_as_what_it_is() -> None:
    assert repr(pairwise(survey(["x", "log(x - 3)"], PROBE))) == "DistanceMatrix(2 x 2, 50% finite)"


def test_behaviors_from_samples_mix_with_observed_ones() -> None:
    mine = Behavior.from_samples(PROBE.points[:, :1] * 2, PROBE.points, label="mine")
    assert pairwise([mine, observe("2*x", PROBE)]).values[0, 1] == 0.0


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("mismatch", [np.inf, 2.5])
def test_programs_swept_past_a_few_behaviors_give_the_same_bits(p: int, mismatch: float) -> None:
    many = survey(TEXTS, PROBE, keep="programs")
    few = [observe("a*x + b", PROBE), observe("log(x - 3)", PROBE)]
    kept = pairwise(survey(TEXTS, PROBE), few, p=p, mismatch=mismatch).values
    np.testing.assert_array_equal(pairwise(many, few, p=p, mismatch=mismatch).values, kept)
    np.testing.assert_array_equal(pairwise(few, many, p=p, mismatch=mismatch).values, kept.T)


def test_tiles_of_programs_that_are_swept_are_larger_for_nobody_keeps_their_outputs() -> None:
    def grid(many: Atlas, few: Atlas, *, swept: bool) -> tiling.Grid:
        return tiling.Grid.of(tiling.MatrixAxis(many), tiling.MatrixAxis(few), 1, swept=swept)

    texts = [f"{k}*a*x" for k in range(1100)]
    few, many = survey(TEXTS[:1], PROBE), survey(texts, PROBE, keep="programs")
    assert grid(many, few, swept=True).step > len(texts) > tiling.ROWS
    assert grid(few, many, swept=True).step > len(texts)
    assert grid(many, few, swept=False).step == tiling.ROWS
    assert grid(survey(texts, PROBE), few, swept=True).step == tiling.ROWS
    assert grid(many, survey(TEXTS, PROBE), swept=True).step == tiling.ROWS
