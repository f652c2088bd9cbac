from __future__ import annotations

import math
import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import symbed
from benchmarks.grammar_sampler import sample, text
from symbed import errors, limits
from symbed.workbench import Fit, Fits, evaluate, fit, fit_many

X = np.linspace(0.5, 4.0, 60)
NOISY = 2.0 * np.exp(-0.7 * X) + 0.3 + 0.05 * np.sin(40.0 * X)
CANDIDATES = [text(tokens) for tokens in sample(300, 2, seed=8)]
PLANE = np.random.default_rng(1).uniform(1.0, 5.0, (120, 2))
SURFACE = PLANE[:, 0] * 1.5 - np.log(PLANE[:, 1]) + 0.1 * np.cos(9.0 * PLANE[:, 0])


def _rmse(expression: str, values: list[float], x: np.ndarray, y: np.ndarray) -> float:
    outputs = evaluate(symbed.parse(expression), x, ["x"], values)
    with np.errstate(over="ignore"):  # squares of 1e200 are infinite, as is the error then
        error = float(np.sqrt(np.mean((outputs - y) ** 2)))
    return error if math.isfinite(error) else math.inf


class TestWhatIsFound:
    def test_the_parameters_that_made_the_data(self) -> None:
        fitted = fit("a*exp(-k*x) + b", X, 2.5 * np.exp(-1.3 * X) + 0.5)
        assert fitted.values == pytest.approx({"a": 2.5, "k": 1.3, "b": 0.5}, rel=1e-9)
        assert fitted.rmse < 1e-14
        assert fitted.r2 == pytest.approx(1.0, abs=1e-14)
        assert fitted.converged

    def test_an_affine_expression_gets_the_least_squares_solution(self) -> None:
        matrix = np.stack([np.ones_like(X), X, np.sin(X)], axis=1)
        solution, *_ = np.linalg.lstsq(matrix, NOISY, rcond=None)
        fitted = fit("a + b*x + c*sin(x)", X, NOISY)
        np.testing.assert_allclose(list(fitted.values.values()), solution, rtol=1e-8)

    def test_errors_are_those_of_the_predictions(self) -> None:
        fitted = fit("a*exp(b*x)", X, NOISY)
        residuals = fitted.predict(X) - NOISY
        assert fitted.rmse == pytest.approx(np.sqrt(np.mean(residuals**2)), rel=1e-12)
        assert fitted.mae == pytest.approx(np.mean(np.abs(residuals)), rel=1e-12)
        assert fitted.r2 == pytest.approx(1 - np.mean(residuals**2) / np.var(NOISY), rel=1e-12)

    def test_the_fitted_expression_has_the_numbers_in_place(self) -> None:
        fitted = fit("C*x + C", X, 3.0 * X - 1.0)
        assert [round(v, 9) for v in fitted.values.values()] == [3.0, -1.0]
        assert list(fitted.values) == ["C[0]", "C[1]"]
        outputs = evaluate(fitted.expression, X, ["x"])
        np.testing.assert_array_equal(outputs, fitted.predict(X))
        assert repr(fitted).startswith("Fit('C*x + C', C[0]=3, C[1]=-1, rmse=")

    def test_values_go_to_the_right_names_whatever_the_order_of_operands(self) -> None:
        for source in ("a*x^2 + b*x + c", "c + x*b + x^2*a", "(a*x + b)*x + c"):
            fitted = fit(source, X, 2.0 * X**2 - 3.0 * X + 0.25)
            assert fitted.values == pytest.approx({"a": 2.0, "b": -3.0, "c": 0.25}, rel=1e-8)

    def test_a_named_parameter_is_one_wherever_it_occurs(self) -> None:
        fitted = fit("a*x + a", X, 2.0 * X + 2.0)
        assert fitted.values == pytest.approx({"a": 2.0})
        assert fit("C*x + C", X, 2.0 * X + 5.0).rmse < 1e-13
        assert fit("a*x + a", X, 2.0 * X + 5.0).rmse > 0.1

    def test_redundant_parameters_do_no_harm(self) -> None:
        for source in ("C*C*x", "C*x + C*x", "(a + b)*x + c*0", "exp(C + C)*x"):
            assert fit(source, X, 3.0 * X).rmse < 1e-12

    def test_without_parameters_it_is_evaluated(self) -> None:
        fitted = fit("sin(x)", X, NOISY)
        assert fitted.values == {}
        assert fitted.rmse == pytest.approx(np.sqrt(np.mean((np.sin(X) - NOISY) ** 2)))
        assert fitted.n_evaluations == 1
        assert fitted.converged

    def test_many_parameters(self) -> None:
        generator = np.random.default_rng(0)
        table = generator.normal(size=(400, 60))
        weights = generator.normal(size=60)
        source = " + ".join(f"w{i}*X_{i}" for i in range(60)) + " + b"
        fitted = fit(source, table, table @ weights + 0.5)
        np.testing.assert_allclose(list(fitted.values.values()), [*weights, 0.5], rtol=1e-9)

    def test_a_high_polynomial_is_as_good_as_by_orthogonal_factors(self) -> None:
        source = " + ".join(f"C*x^{k}" for k in range(9))
        matrix = np.vander(X, 9)
        solution, *_ = np.linalg.lstsq(matrix, NOISY, rcond=None)
        best = np.sqrt(np.mean((matrix @ solution - NOISY) ** 2))
        assert fit(source, X, NOISY).rmse == pytest.approx(best, rel=1e-9)


