"""``score``: the true form is told from others, whatever tools print beside it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.errors import DataError, MissingRange, MissingVariable, RangeError
from symbed.scoring import ScoredFormula, score

OSCILLATOR = "A*exp(-g*t)*cos(w*t)"
TIME = {"t": (0, 8)}


def only(run: str, truth: str, domain: dict[str, tuple[float, float]]) -> ScoredFormula:
    (row,) = score(run, truth, domain).rows
    return row


@pytest.mark.parametrize(
    "text",
    [
        "-3e-6 + 1.9988*cos(2.501*t)*exp(-0.2998*t)",
        "2*cos(2.5*t)*exp(-0.3*t)",
        "2*cos(5*t/2)/exp(0.3*t)",
        "17.5*cos(9.1*t)*exp(0.1*t)",
        "1.9988*sin(2.501*t + 1.5707963)*exp(-0.2998*t)",
        "(1.0000002*t^1.0000001 - t) + 1.9988*cos(2.501*t)*exp(-0.2998*t)",
    ],
)
def test_offsets_scales_and_roundings_leave_the_true_form_right(text: str) -> None:
    assert only(text, OSCILLATOR, TIME).is_right


@pytest.mark.parametrize(
    "text",
    [
        "1.9*cos(2.5*t)",
        "2*cos(2.5*t)*exp(-0.3*t^2)",
        "2*cos(2.5*t)/(1 + 0.3*t)",
        "0.1234",
        "t",
    ],
)
def test_other_forms_are_not_right(text: str) -> None:
    assert not only(text, OSCILLATOR, TIME).is_right


def test_the_right_form_comes_before_a_better_fit_of_another_form() -> None:
    t = np.linspace(0.0, 8.0, 200)
    data = {"t": t, "y": 2.0 * np.exp(-0.3 * t) * np.cos(2.5 * t)}
    judged = score(
        ["2*cos(2.5*t)/(1 + 0.3*t + 0.045*t^2 + 0.0045*t^3)", "9*cos(1.1*t)*exp(-1.2*t)"],
        OSCILLATOR, TIME, data=data,
    )  # fmt: skip
    assert judged.rows[0].function < judged.rows[1].function
    assert judged.ranked[0] is judged.rows[1]
    assert judged.best is judged.rows[1]


def test_a_spare_offset_is_named_with_what_it_changes() -> None:
    row = only("-3e-6 + 1.9988*cos(2.501*t)*exp(-0.2998*t)", OSCILLATOR, TIME)
    (spare,) = row.dropped
    assert spare.text == "-3e-6"
    assert spare.effect < 1e-5
    assert row.relation == "same"
    assert row.readings["numbers free, as printed"] == "e_in_f"
    assert "left out" in str(spare)


def test_a_larger_formula_is_told_from_the_truth() -> None:
    row = only("0.3 + 0.2*t + 0.1*t^2 + 2*cos(2.5*t)*exp(-0.3*t)", OSCILLATOR, TIME)
    assert (row.relation, row.excess, row.is_right) == ("e_in_f", 3, False)
    assert row.verdict == "contains it, with 3 parameters too many"
    assert row.form.from_truth < 1e-9 < row.form.to_truth


REDUCED_MASS = "a*x*y/(x + y)"
PLANE = {"x": (1.0, 5.0), "y": (1.0, 5.0)}


def test_a_special_case_is_told_from_another_form() -> None:
    judged = score(["x + y", "x*y/(x + y)", "1.3*x*y/(x + y)"], REDUCED_MASS, PLANE)
    assert [row.true_form for row in judged.ranked] == ["yes", "special case", "no"]
    assert list(judged.to_frame()["true_form"]) == ["yes", "special case", "no"]
    assert judged.to_dict()["rows"][1]["true_form"] == "special case"
    alone = score("x*y/(x + y)", REDUCED_MASS, PLANE)
    assert alone.appearance == "the true form was not found; line 1 is a special case of it"


def test_a_special_case_is_right_where_the_true_constants_are_its_own() -> None:
    def judged(**options: Any) -> ScoredFormula:
        (row,) = score("x*y/(x + y)", REDUCED_MASS, PLANE, **options).rows
        return row

    assert judged(values={"a": 1.0}).verdict == "the true form at its true constants"
    assert judged(values={"a": 1.001}).true_form == "special case"
    rng = np.random.default_rng(0)
    x, y = rng.uniform(1, 5, (2, 200))
    exact = x * y / (x + y)
    assert judged(data={"x": x, "y": y, "z": exact}).is_right
    noisy = judged(data={"x": x, "y": y, "z": exact + 0.01 * rng.standard_normal(200)})
    assert noisy.true_form == "special case"
    assert noisy.verdict == "a special case of it, which the noise does not tell from it"


def test_what_the_truth_has_and_the_formula_lacks_is_missing_however_small() -> None:
    values = {"a": 1.0, "b": 1e-3}
    row = score("1.0*x", "a*x + b*sin(x)", {"x": (0, 5)}, values=values, noise=0.05).rows[0]
    assert (row.relation, row.is_right) == ("f_in_e", False)


def test_roots_of_a_truth_are_no_free_exponents() -> None:
    domain = {"g": (1.0, 5.0), "p": (1.0, 5.0), "r": (1.0, 5.0)}
    truth = "g^0.5*p^0.5/r^0.5"
    assert only("sqrt(g*p/r)", truth, domain).is_right
    assert only("g^0.5*p^0.5000001/r^0.5", truth, domain).is_right
    assert not only("g^0.5*p^1.5/r^0.5", truth, domain).is_right


def test_a_truth_with_numbers_is_found_where_its_whole_numbers_are_others() -> None:
    domain = {"d": (4.0, 6.0), "r": (1.0, 3.0), "w": (0.5, 3.0)}
    truth = "0.056/(0.5*d^2 - d*r*cos(w) + 0.5*r^2)^0.5"
    assert only("0.0791959594928933/(d^2 - 2*d*r*cos(w) + r^2)^0.5", truth, domain).is_right
    assert not only("0.0791959594928933/(d^2 - 3*d*r*cos(w) + r^2)^0.5", truth, domain).is_right


def test_whole_numbers_of_a_truth_that_had_to_be_free_are_told() -> None:
    domain = {"v": (1.0, 2.0), "c": (3.0, 10.0)}
    row = only("1/sqrt(1.3 - v^2/c^2)", "1/sqrt(1 - v^2/c^2)", domain)
    assert row.verdict == "the true form, if its whole numbers are free"
    assert (
        only("1/sqrt(0.9999999 - v^2/c^2)", "1/sqrt(1 - v^2/c^2)", domain).verdict
        == "the true form"
    )


def test_an_offset_hides_no_spare_term() -> None:
    row = only("1000.1 + 0.912*sin(x) + 0.05*x", "c + a*sin(x)", {"x": (0, 6)})
    assert (row.true_form, row.excess) == ("contains it", 1)
    assert row.nearest > 0.05


def test_what_the_truth_has_is_not_spare() -> None:
    row = only("1.9*x + 1e-9", "a*x + b", {"x": (1, 5)})
    assert (row.relation, row.dropped) == ("same", ())


def test_an_exponent_is_free_if_the_truth_has_a_free_one_there() -> None:
    row = only("2.3*x^0.5", "a*x^b", {"x": (1, 5)})
    assert row.relation == "same"
    assert row.readings == {"numbers free": "f_in_e", "whole numbers kept": "same"}
    assert only("2.3*x^0.5", "a*sqrt(x)", {"x": (1, 5)}).relation == "same"


def test_whole_numbers_are_read_both_ways() -> None:
    domain = {"x": (1, 5)}
    assert only("3*x", "a*x", domain).relation == "same"
    row = only("x/(1 + x)", "x/(1 + x)", domain)
    assert row.relation == "same"


def test_a_truth_with_numbers_is_a_function_and_a_form() -> None:
    judged = score(["x^3 + 7*x", "x^3 + 2*x", "x^2 + 2*x"], "x^3 + 2*x", {"x": (1, 3)})
    assert [row.is_right for row in judged.rows] == [True, True, False]
    assert [row.line for row in judged.ranked] == [2, 1, 3]
    assert judged.rows[1].function == 0.0
    assert judged.rows[0].function > 0.1


def test_function_errors_are_over_the_domain_and_on_the_data() -> None:
    x = np.linspace(1.0, 2.0, 50)
    judged = score("2.1*x", "a*x", {"x": (1, 2)}, data={"x": x, "y": 2 * x}, values={"a": 2.0})
    errors = judged.rows[0].errors
    expected = 0.1 * math.sqrt(np.mean(x**2)) / float(np.std(2 * x))
    assert errors.data == pytest.approx(expected)
    assert errors.domain == pytest.approx(expected, rel=0.05)
    assert judged.rows[0].function == errors.data
    assert math.isnan(only("2.1*x", "a*x", {"x": (1, 2)}).function)


def test_the_domain_may_come_from_the_data() -> None:
    x = np.linspace(1.0, 2.0, 50)
    assert score("2.1*x", "a*x", data={"x": x, "y": 2 * x}).best.is_right  # type: ignore[union-attr]


def test_noise_in_the_data_excuses_terms_that_it_explains() -> None:
    x = np.linspace(1.0, 5.0, 400)
    noise = 0.02 * np.sin(1000.0 * x)
    data = {"x": x, "y": 2 * x + noise}
    found = "2.000412345*x + 0.00123456789"
    assert not only(found, "a*x", {"x": (1, 5)}).is_right
    assert score(found, "a*x", {"x": (1, 5)}, data=data).rows[0].is_right


def test_noise_is_no_more_than_a_formula_leaves_of_the_data() -> None:
    # No fit finds 170 waves, and what a bad fit leaves is no noise.
    t = np.linspace(0.0, 10.0, 2000)
    data = {"t": t, "y": 1.3 * np.sin(170.0 * t)}
    wave = "A*sin(w*t)"
    exact, wider, special = score(
        ["1.3*sin(170*t)", "1.3*sin(170*t) + 0.02*cos(170*t)", "1.0*sin(170*t)"], wave, data=data
    ).rows
    assert exact.is_right
    assert wider.true_form == "contains it"
    assert special.verdict == "a special case of it"
    # A fit that is stuck beside its best constants leaves some tenths of the spread.
    x = np.linspace(0.0, 20.0, 400)
    stuck = {"x": x, "y": 3.0 * x + np.sin(41.0 * x)}
    row = score("3*x + 1.0*sin(41*x) + 0.4*cos(41*x)", "a*x + b*sin(w*x)", data=stuck).rows[0]
    assert not row.is_right


def test_a_special_case_of_many_waves_is_compared_at_its_own_constants() -> None:
    values = {"A": 1.0, "w": 40.0}
    (row,) = score("sin(40.0*t)", "A*sin(w*t)", {"t": (0.0, 5.0)}, values=values).rows
    assert row.verdict == "the true form at its true constants"
    assert row.nearest < 1e-9


def test_forms_that_are_one_but_for_signs_of_parameters_are_right_where_they_are() -> None:
    domain = {"x": (0.3, 4.0), "y": (0.3, 4.0)}
    row = only("1.98823*sqrt(0.37037*x^2 + y^2)", "a*sqrt(x^2 + b*y^2)", domain)
    assert row.verdict == "the true form, but for the ranges of its parameters"
    assert (row.true_form, row.grade, row.excess) == ("yes", "matched", 0)
    assert not only("1.98823*sqrt(0.37037*x + y^2)", "a*sqrt(x^2 + b*y^2)", domain).is_right
    assert only("(0.3*x + 1.1)^1.5", "a*(x + b)^1.5", {"x": (0.3, 4.0)}).is_right
    # A member of both, but none of those around it: x^1.9 is a power, and no line.
    assert not only("1.3*x^1.9/y", "a*x^1.9/y + b*x*y - b*y*x^1.5", domain).is_right


def with_noise(found: str, truth: str, domain: dict[str, tuple[float, float]], noise: float) -> Any:
    (row,) = score(found, truth, domain, noise=noise).rows
    return row


@pytest.mark.parametrize(
    ("found", "truth"),
    [
        ("1.1987*x^2 + 1.2031*x + 0.3102", "a*(x + b)^2"),
        ("1.3*sin(x + 0.31) + 0.87*sin(x - 0.4655)", "A*sin(x)"),
        ("1.2*(x + 0.42)*(x + 0.58)", "a*(x + b)^2"),
    ],
)
def test_parameters_that_cancel_within_the_noise_are_too_many(found: str, truth: str) -> None:
    row = with_noise(found, truth, {"x": (-2.0, 3.0)}, 0.05)
    assert (row.true_form, row.excess) == ("contains it", 1)
    assert row.verdict.endswith("1 parameter too many, which the noise does not tell from it")


@pytest.mark.parametrize(
    ("found", "truth", "spare"),
    [
        ("2.01*x^0.4995", "a*sqrt(x)", "0.4995 taken as 1/2"),
        ("2.1*sin(x + 6.29)", "A*sin(x)", "6.29"),
        ("2.1*exp(exp(-0.0006*x)*(-0.8*x))", "a*exp(-k*x)", "0.0006 taken as 0"),
        ("0.4999*x^2 + 0.5001*sin(x)", "a*(x^2 + sin(x))", "0.4999"),
    ],
)
def test_a_constant_is_put_where_the_truth_has_it_within_the_noise(
    found: str, truth: str, spare: str
) -> None:
    row = with_noise(found, truth, {"x": (1.0, 5.0)}, 0.02)
    assert (row.true_form, row.relation) == ("yes", "same")
    assert spare in "; ".join(map(str, row.dropped))
    assert "e_in_f" in row.readings.values()


def test_digits_that_were_printed_tell_two_rates_apart() -> None:
    time = {"t": (0.0, 5.0)}
    apart = only("2.0*exp(-0.79*t) + 2.1*exp(-0.81*t)", "A*exp(-k*t)", time)
    assert apart.verdict == "contains it, with 2 parameters too many"
    alike = only("2.0*exp(-0.8*t) + 2.1*exp(-0.8*t)", "A*exp(-k*t)", time)
    assert alike.true_form == "yes"


def test_an_offset_of_the_last_bits_and_a_split_scale_leave_a_truth_without_constants_right() -> (
    None
):
    found = "0.000000105815765 + 1.54127395153*sqrt(0.42095947265625*x)"
    row = only(found, "sqrt(x)", {"x": (0.1, 4.0)})
    assert row.true_form == "yes"
    assert row.verdict == "the true form as printed; with free numbers it has 1 parameter too many"
    assert only("0.05 + 1.54*sqrt(0.42*x)", "sqrt(x)", {"x": (0.1, 4.0)}).true_form == "contains it"


def test_a_pole_at_a_corner_of_the_domain_hides_no_spare_term() -> None:
    found = "x*y/(x/-9152413513522.988 + z - 1)"
    row = only(found, "x*y/(z - c)", {"x": (1, 5), "y": (1, 5), "z": (1, 5)})
    assert row.true_form == "yes"
    assert [str(one).split(" left out")[0] for one in row.dropped][-1].startswith("x/-91524")


def test_what_is_the_truth_only_as_printed_is_told_so() -> None:
    row = only("1.2*x^2 + 1.2*x + 0.3", "a*(x + b)^2", {"x": (-2.0, 3.0)})
    assert row.is_right
    assert row.verdict == "the true form as printed; with free numbers it has 1 parameter too many"
    assert row.readings["no number free"] == "f_in_e"


def test_a_term_without_a_factor_makes_no_containment() -> None:
    row = only("2.1*x + cos(3.3*x) + 0.2*sin(x)/x", "a*x", {"x": (1.0, 5.0)})
    assert not row.contains_truth


def test_made_cases_with_noise_are_told_as_they_were_made() -> None:
    import csv

    from benchmarks import score_noise

    with open(score_noise.CASES, newline="") as file:
        cases = list(csv.DictReader(file))[::9]
    wrong = [case["found"] for case in cases if not score_noise.is_right(case)]
    assert not wrong


def test_hundreds_of_factors_end_no_run() -> None:
    judged = score(["*".join(["x"] * 1500), "2.1*x"], "a*x", {"x": (1, 2)})
    assert judged.best is judged.rows[1]


def test_values_must_be_finite_numbers_of_parameters() -> None:
    with pytest.raises(RangeError, match="'b', which is no parameter of the truth; it has a"):
        score("2.1*x", "a*x", {"x": (1, 2)}, values={"a": 1.0, "b": 2.0})
    with pytest.raises(RangeError, match="'a' must be a finite number"):
        score("2.1*x", "a*x", {"x": (1, 2)}, values={"a": math.nan})
    with pytest.raises(DataError, match="defined nowhere"):
        score("2.1*x", "a*sqrt(-x)", {"x": (1, 2)})


def test_a_formula_without_real_values_is_not_right_whatever_its_form() -> None:
    row = only("2.1*sqrt(-1.5 - x)", "a*sqrt(b + x)", {"x": (1, 5)})
    assert not row.is_right
    assert row.verdict == "undefined on the whole domain"


def test_what_cannot_be_read_is_listed_with_its_line() -> None:
    judged = score(["2*t", "2*t +", "2*x", "a*t"], "A*t", TIME)
    assert [one.line for one in judged.unread] == [2, 3, 4]
    assert [type(one.error).__name__ for one in judged.unread] == [
        "ParseError", "MissingVariable", "DataError",
    ]  # fmt: skip
    assert len(judged.rows) == 1


def test_the_place_of_the_truth_on_the_front_is_told() -> None:
    judged = score(["0.5", "2.1*x", "2*x + 1.000001*x^2", "2*x + x^2 + 1e-3*x^3"], "2*x + x^2",
                   {"x": (0, 2)})  # fmt: skip
    assert [row.line for row in judged.front][:3] == [1, 2, 3]
    assert "place 3" in judged.appearance
    assert score(["0.5"], "a*x", {"x": (0, 2)}).appearance == "the true form was not found"


def test_variables_called_c_are_no_parameters() -> None:
    domain = {"m": (1.0, 5.0), "c": (1.0, 5.0), "C": (1.0, 2.0)}
    row = only("0.4999*m*c**2/C", "a*m*c^2/C", domain)
    assert row.is_right
    assert str(row.kept) == "0.4999*m*c^2/C"


def test_tables_of_tools_keep_their_columns() -> None:
    run = "Complexity,Loss,Equation\n3,0.5,2.1*x0\n5,0.0,x0 * x0 * 0.5\n"
    judged = score(run, "a*t^2", TIME)
    assert judged.dialect == "pysr"
    assert [row.columns["loss"] for row in judged.rows] == [0.5, 0.0]
    assert judged.best is judged.rows[1]
    frame = judged.to_frame()
    assert list(frame["complexity"]) == [5.0, 3.0]
    assert judged.to_dict()["rows"][0]["relation"] == "same"


def test_a_truth_with_a_name_that_is_no_variable_is_an_error() -> None:
    with pytest.raises(MissingVariable, match="looks like a variable"):
        score("2*t", "A*x", TIME)
    with pytest.raises(MissingRange, match="domain"):
        score("2*t", "A*t")
    with pytest.raises(DataError, match="no column 't'"):
        score("2*t", "A*t", TIME, data={"x": [1.0, 2.0], "y": [1.0, 2.0]})
    with pytest.raises(RangeError, match="values lacks the parameter 'A'"):
        score("2*t", "A*t", TIME, values={"B": 1.0})
    with pytest.raises(RangeError, match="noise"):
        score("2*t", "A*t", TIME, noise=2.0)


def test_score_is_public() -> None:
    assert symbed.score is score
    assert "2 formulas, 1 with the true form" in repr(score(["2*t", "sin(t)"], "A*t", TIME))


def test_relate_names_no_substitution_for_a_family_without_parameters() -> None:
    larger = "x*(y + (C + C/(C - y))*ln(y) + C)"
    assert symbed.relate("x*y", larger, {"x": (1, 5), "y": (1, 5)}).relation == "e_in_f"


def test_a_truth_with_numbers_is_found_in_another_spelling() -> None:
    domain = {"m": (1.0, 5.0), "v": (1.0, 2.0), "u": (3.0, 10.0)}
    assert only("1.0*m/(1.0/v^2 - 1.0/u^2)^0.5", "m*v/(1 - v^2/u^2)^0.5", domain).is_right


@pytest.mark.parametrize(
    ("text", "truth", "relation"),
    [
        ("div(X0, -4.6)", "b*x", "same"),
        ("mul(inv(4.6), X0)", "b*x", "same"),
        ("add(sin(X0), div(X0, 4.621))", "a*sin(x) + b*x", "f_in_e"),
    ],
)
def test_a_number_that_gplearn_need_not_protect_is_as_free_as_any(
    text: str, truth: str, relation: str
) -> None:
    (row,) = score([text], truth, {"x": (-5, 5)}, dialect="gplearn").rows
    assert row.relation == relation


def test_a_sum_of_eighty_terms_is_judged() -> None:
    text = " + ".join(f"{1.1 + 0.37 * k:.4f}*x" for k in range(80))
    (row,) = score(text, "a*x", {"x": (1, 5)}, seconds=1).rows
    assert row.is_right


def test_a_relation_that_memory_is_too_small_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def relate(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("symbed.scoring._form_judgment.relate", relate)
    row = only("2*x + sin(x)", "a*x + b", {"x": (1, 5)})
    assert "more memory than there is" in row.reason
