from __future__ import annotations

import math

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbed import Behavior, Probe, compare, distance, observe, pairwise, survey
from symbed.errors import RangeError
from tests.test_laws import DEFINED, OUTPUTS, behavior, samples

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))
METRICS = [
    {"metric": "relative"},
    {"metric": "relative", "p": 2},
    {"metric": "arcsinh"},
    {"undefined": "cemetery", "penalty": 3.0},
    {"metric": "arcsinh", "undefined": "cemetery", "penalty": 1.0},
]


@given(samples(OUTPUTS), samples(OUTPUTS), samples(OUTPUTS), st.sampled_from(METRICS))
@settings(max_examples=300, deadline=None)
def test_each_row_is_a_metric(a: np.ndarray, b: np.ndarray, c: np.ndarray, how: dict) -> None:
    x, y, z = behavior(a), behavior(b), behavior(c)
    assert distance(x, x, **how) == 0.0
    assert distance(x, y, **how) == pytest.approx(distance(y, x, **how), rel=1e-12, abs=1e-12)
    detour = distance(x, z, **how) + distance(z, y, **how)
    assert distance(x, y, **how) <= detour * (1 + 1e-9) + 1e-9


@given(samples(OUTPUTS), samples(OUTPUTS))
@settings(max_examples=100, deadline=None)
def test_relative_lies_between_zero_and_one(a: np.ndarray, b: np.ndarray) -> None:
    assert 0.0 <= distance(behavior(a), behavior(b), metric="relative") <= 1.0


@given(samples(DEFINED), samples(DEFINED), st.floats(1e-3, 1e3))
@settings(max_examples=60, deadline=None)
def test_relative_does_not_see_a_common_scale(a: np.ndarray, b: np.ndarray, scale: float) -> None:
    before = distance(behavior(a), behavior(b), metric="relative")
    after = distance(behavior(a * scale), behavior(b * scale), metric="relative")
    assert after == pytest.approx(before, rel=1e-6, abs=1e-9)


def test_relative_is_the_steinhaus_transform() -> None:
    a, b, zero = (observe(text, PROBE) for text in ("a*x", "a*x^2", "0"))
    d, size_a, size_b = distance(a, b), distance(a, zero), distance(b, zero)
    assert distance(a, b, metric="relative") == pytest.approx(2 * d / (size_a + size_b + d))


def test_relative_counts_a_mismatch_as_one_and_stays_finite() -> None:
    a, b = observe("x", PROBE), observe("log(x - 2)", PROBE)
    assert distance(a, b, metric="relative") == 1.0
    assert distance(b, b, metric="relative") == 0.0
    assert distance(observe("0", PROBE), observe("0*x", PROBE), metric="relative") == 0.0


def test_arcsinh_is_the_distance_of_transformed_outputs() -> None:
    a, b = observe("exp(a*x)", PROBE), observe("a*x", PROBE)
    found = distance(a, b, metric="arcsinh")
    want = np.abs(np.arcsinh(a.values) - np.arcsinh(b.values)).mean()
    assert found == pytest.approx(want, rel=1e-12)


@given(samples(DEFINED), samples(DEFINED))
@settings(max_examples=60, deadline=None)
def test_the_cemetery_is_the_plain_distance_where_all_is_defined(
    a: np.ndarray, b: np.ndarray
) -> None:
    plain = distance(behavior(a), behavior(b))
    buried = distance(behavior(a), behavior(b), undefined="cemetery", penalty=7.0)
    assert buried == pytest.approx(plain, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_cemetery_is_optimal_transport_on_a_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, v, penalty = rng.normal(size=7), rng.normal(size=5) - 0.5, 2.0
    u[: rng.integers(0, 7)] = np.nan
    v[: rng.integers(0, 5)] = np.inf
    places_u, places_v = np.where(np.isfinite(u), u, 0), np.where(np.isfinite(v), v, 0)
    dead_u, dead_v = ~np.isfinite(u), ~np.isfinite(v)
    cost = np.abs(places_u[:, None] - places_v[None, :])
    cost += penalty * (dead_u[:, None] ^ dead_v[None, :])
    want = ot.emd2(np.full(7, 1 / 7), np.full(5, 1 / 5), cost)
    a, b = (Behavior.from_samples([row], points=[0.0]) for row in (u, v))
    assert distance(a, b, undefined="cemetery", penalty=penalty) == pytest.approx(want)


@pytest.mark.parametrize("how", METRICS)
def test_matrices_and_comparisons_agree_with_the_distance(how: dict) -> None:
    texts = ["a*x", "x^2", "log(x - 2)", "sqrt(a - x)", "exp(x)*a", "log(-x)"]
    matrix = pairwise(survey(texts, PROBE), **how)
    behaviors = [observe(text, PROBE) for text in texts]
    for i, a in enumerate(behaviors):
        for j, b in enumerate(behaviors):
            found = compare(a, b, **how)
            assert matrix[i, j] == found.distance
            p = how.get("p", 1)
            assert np.mean(found.profile**p) ** (1 / p) == pytest.approx(found.distance, rel=1e-9)
            assert math.isfinite(found.distance) or how == {"metric": "arcsinh"}


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"undefined": "ignore"}, "undefined must be 'strict' or 'cemetery'"),
        ({"undefined": "cemetery"}, "needs penalty"),
        ({"undefined": "cemetery", "penalty": -1.0}, "needs penalty"),
        ({"undefined": "cemetery", "penalty": 1.0, "p": 2}, "p = 1 only"),
        ({"penalty": 1.0}, "goes with undefined='cemetery'"),
        ({"metric": ["relative"]}, "metric must be one of"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings_: dict, words: str) -> None:
    a = observe("x", PROBE)
    with pytest.raises(RangeError, match=words):
        compare(a, a, **settings_)


def test_an_order_that_is_a_whole_float_is_that_order() -> None:
    a, b = observe("x", PROBE), observe("x^2", PROBE)
    assert distance(a, b, p=2.0) == distance(a, b, p=2)  # type: ignore[arg-type]
