"""Families as distributions over whole functions: transport and energy against exact values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbed
from symbed.distances._trajectories import energy, transport
from symbed.errors import RangeError

RNG = np.random.default_rng(5)


def all_permutations(u: np.ndarray, v: np.ndarray, p: int) -> float:
    """The definition: the cheapest of all ways to match the rows."""
    return min(
        np.mean([np.mean(np.abs(u[i] - v[j]) ** p) for i, j in enumerate(way)])
        for way in itertools.permutations(range(len(v)))
    ) ** (1 / p)


@pytest.mark.parametrize("p", [1, 2])
def test_transport_is_the_cheapest_of_all_permutations(p: int) -> None:
    u, v = RNG.normal(size=(6, 5)), RNG.normal(1.0, size=(6, 5))
    assert transport(u, v, p).distance == pytest.approx(all_permutations(u, v, p), rel=1e-13)


@pytest.mark.parametrize(("m", "k"), [(4, 6), (6, 4), (1, 5), (5, 1), (3, 9)])
def test_sides_of_different_size_are_matched_as_optimal_transport_does(m: int, k: int) -> None:
    u, v = RNG.normal(size=(m, 7)), RNG.normal(0.5, size=(k, 7))
    costs = np.abs(u[:, None] - v).mean(axis=2)
    exact = ot.emd2(np.full(m, 1 / m), np.full(k, 1 / k), costs)
    assert transport(u, v, 1).distance == pytest.approx(exact, rel=1e-12)


@given(st.integers(2, 12), st.integers(1, 9), st.sampled_from([1, 2]), st.integers(0, 1000))
def test_point_by_point_no_distance_is_larger(m: int, n: int, p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, v = rng.normal(size=(m, n)), rng.standard_cauchy(size=(m, n))
    pointwise = np.mean(np.abs(np.sort(u, axis=0) - np.sort(v, axis=0)) ** p) ** (1 / p)
    assert transport(u, v, p).distance >= pointwise * (1 - 1e-12)


@pytest.mark.parametrize("p", [1, 2])
def test_the_profile_has_the_distance_as_its_mean(p: int) -> None:
    result = transport(RNG.normal(size=(8, 5)), RNG.normal(size=(8, 5)), p)
    assert np.mean(result.profile**p) ** (1 / p) == pytest.approx(result.distance)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_sizes_at_the_ends_of_the_numbers_change_nothing(size: float) -> None:
    u, v = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4))
    for p in (1, 2):
        scaled = transport(size * u, size * v, p).distance
        assert scaled == pytest.approx(size * transport(u, v, p).distance, rel=1e-12)
    assert energy(size * u, size * v) == pytest.approx(math.sqrt(size) * energy(u, v), rel=1e-9)


def test_energy_is_the_textbook_sum() -> None:
    u, v = RNG.normal(size=(5, 3)), RNG.normal(2.0, size=(7, 3))

    def norm(a: np.ndarray, b: np.ndarray) -> float:
        return math.sqrt(np.mean((a - b) ** 2))

    between = np.mean([norm(a, b) for a in u for b in v])
    within = [np.mean([norm(a, b) for a, b in itertools.permutations(w, 2)]) for w in (u, v)]
    assert energy(u, v) == pytest.approx(math.sqrt(2 * between - sum(within)), rel=1e-12)


def test_equal_sets_are_at_zero() -> None:
    u = RNG.normal(size=(9, 4))
    assert transport(u, u[::-1], 1).distance == 0.0
    assert energy(u, u) == 0.0


def test_where_one_is_undefined_the_mismatch_counts() -> None:
    u = np.array([[0.0, math.nan], [1.0, 1.0]])
    v = np.array([[0.0, 5.0], [1.0, 1.0]])
    assert transport(u, v, 1).distance == math.inf
    assert transport(u, v, 1, mismatch=2.0).distance == 0.5
    assert energy(u, v) == math.inf


def test_points_where_both_are_undefined_count_nothing() -> None:
    u = np.array([[0.0, math.nan], [1.0, math.nan]])
    assert transport(u, u + 2.0, 1).distance == 1.0


def test_undefined_trajectories_are_matched_with_each_other_where_that_can_be() -> None:
    u = np.array([[math.nan], [3.0]])
    v = np.array([[4.0], [math.nan]])
    assert transport(u, v, 1).distance == 0.5


def test_too_many_trajectories_are_refused_with_a_remedy() -> None:
    with pytest.raises(RangeError, match="same number of draws"):
        transport(np.zeros((97, 1)), np.zeros((101, 1)), 1)


def observed(text: str, domain: tuple[float, float], parameters: tuple[float, float], n: int):  # type: ignore[no-untyped-def]
    probe = symbed.Probe({"x": domain}, parameters=parameters, n_draws=n, design="shared")
    return symbed.observe(text, probe)


TRAPS = [
    # BED cannot tell these apart; the exact distances are E|x| E|C| and 8/pi^2.
    ("C*x", "C*abs(x)", (-2, 2), (-1, 1), 0.5),
    ("sin(x + C)", "sin(C)", (0, 2 * math.pi), (0, 2 * math.pi), 8 / math.pi**2),
]


@pytest.mark.parametrize(("e", "f", "domain", "parameters", "exact"), TRAPS)
def test_traps_of_bed_are_seen(
    e: str, f: str, domain: tuple[float, float], parameters: tuple[float, float], exact: float
) -> None:
    a, b = (observed(text, domain, parameters, 128) for text in (e, f))
    told = symbed.compare(a, b, metric="trajectory")
    assert told.distance == pytest.approx(exact, rel=0.02)
    assert told.interval[0] <= exact <= told.interval[1]
    assert symbed.distance(a, b) < 0.05 * exact
    assert symbed.distance(a, b, metric="energy") > 0.4


@pytest.mark.parametrize("metric", ["trajectory", "energy"])
@pytest.mark.parametrize(
    ("e", "f"), [("a*x + b", "b*1 + x*a"), ("(a + b)*x", "a*x + b*x"), ("a*exp(x)", "exp(x)*a")]
)
def test_equal_spellings_are_at_zero(e: str, f: str, metric: str) -> None:
    a, b = observed(e, (1, 5), (1, 5), 32), observed(f, (1, 5), (1, 5), 32)
    assert symbed.distance(a, b, metric=metric) < 1e-12


def test_a_family_against_itself_lies_below_the_noise_floor() -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_draws=64, design="shared")
    a, b = symbed.observe("C*x + C", probe), symbed.observe("C*x + C", probe.redrawn(5))
    told = symbed.compare(a, b, metric="trajectory")
    assert 0 < told.distance < 1.5 * told.noise_floor
    assert told.interval[0] == 0
    assert symbed.compare(a, b, metric="energy").distance < 0.1 * told.distance


@pytest.mark.parametrize("p", [1, 2])
def test_it_is_never_below_bed_on_the_same_draws(p: int) -> None:
    for e, f in [("a*x + b", "a*x*b"), ("a*sin(b*x)", "a + b*x"), ("x", "a*x"), ("ln(x)", "1/x")]:
        a, b = observed(e, (0.5, 3), (-2, 2), 32), observed(f, (0.5, 3), (-2, 2), 32)
        bed = symbed.distance(a, b, p=p)
        assert symbed.distance(a, b, metric="trajectory", p=p) >= bed * (1 - 1e-12)


def test_samples_of_others_are_trajectories_too() -> None:
    a = symbed.Behavior.from_samples([[0.0, 1.0], [0.0, 1.0]], points=[0.0, 1.0])
    b = symbed.Behavior.from_samples([[0.0, 1.0], [1.0, 0.0]], points=[0.0, 1.0])
    assert symbed.distance(a, b) == 0.0
    assert symbed.distance(a, b, metric="trajectory") == 0.5


def test_callables_are_compared_as_expressions_are() -> None:
    probe = symbed.Probe({"x": (-2, 2)}, parameters=(-1, 1), n_draws=32, design="shared")
    family = symbed.Family(lambda x, c: c * np.abs(x[:, 0]), parameters=("c",))
    a, b = symbed.observe("C*abs(x)", probe), symbed.observe(family, probe)
    assert symbed.distance(a, b, metric="trajectory") < 1e-12


def test_draws_of_their_own_at_each_point_are_refused_with_the_remedy() -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    a = symbed.observe("C*x", probe)
    with pytest.raises(RangeError, match="design='shared'"):
        symbed.compare(a, a, metric="trajectory")


@pytest.mark.parametrize("metric", ["trajectory", "energy"])
def test_verbs_on_many_say_that_it_is_for_two(metric: str) -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), design="shared")
    atlas = symbed.survey(["C*x", "C + x"], probe)
    for verb in (symbed.pairwise, symbed.duplicates, lambda a, **kw: symbed.nearest("x", a, **kw)):
        with pytest.raises(RangeError, match="two families at a time"):
            verb(atlas, metric=metric)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"metric": "energy", "p": 2}, "no order p"),
        ({"metric": "trajectory", "undefined": "cemetery", "penalty": 1.0}, "finite mismatch"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    settings: dict[str, object], words: str
) -> None:
    with pytest.raises(RangeError, match=words):
        symbed.Measure(**settings)  # type: ignore[arg-type]