class TestBounds:
    def test_they_are_honored_exactly(self) -> None:
        fitted = fit("a*x + b", X, 3.0 * X - 1.0, bounds={"a": (0.0, 2.0)})
        assert fitted.values["a"] == 2.0
        expected = np.mean(3.0 * X - 1.0 - 2.0 * X)
        assert fitted.values["b"] == pytest.approx(expected)

    def test_one_range_holds_for_all(self) -> None:
        fitted = fit("C*x + C", X, 3.0 * X - 1.0, bounds=(-0.5, 2.5))
        assert all(-0.5 <= value <= 2.5 for value in fitted.values.values())

    def test_the_bounded_minimum_is_scipys(self) -> None:
        from scipy.optimize import lsq_linear

        matrix = np.vander(X, 4)
        y = 2.0 * X**3 - X**2 + 4.0 * X - 5.0 + NOISY
        for low, high in ((-1.0, 1.0), (0.0, 3.0), (-2.0, 1.5)):
            expected = lsq_linear(matrix, y, (low, high), method="bvls", tol=1e-15)
            fitted = fit("a*x^3 + b*x^2 + c*x + d", X, y, bounds=(low, high))
            rmse = np.sqrt(2.0 * expected.cost / len(X))
            assert fitted.rmse == pytest.approx(rmse, rel=1e-8)

    def test_an_end_may_be_infinite(self) -> None:
        fitted = fit("a*exp(-k*x)", X, 2.0 * np.exp(0.5 * X), bounds={"k": (0.0, math.inf)})
        assert fitted.values["k"] == 0.0
        assert fit("a*x", X, -2.0 * X, bounds=(-math.inf, -1.0)).values["a"] == pytest.approx(-2.0)

    def test_a_range_of_one_point_fixes_a_parameter(self) -> None:
        fitted = fit("a*x + b", X, 3.0 * X - 1.0, bounds={"a": (3.0, 3.0)})
        assert fitted.values == {"a": 3.0, "b": pytest.approx(-1.0)}


class TestNeverWorseThanItsStarts:
    @settings(max_examples=60, deadline=None)
    @example("(a*x)^b + c", [(3.000385853716081e-138, -2.0, 0.0)], 0)
    @given(
        st.sampled_from(["a*sin(b*x) + c", "a/(x - b) + c", "exp(a*x)*b - c", "(a*x)^b + c"]),
        st.lists(st.tuples(*[st.floats(-9, 9)] * 3), min_size=1, max_size=4),
        st.integers(0, 40),
    )
    def test_given_starts(self, source, starts, max_iterations) -> None:
        fitted = fit(source, X, NOISY, starts=starts, max_iterations=max_iterations)
        best = min(_rmse(source, list(start), X, NOISY) for start in starts)
        assert fitted.rmse <= best * (1 + 1e-12)
        assert not math.isnan(fitted.rmse)

    def test_a_perfect_start_is_kept(self) -> None:
        y = evaluate(symbed.parse("a*x + b"), X, ["x"], [0.1, 0.7])
        fitted = fit("a*x + b", X, y, starts=[[5.0, 5.0], [0.1, 0.7]])
        assert fitted.rmse == 0.0
        assert fitted.values == {"a": 0.1, "b": 0.7}

    def test_no_steps_leave_the_best_start(self) -> None:
        fitted = fit("a*x", X, NOISY, starts=[[3.0], [1.0]], max_iterations=0)
        assert fitted.values == {"a": 1.0}
        assert not fitted.converged

    def test_a_start_outside_of_a_bound_begins_at_it(self) -> None:
        fitted = fit("a*x", X, NOISY, starts=[9.0], bounds=(0.0, 2.0), max_iterations=0)
        assert fitted.values == {"a": 2.0}


