"""The form distance: zero where contained, whatever the parametrization."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import symbed
from symbed.verdicts.families.form_comparison import compare_forms, form_distance, form_distances
from symbed.verdicts.families.relation import relate

ONE = {"x": (0.5, 5.0)}


@pytest.mark.parametrize(
    ("e", "f"),
    [("C*ln(x^2)", "C*ln(x)"), ("a*x/(b + x)", "x/(a + b*x)"), ("x/C", "C*x")],
)
def test_respellings_have_no_distance(e: str, f: str) -> None:
    assert form_distance(e, f, ONE) < 1e-9


def test_a_moved_exponent_has_a_distance() -> None:
    assert form_distance("C*x^2", "C*x^2.02", ONE) > 1e-3


def test_the_directed_distances_tell_which_contains_which() -> None:
    answer = compare_forms("C*x", "C*x + C", ONE)
    assert answer.e_to_f < 1e-12 < 1e-2 < answer.f_to_e
    assert answer.e_reached == 1.0 > answer.f_reached
    assert answer.distance == pytest.approx((answer.e_to_f + answer.f_to_e) / 2)
    assert answer.uncertainty > 0


def test_distances_lie_between_zero_and_one() -> None:
    for f in ("C*exp(C*x)", "1e300*C*x", "C/x^30"):
        assert 0.0 <= form_distance("C*sin(C*x)", f, ONE) <= 1.0


def test_members_follow_a_found_formulas_own_constants() -> None:
    found, truth = "C + C*cos(C*x)", "C*cos(C*x)"
    near = compare_forms(truth, found, ONE, f_values=[-3e-6, 2.0, 2.5])
    far = compare_forms(truth, found, ONE)
    assert near.f_to_e < 1e-4 < far.f_to_e


def test_a_matrix_is_what_scipy_takes() -> None:
    families = ["C*x", "a*x", "C*x + C", "C*sin(C*x)"]
    distances = form_distances(families, ONE)
    matrix = np.asarray(distances)
    assert matrix.shape == (4, 4)
    assert (np.diag(matrix) == 0).all()
    assert np.array_equal(matrix, matrix.T)
    assert matrix[0, 1] == 0.0  # the same program
    assert linkage(distances.condensed()).shape == (3, 4)


def test_the_matrix_does_not_depend_on_workers() -> None:
    families = ["C*x", "C*x^2", "C*x + C"]
    one, two = (form_distances(families, ONE, workers=n).directed for n in (1, 2))
    assert np.array_equal(one, two)


def test_a_family_that_is_defined_nowhere_is_far_from_all_others() -> None:
    matrix = form_distances(["C*x", "ln(0 - x*C^2)"], ONE).matrix
    assert matrix[0, 1] == 1.0
    with pytest.raises(symbed.SymbedError, match="undefined almost everywhere"):
        form_distance("C*x", "ln(0 - x*C^2)", ONE)


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(symbed.SymbedError, match="no family"):
        form_distances([], ONE)


def test_laws_that_floats_cannot_tell_apart_are_not_at_zero() -> None:
    """The second term is forty orders of magnitude below the first."""
    domain = {"x": (1.0, 2.0), "y": (1.0, 2.0)}
    e, f = (f"C*(x^2 + 1e-40*(C + {part}))" for part in ("x*y", "y/x"))
    assert 0.0 < form_distance(e, f, domain) < 1e-12
    assert form_distance(e, "C*(x^2 + 1e-40*(C + y*x))", domain) == 0.0
    assert relate(e, f, domain).distance > 0.0


@pytest.mark.parametrize(
    ("e", "f"),
    [("a*x", "1000*tanh(b)*x"), ("a*x", "2000*sin(b)*x"), ("a*exp(b*x)", "a*exp(100*tanh(b)*x)")],
)
def test_a_family_that_misses_far_members_only_is_not_at_distance_zero(e: str, f: str) -> None:
    directed = compare_forms(e, f, {"x": (1, 5)}).e_to_f
    half = relate(e, f, {"x": (1, 5)}).e_in_f
    assert half.contained is False
    assert directed == pytest.approx(half.distance, rel=0.5)
    assert directed > 1e-6
