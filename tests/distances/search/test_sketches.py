"""Sketches bound distances from below, whatever the outputs, and both engines make them alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import symbed
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.search._filter_refine import Query
from symbed.distances.search.sketches import group_points, sketch, sketch_plan
from symbed.engine.structures.observations import Scan
from tests.distances.irregular import PROBE, TEXTS
from tests.engine.engines import has_core, native, twin

NATIVE = pytest.mark.skipif(not has_core, reason="no native core")


def _samples(draw: Any, n_points: int, n_draws: int) -> NDArray[np.float64]:
    numbers = st.one_of(
        st.floats(-10, 10), st.floats(allow_nan=True, allow_infinity=True), st.just(np.nan)
    )
    flat = draw(st.lists(numbers, min_size=n_points * n_draws, max_size=n_points * n_draws))
    return np.array(flat).reshape(n_points, n_draws)


@st.composite
def behaviors(draw: Any) -> tuple[symbed.Behavior, symbed.Behavior]:
    """Two behaviors at the same points, of any outputs and numbers of draws."""
    n_points = draw(st.integers(1, 6))
    points = np.arange(n_points, dtype=np.float64)[:, None]
    sides = [_samples(draw, n_points, draw(st.integers(1, 5))) for _ in range(2)]
    a, b = (symbed.Behavior.from_samples(side, points) for side in sides)
    return a, b


@settings(max_examples=300, deadline=None)
@given(behaviors(), st.sampled_from([1, 2]), st.sampled_from(["strict", "cemetery"]))
def test_no_bound_is_larger_than_the_distance(
    pair: tuple[symbed.Behavior, symbed.Behavior], p: int, undefined: Any
) -> None:
    if undefined == "cemetery":
        measure = Measure(undefined="cemetery", penalty=1.0)
    else:
        measure = Measure(p=p, mismatch=0.0)  # nothing is added where one is undefined
    plan = sketch_plan(pair[0].points)
    sides = [kernels.prepare((b.outputs[None], b.counts[None]), measure) for b in pair]
    query = Query.of(sides[0], plan, measure)
    values, _, _ = sketch(sides[1], plan, measure)
    bound = twin.scan(Scan(values, slice(0, 1), query.sketch, plan.weights, measure.p))
    assert float(bound[0]) <= query.passes(float(kernels.cross(sides[0], sides[1], measure)[0, 0]))


@settings(max_examples=200, deadline=None)
@given(behaviors())
def test_means_move_by_no_more_than_the_distance(
    pair: tuple[symbed.Behavior, symbed.Behavior],
) -> None:
    measure = Measure()
    plan = sketch_plan(pair[0].points)
    sides = [kernels.prepare((b.outputs[None], b.counts[None]), measure) for b in pair]
    distance = float(kernels.cross(sides[0], sides[1], measure)[0, 0])
    keys = [sketch(side, plan, measure)[1][0] for side in sides]
    slack = 1e-12 * float(keys[0][0]) + 1e-12 * float(keys[1][0])
    with np.errstate(over="ignore"):
        assert (np.abs(keys[0] - keys[1]) <= distance + slack).all()


@NATIVE
@pytest.mark.parametrize("n_points", [1, 24, 100])
@pytest.mark.parametrize("n_draws", [1, 5, 8])
def test_both_engines_make_the_same_sketches(n_points: int, n_draws: int) -> None:
    probe = PROBE.with_(n_points=n_points, n_draws=n_draws)
    plan = sketch_plan(probe.points)
    for block in symbed.survey(TEXTS, probe).rows.blocks:
        outputs, counts = block.take(np.arange(len(block)))
        made = [engine.sketch((outputs, counts), plan) for engine in (native, twin)]
        np.testing.assert_allclose(made[0][0], made[1][0], rtol=1e-6, atol=1e-30)
        scale = made[1][1][:, :1]
        assert (np.abs(made[0][1] - made[1][1]) <= 1e-13 * scale).all()


@NATIVE
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("isa", native.supported_isas() if has_core else [])
def test_both_engines_scan_alike_on_every_instruction_set(p: int, isa: str) -> None:
    rng = np.random.default_rng(0)
    plan = sketch_plan(PROBE.points)
    used = native.isa()
    native.select_isa(isa)
    try:
        for blocks, query_blocks in ((1, 1), (1, 2), (2, 1), (2, 2)):
            values = rng.normal(size=(20, blocks, plan.width)).astype(np.float32)
            values[rng.uniform(size=values.shape) < 0.1] = np.nan
            query = rng.normal(size=(query_blocks, plan.width)).astype(np.float32)
            for rows in (slice(3, 17), np.array([5, 0, 19])):
                scan = Scan(values, rows, query, plan.weights, p)
                found = [engine.scan(scan) for engine in (native, twin)]
                assert len(found[0]) == (14 if isinstance(rows, slice) else 3)
                np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    finally:
        native.select_isa(used)


@NATIVE
def test_a_scan_outside_of_the_table_is_refused() -> None:
    plan = sketch_plan(PROBE.points)
    values = np.zeros((3, 1, plan.width), np.float32)
    with pytest.raises(symbed.errors.ShapeError):
        native.scan(Scan(values, np.array([3]), values[0], plan.weights, 1))


def test_groups_of_points_are_of_equal_size_and_of_neighbors() -> None:
    points = np.random.default_rng(1).uniform(size=(200, 2))
    groups = group_points(points, 64)
    counts = np.bincount(groups, minlength=64)
    assert counts.sum() == 200
    assert counts.min() >= 3
    assert counts.max() <= 4
    spread = np.mean([np.ptp(points[groups == g], axis=0).max() for g in range(64)])
    assert spread < 0.2


def test_few_points_are_groups_of_their_own() -> None:
    assert sorted(group_points(PROBE.points, 24).tolist()) == list(range(24))