class TestUndefinedOutputs:
    def test_everywhere_is_infinite_and_says_so(self) -> None:
        for source in ("C*ln(-x)", "ln(-x)", "C*x/(x - x)", "sqrt(-1 - C^2)*x", "1/0"):
            fitted = fit(source, X, NOISY)
            assert (fitted.rmse, fitted.mae, fitted.r2) == (math.inf, math.inf, -math.inf)
            assert not any(math.isnan(value) for value in fitted.values.values())
        assert not fit("C*ln(-x)", X, NOISY).converged

    def test_at_one_row_is_enough(self) -> None:
        x = np.append(X, 0.0)
        assert fit("C*ln(x)", x, np.append(NOISY, 1.0)).rmse == math.inf

    def test_a_step_there_is_not_taken(self) -> None:
        fitted = fit("sqrt(x - C)", X, np.sqrt(X - 0.4), starts=[0.0])
        assert fitted.values["C[0]"] == pytest.approx(0.4, rel=1e-6)
        assert np.isfinite(fitted.predict(X)).all()

    def test_starts_there_are_passed_over(self) -> None:
        fitted = fit("ln(C - x)", X, np.log(6.0 - X), starts=[[0.0], [-3.0], [5.0]])
        assert fitted.values["C[0]"] == pytest.approx(6.0)


class TestExtremeNumbers:
    @pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
    def test_targets_of_any_size_are_fitted(self, factor: float) -> None:
        fitted = fit("a*x + b", X, factor * (3.0 * X - 1.0))
        assert fitted.values == pytest.approx({"a": 3.0 * factor, "b": -factor}, rel=1e-9)
        assert fitted.r2 == pytest.approx(1.0)

    def test_squares_beyond_the_largest_number_are_compared_all_the_same(self) -> None:
        fitted = fit("x*1e200", X, X)
        assert fitted.rmse == pytest.approx(1e200 * np.sqrt(np.mean(X**2)), rel=1e-12)
        assert fitted.r2 == -math.inf

    def test_a_descent_can_begin_where_squares_overflow(self) -> None:
        fitted = fit("exp(a*x*100)", X, np.exp(0.3 * X), starts=[1.5], max_iterations=1000)
        assert fitted.values["a"] == pytest.approx(0.003, rel=1e-6)

    def test_a_constant_target_has_no_variance_to_explain(self) -> None:
        ones = np.full_like(X, 0.1)
        assert fit("C", X, ones, variables=["x"]).r2 == 1.0
        assert fit("C*x", X, ones).r2 == -math.inf
        assert fit("C", X, np.zeros_like(X), variables=["x"]).r2 == 1.0


class TestData:
    def test_columns_are_named_in_order_or_by_variables(self) -> None:
        assert fit("a*X_0 + b*X_1", PLANE, PLANE @ [2.0, 3.0]).rmse < 1e-13
        fitted = fit("a*u + b*v", PLANE, PLANE @ [2.0, 3.0], variables=["u", "v"])
        assert fitted.values == pytest.approx({"a": 2.0, "b": 3.0})

    def test_a_mapping_names_its_columns(self) -> None:
        table = {"u": PLANE[:, 0], "v": PLANE[:, 1], "w": PLANE @ [2.0, 3.0]}
        by_array = fit("a*u + b*v", {k: table[k] for k in "uv"}, table["w"])
        by_name = fit("a*u + b*v", table, "w")
        assert by_name.values == by_array.values
        assert by_name.variables == ("u", "v")

    def test_a_file_works(self, tmp_path) -> None:
        path = tmp_path / "data.csv"
        rows = [f"{x!r},{2 * x!r}" for x in X.tolist()]
        path.write_text("x,y\n" + "\n".join(rows) + "\n")
        assert fit("a*x", path, "y").values == pytest.approx({"a": 2.0})

    def test_predictions_take_the_same_forms(self) -> None:
        fitted = fit("a*u + b*v", PLANE, SURFACE, variables=["u", "v"])
        turned = {"v": PLANE[:, 1], "u": PLANE[:, 0]}
        np.testing.assert_array_equal(fitted.predict(PLANE), fitted.predict(turned))


