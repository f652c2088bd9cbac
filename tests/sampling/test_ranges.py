"""Ranges: what users may say, what they get, and what they are told otherwise."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from symbed.errors import RangeError
from symbed.sampling.ranges import Law


class Triangle:
    """A law of somebody's own: only a quantile function."""

    def ppf(self, q: np.ndarray) -> np.ndarray:
        """Quantiles."""
        return np.asarray(np.sqrt(q))


class Broken:
    """A law whose quantiles can be set to nonsense."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def ppf(self, q: np.ndarray) -> object:
        """Nonsense."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if np.ndim(self.answer) else np.full(np.shape(q), self.answer)


def test_two_numbers_are_a_uniform_law() -> None:
    assert Law.of((1, 5)).at([0.0, 0.25, 1.0]).tolist() == [1.0, 2.0, 5.0]


@pytest.mark.parametrize("given", [[1, 5], (np.int64(1), np.float32(5)), np.array([1, 5]),
                                   (Fraction(1), 5.0)])  # fmt: skip
def test_any_pair_of_real_numbers_will_do(given: object) -> None:
    assert Law.of(given) == Law.of((1.0, 5.0))


def test_a_scipy_law_gives_its_own_quantiles() -> None:
    u = np.array([[0.1, 0.5], [0.9, 0.2]])
    np.testing.assert_array_equal(Law.of(stats.norm(2, 3)).at(u), stats.norm(2, 3).ppf(u))


def test_anything_with_ppf_is_a_law() -> None:
    assert Law.of(Triangle()).at([0.25]).tolist() == [0.5]


def test_infinite_ends_of_a_law_are_never_reached() -> None:
    assert np.isfinite(Law.of(stats.norm()).at([0.0, 1.0])).all()


def test_equal_laws_are_equal_and_others_are_not() -> None:
    assert Law.of(stats.norm(0, 1)) == Law.of(stats.norm(0, 1))
    assert Law.of(stats.norm(0, 1)) != Law.of(stats.norm(0, 2))
    assert Law.of(stats.norm(loc=0, scale=2)) != Law.of(stats.norm(loc=2, scale=0.5))
    assert Law.of(Triangle()) == Law.of(Triangle())
    assert Law.of((0, 1)) != Law.of((0, 2))
    assert len({Law.of((0, 1)), Law.of((0.0, 1.0)), Law.of(Triangle())}) == 2


def test_a_law_survives_pickling() -> None:
    for law in (Law.of((0, 1)), Law.of(stats.norm(1, 2))):
        again = pickle.loads(pickle.dumps(law))
        assert again == law
        assert again.at(0.3) == law.at(0.3)


def test_laws_print_as_what_they_are() -> None:
    shown = [repr(Law.of(given)) for given in ((0, 1.5), stats.norm(np.float64(1), scale=2))]
    assert shown == ["(0, 1.5)", "norm(1.0, scale=2)"]
    assert repr(Law.of(Triangle())) == "Triangle"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((5, 0), "domain of 'x' needs low < high, got (5, 0)"),
        ((1, 1), "domain of 'x' needs low < high, got (1, 1)"),
        ((np.float64(5), 0), "domain of 'x' needs low < high, got (5.0, 0)"),
        ((0, math.inf), "domain of 'x' needs finite ends, got (0, inf)"),
        ((math.nan, 1), "domain of 'x' needs finite ends, got (nan, 1)"),
        ((0, 10**400), "domain of 'x' needs finite ends"),
        ((-1.7e308, 1.7e308), "domain of 'x' is too wide"),
        (3, "domain of 'x' needs (low, high) or a law with .ppf, got 3"),
        ((1, 2, 3), "domain of 'x' needs (low, high) or a law with .ppf, got (1, 2, 3)"),
        (("a", "b"), "domain of 'x' needs (low, high)"),
        ((True, 5), "domain of 'x' needs (low, high)"),
        ((1j, 5), "domain of 'x' needs (low, high)"),
        ("15", "domain of 'x' needs (low, high)"),
        (None, "domain of 'x' needs (low, high)"),
        (Broken(math.nan), "domain of 'x' needs a law with finite quantiles"),
        (Broken(np.zeros(3)), "domain of 'x': the law's .ppf must return one number per level"),
        (Broken(TypeError("no")), "domain of 'x': the law's .ppf failed on an array (no)"),
        (Broken(-np.arange(64.0)), "domain of 'x' needs a law whose .ppf rises"),
        (stats.norm(0, -1), "domain of 'x' needs a law with finite quantiles, got norm(0, -1)"),
    ],
)  # fmt: skip
def test_a_range_that_cannot_be_is_refused(given: object, message: str) -> None:
    with pytest.raises(RangeError) as caught:
        Law.of(given, "domain of 'x'")
    assert str(caught.value).startswith(message)


def test_a_law_that_turns_infinite_later_is_refused_when_used() -> None:
    class Late:
        def ppf(self, q: np.ndarray) -> np.ndarray:
            """Infinite near 1 only."""
            return np.where(np.asarray(q) > 0.999, np.inf, q)

    with pytest.raises(RangeError, match="not finite"):
        Law.of(Late()).at([0.5, 0.9995])
