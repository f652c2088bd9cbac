from __future__ import annotations

import numpy as np
import pytest

import symbed
from symbed import Behavior, Family, Probe, observe
from symbed.errors import DataError, MissingRange, MissingVariable, ParseError, ShapeError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))


def test_values_are_sorted_rows_of_points_by_draws() -> None:
    values = observe("a*x + b", PROBE).values
    assert values.shape == (64, 32)
    assert (np.diff(values, axis=1) >= 0).all()


def test_values_cannot_be_written() -> None:
    behavior = observe("a*x + b", PROBE)
    with pytest.raises(ValueError, match="read-only"):
        behavior.values[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        behavior.points[0, 0] = 1.0


def test_an_expression_without_parameters_has_the_same_output_for_every_draw() -> None:
    behavior = observe("x + 1", PROBE)
    assert behavior.values.shape == (64, 32)
    np.testing.assert_array_equal(behavior.values, np.repeat(PROBE.points + 1, 32, axis=1))
    assert (behavior.defined == 32).all()


def test_undefined_outputs_are_dropped_from_their_row_only() -> None:
    probe = Probe({"x": (0, 1)}, parameters=(-1, 1), n_points=8, n_draws=16)
    behavior = observe("sqrt(a) + x", probe)
    assert (behavior.defined > 0).all()
    assert (behavior.defined < 16).all()
    for row, count in zip(behavior.values, behavior.defined, strict=True):
        assert np.isfinite(row[:count]).all()
        assert np.isnan(row[count:]).all()


def test_outputs_beyond_the_limit_are_undefined() -> None:
    points = [1.0, 10.0, 100.0]
    behavior = observe("x", Probe.at(points, ["x"], limit=10.0))
    assert behavior.defined.tolist() == [32, 32, 0]


def test_samples_of_somebody_else_become_a_behavior() -> None:
    behavior = Behavior.from_samples([[3.0, 1.0, np.inf], [2.0, 5.0, 4.0]], points=[[0.0], [1.0]])
    np.testing.assert_array_equal(behavior.values, [[1.0, 3.0, np.nan], [2.0, 4.0, 5.0]])
    assert behavior.defined.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("samples", "points", "words"),
    [
        ([[1.0, 2.0]], [0.0, 1.0], "1 rows for 2 points"),
        ([1.0, 2.0], [0.0, 1.0], "must be a matrix"),
        ([["a", "b"]], [0.0], "must be numbers"),
        ([[1.0]], [np.nan], "nan"),
        (np.empty((0, 3)), np.empty((0, 1)), "must be a matrix"),
    ],
)
def test_samples_that_do_not_fit_are_refused(samples: object, points: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Behavior.from_samples(samples, points)  # type: ignore[arg-type]


def test_a_callable_behaves_like_the_formula_it_computes() -> None:
    line = Family(lambda x, c: c[0] * x[:, 0] + c[1], parameters=("a", "b"), label="line")
    shared = PROBE.with_(design="shared")
    called, written = observe(line, shared), observe("a*x + b", shared)
    np.testing.assert_allclose(called.values, written.values, rtol=1e-14)
    found = symbed.compare(observe(line, PROBE), observe("a*x + b", PROBE))
    assert found.distance < 2 * found.noise_floor


def test_a_callable_is_aligned_by_effect_not_by_the_order_of_its_parameters() -> None:
    one = Family(lambda x, c: c[0] * x[:, 0] + c[1], parameters=("a", "b"))
    two = Family(lambda x, c: c[1] * x[:, 0] + c[0], parameters=("b", "a"))
    assert symbed.distance(observe(one, PROBE), observe(two, PROBE)) == 0.0


def test_a_callable_without_parameters_is_called_once() -> None:
    calls = []
    family = Family(lambda x, c: calls.append(len(c)) or x[:, 0])
    assert observe(family, PROBE).values.shape == (64, 32)
    assert calls == [0]


def test_a_callable_that_returns_the_wrong_shape_is_refused() -> None:
    with pytest.raises(DataError, match="one output for each of the 64 points"):
        observe(Family(lambda x, c: x, label="wrong"), PROBE)


def test_a_bare_callable_gets_the_remedy() -> None:
    with pytest.raises(ShapeError, match="wrap it"):
        observe(lambda x, c: x, PROBE)  # type: ignore[arg-type]


@pytest.mark.parametrize("parameters", ["a", 3])
def test_parameters_of_a_family_are_a_sequence_of_names(parameters: object) -> None:
    with pytest.raises(TypeError):
        Family(lambda x, c: x, parameters=parameters)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="callable"):
        Family("a*x")  # type: ignore[arg-type]


def test_a_parameter_without_a_range_is_an_error_that_says_what_to_add() -> None:
    with pytest.raises(
        MissingRange, match=r"'a\*x \+ b' has free parameters a, b; give parameters="
    ):
        observe("a*x + b", Probe({"x": (1, 5)}))


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("X_0 + X_3", {"X_0": (1, 5), "X_1": (1, 5), "X_2": (1, 5)}),
        ("x + y", {"x": (1, 5)}),
        ("x_1 + X_0", {"X_0": (1, 5)}),
        ("t1 + t3", {"t1": (1, 5), "t2": (1, 5)}),
    ],
)
def test_a_name_that_looks_like_a_lost_variable_is_an_error(
    text: str, domain: dict[str, tuple[float, float]]
) -> None:
    with pytest.raises(MissingVariable, match="looks like a variable"):
        observe(text, Probe(domain, parameters=(1, 5)))


def test_naming_it_as_a_parameter_settles_the_doubt() -> None:
    probe = Probe({"x": (1, 5)}, parameters={"y": (1, 5)})
    assert observe("x + y", probe).coverage == 1.0


def test_each_parameter_has_its_own_range() -> None:
    probe = Probe({"x": (0, 1)}, parameters={"a": (10, 20), "b": (-2, -1)})
    assert observe("a", probe).values.min() >= 10
    assert observe("b", probe).values.max() <= -1
    assert 8 <= observe("a + b", probe).values.min() <= observe("a + b", probe).values.max() <= 19


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(ParseError):
        observe("a*(x", PROBE)
    with pytest.raises(ShapeError, match="an expression is text"):
        observe(3.0, PROBE)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="probe must be a Probe"):
        observe("x", {"x": (1, 5)})  # type: ignore[arg-type]


def test_a_behavior_prints_as_what_it_is() -> None:
    assert repr(observe("a*x + b", PROBE)) == (
        "Behavior('a*x + b', 64 points x 32 draws, 100% defined)"
    )


def test_fresh_draws_follow_the_text_and_shared_draws_do_not() -> None:
    paper = Probe.paper({"x": (1, 5)}, (1, 5))
    one, two = observe("a*x + b", paper), observe("b + x*a", paper)
    assert symbed.distance(one, two) > 0.01
    assert symbed.distance(one, observe("a*x + b", paper)) == 0.0
    assert symbed.distance(observe("a*x + b", PROBE), observe("b + x*a", PROBE)) == 0.0