class TestManyAtOnce:
    def test_each_gets_what_it_gets_alone(self) -> None:
        fits = fit_many(CANDIDATES[:60], PLANE, SURFACE)
        for k in range(0, 60, 7):
            alone = fit(CANDIDATES[k], PLANE, SURFACE)
            assert (alone.rmse, alone.mae, alone.r2) == (fits.rmse[k], fits.mae[k], fits.r2[k])
            assert dict(fits[k].values) == dict(alone.values)
            assert fits[k].n_evaluations == alone.n_evaluations

    def test_neither_workers_nor_order_nor_company_change_a_bit(self) -> None:
        order = list(range(len(CANDIDATES)))
        random.Random(3).shuffle(order)
        one = fit_many(CANDIDATES, PLANE, SURFACE, workers=1)
        many = fit_many(CANDIDATES, PLANE, SURFACE, workers=3)
        mixed = fit_many([CANDIDATES[k] for k in order], PLANE, SURFACE)
        for name in ("rmse", "mae", "r2", "n_evaluations", "converged"):
            column = getattr(one, name)
            assert column.tobytes() == getattr(many, name).tobytes()
            assert column[order].tobytes() == getattr(mixed, name).tobytes()

    def test_what_is_equal_up_to_commutativity_is_fitted_once(self) -> None:
        fits = fit_many(["C*x + C", "C + x*C", "a*x + b", "C*x"], X, NOISY)
        assert fits.n_distinct == 2
        assert len(fits) == 4
        assert fits.rmse[0] == fits.rmse[1] == fits.rmse[2]
        assert list(fits[2].values) == ["a", "b"]
        assert fits[0].values["C[0]"] == fits[1].values["C[1]"]

    def test_the_best_come_first(self) -> None:
        fits = fit_many(["C", "C*x + C", "C*exp(C*x) + C", "ln(-x)"], X, NOISY, variables=["x"])
        best = fits.best(3)
        assert [str(one.source) for one in best] == ["C*exp(C*x) + C", "C*x + C", "C"]
        assert repr(fits).startswith("Fits(4 expressions, 4 distinct, best rmse 0.03")

    def test_lines_of_a_file_are_read_without_remarks(self) -> None:
        fits = fit_many(["# models\n", "C*x\n", "\n", "C*x + C\n"], X, NOISY)
        assert fits.sources == ("C*x", "C*x + C")

    def test_bad_ones_are_skipped_on_demand(self) -> None:
        lines = ["C*x", "sn(x)", "C*x + C"]
        fits = fit_many(lines, X, NOISY, errors="skip")
        assert [(bad.line, bad.source) for bad in fits.skipped] == [(2, "sn(x)")]
        assert "unknown function" in fits.skipped[0].error
        assert fits.rmse[1] == math.inf
        assert len(fits.best()) == len(list(fits)) == 2
        with pytest.raises(errors.RangeError, match="skipped"):
            fits[1]
        with pytest.raises(errors.ParseError) as caught:
            fit_many(lines, X, NOISY)
        assert caught.value.line == 2

    def test_progress_is_told(self) -> None:
        told: list[int] = []
        fit_many(["C*x"] * 2500, X, NOISY, progress=told.append)
        assert told == [1024, 2048, 2500]

    def test_another_seed_looks_elsewhere(self) -> None:
        fits = [fit("a*sin(b*x) + c*cos(d*x)", X, NOISY, seed=k, n_starts=1) for k in range(4)]
        assert len({each.rmse for each in fits}) > 1
        assert fit("a*sin(b*x)", X, NOISY, seed=5) == fit("a*sin(b*x)", X, NOISY, seed=5)

    def test_arrays_cannot_be_changed(self) -> None:
        fits = fit_many(["C*x"], X, NOISY)
        with pytest.raises(ValueError, match="read-only"):
            fits.rmse[0] = 0.0
        assert isinstance(fits, Fits)
        assert isinstance(fits[0], Fit)


def _sum(n: int) -> str:
    return " + ".join(["C*x"] * n)


