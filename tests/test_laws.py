"""The laws of a metric, by hypothesis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from symbed import Behavior, distance
from tests import naive

N_POINTS = 4
OUTPUTS = st.floats(-1e6, 1e6, width=32) | st.sampled_from([float("nan"), float("inf")])
DEFINED = st.floats(-1e6, 1e6, width=32)


def samples(outputs: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    return st.integers(1, 6).flatmap(
        lambda m: arrays(np.float64, (N_POINTS, m), elements=outputs, fill=st.nothing())
    )


def behavior(rows: np.ndarray) -> Behavior:
    return Behavior.from_samples(rows, points=np.arange(N_POINTS, dtype=float))


@given(samples(OUTPUTS), samples(OUTPUTS), st.sampled_from([1, 2]))
@settings(max_examples=200, deadline=None)
def test_it_is_the_definition(a: np.ndarray, b: np.ndarray, p: int) -> None:
    want = naive.bed(a.tolist(), b.tolist(), p)
    assert distance(behavior(a), behavior(b), p=p) == pytest.approx(want, rel=1e-9, abs=1e-9)


@given(samples(OUTPUTS), st.sampled_from([1, 2]))
@settings(max_examples=60, deadline=None)
def test_nothing_is_far_from_itself(a: np.ndarray, p: int) -> None:
    assert distance(behavior(a), behavior(a), p=p) == 0.0


@given(samples(OUTPUTS), samples(OUTPUTS), st.sampled_from([1, 2]))
@settings(max_examples=100, deadline=None)
def test_it_is_symmetric_and_not_negative(a: np.ndarray, b: np.ndarray, p: int) -> None:
    there, back = distance(behavior(a), behavior(b), p=p), distance(behavior(b), behavior(a), p=p)
    assert there == back
    assert there >= 0


@given(samples(OUTPUTS), samples(OUTPUTS), samples(OUTPUTS), st.sampled_from([1, 2]))
@settings(max_examples=200, deadline=None)
def test_a_detour_is_never_shorter(a: np.ndarray, b: np.ndarray, c: np.ndarray, p: int) -> None:
    x, y, z = behavior(a), behavior(b), behavior(c)
    detour = distance(x, z, p=p) + distance(z, y, p=p)
    assert distance(x, y, p=p) <= detour * (1 + 1e-9) + 1e-9


@given(samples(DEFINED), samples(DEFINED), st.floats(-1e3, 1e3))
@settings(max_examples=100, deadline=None)
def test_a_common_shift_changes_nothing(a: np.ndarray, b: np.ndarray, shift: float) -> None:
    before, after = (
        distance(behavior(a), behavior(b)),
        distance(behavior(a + shift), behavior(b + shift)),
    )
    assert after == pytest.approx(before, rel=1e-9, abs=1e-7)


@given(samples(DEFINED), samples(DEFINED), st.floats(1e-3, 1e3), st.sampled_from([1, 2]))
@settings(max_examples=100, deadline=None)
def test_a_common_scale_scales_it(a: np.ndarray, b: np.ndarray, scale: float, p: int) -> None:
    before = distance(behavior(a), behavior(b), p=p)
    after = distance(behavior(a * scale), behavior(b * scale), p=p)
    assert after == pytest.approx(scale * before, rel=1e-9, abs=1e-9)


@given(samples(DEFINED), st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_repeating_every_draw_changes_nothing(a: np.ndarray, times: int) -> None:
    assert distance(behavior(a), behavior(np.repeat(a, times, axis=1))) == pytest.approx(
        0, abs=1e-9
    )