# What is done, the exception, and parts that its message must hold.
CASES = [
    (lambda: fit("a*x + b", [1.0], [2.0]), errors.DataError, ["'a*x + b'", "2 free", "1 rows"]),
    (lambda: fit_many(["a*x + b"], [1.0], [2.0]), errors.DataError, ["2 free", "1 rows"]),
    (lambda: fit("a*x", X, np.where(X > 3, np.nan, X)), errors.DataError, ["y holds nan", "row 44"]),
    (lambda: fit("a*x", np.where(X > 3, np.inf, X), X), errors.DataError, ["inf"]),
    (lambda: fit("a*x", X, X[:-1]), errors.DataError, ["60 rows", "(59,)"]),
    (lambda: fit("a*x", X, ["u"] * 60), errors.DataError, ["y must be numbers"]),
    (lambda: fit("a*x", X, X, bounds=(2, 1)), errors.RangeError, ["low <= high", "(2, 1)"]),
    (lambda: fit("a*x", X, X, bounds=(math.nan, 1)), errors.RangeError, ["low <= high"]),
    (lambda: fit("a*x", X, X, bounds={"q": (0, 1)}), errors.RangeError, ["'q'", "has a"]),
    (lambda: fit("a*x", X, X, bounds={"x": (0, 1)}), errors.RangeError, ["'x'", "column"]),
    (lambda: fit("a*x", X, X, bounds=3.0), errors.RangeError, ["(low, high)", "3.0"]),
    (lambda: fit("a*x", X, X, n_starts=0), errors.RangeError, ["n_starts", "0"]),
    (lambda: fit("a*x", X, X, max_iterations=-1), errors.RangeError, ["max_iterations", "-1"]),
    (lambda: fit("a*x", X, X, seed=0.5), errors.RangeError, ["seed", "0.5"]),
    (lambda: fit("a*x", X, X, starts=[1.0, 2.0]), errors.RangeError, ["1 parameters", "(2,)"]),
    (lambda: fit("a*x", X, X, starts=[math.inf]), errors.RangeError, ["finite"]),
    (lambda: fit("a*X_2", PLANE, SURFACE), errors.MissingVariable, ["'X_2'", "X_0, X_1", "bounds="]),
    (lambda: fit("a*u", PLANE, SURFACE, variables=["u"]), errors.DataError, ["2 columns"]),
    (lambda: fit("a*u", {"u": X}, X, variables=["v"]), errors.DataError, ["'v'", "u"]),
    (lambda: fit(3.0, X, X), errors.ShapeError, ["float"]),
    (lambda: fit_many([], X, X), errors.DataError, ["nothing to fit"]),
    (lambda: fit_many(["x"], X, X, workers=0), errors.RangeError, ["workers", "0"]),
    (lambda: fit_many(["x"], X, X, errors="pass"), errors.RangeError, ["errors", "'pass'"]),
    (lambda: fit(_sum(257), np.arange(300.0), np.arange(300.0)), errors.LimitError, ["257", "256"]),
    (lambda: fit_many([_sum(257)], np.arange(300.0), np.arange(300.0)), errors.LimitError, ["257"]),
]  # fmt: skip


@pytest.mark.parametrize(("act", "kind", "parts"), CASES, ids=range(len(CASES)))
def test_bad_input_gets_one_clear_error(act, kind, parts) -> None:
    with pytest.raises(symbed.SymbedError) as caught:
        act()
    assert isinstance(caught.value, kind)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("n", [limits.FITTED.maximum - 1, limits.FITTED.maximum])
def test_as_many_parameters_as_the_limit_says_are_fitted(n: int) -> None:
    x = np.linspace(0.0, 1.0, 300)
    assert fit(_sum(n), x, 3.0 * x).rmse < 1e-12


def test_naming_a_parameter_like_a_variable_is_allowed_where_bounds_name_it() -> None:
    fitted = fit("X_2*X_0", PLANE, 2.0 * PLANE[:, 0], bounds={"X_2": (0, 9)})
    assert fitted.values == pytest.approx({"X_2": 2.0})


def test_standard_errors_of_many_rows_need_no_square_of_them() -> None:
    x = np.linspace(0.0, 1.0, 20_001)
    y = 2.0 * x + 1.0 + 0.1 * np.sin(1e5 * x)
    made = fit("a*x + b", x, y)
    tracemalloc.start()
    errors = made.standard_errors(x, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # left vectors of all rows are 3.2e9 bytes
    residuals = y - made.values["a"] * x - made.values["b"]
    variance = residuals @ residuals / (len(x) - 2)
    slope = math.sqrt(variance / np.sum((x - x.mean()) ** 2))
    assert errors.stderr["a"] == pytest.approx(slope, rel=1e-9)


def test_standard_errors_with_fewer_rows_than_parameters_are_infinite() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    errors = fit("a*x + b + c*x^2", x, x).standard_errors(x[:2], x[:2])
    assert set(errors.stderr.values()) == {math.inf}
