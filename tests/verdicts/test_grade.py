"""Grades of answers in many notations, within limits of time and memory."""

from __future__ import annotations

import json

import pytest

from symbed.errors import ParseError, RangeError
from symbed.verdicts._answer_reader import from_excel, read_answer, stripped
from symbed.verdicts.grade_answers import grade, grade_here

CORRECT = [
    ("2x + 2", "2*(x + 1)"),
    ("2sin(x)cos(x)", "sin(2*x)"),
    (r"$\frac{m_1 m_2}{r^2}$", "m1*m2/r^2"),
    (r"The answer is \boxed{x^2 + 1}.", "x*x + 1"),
    ("y = x^2", "x*x"),
    ("f(x) = exp(-x)", "1/exp(x)"),
    ("sin(x)**2 + Abs(y)", "1 - cos(x)^2 + sqrt(y^2)"),
    ("=SQRT(x)+LOG(y;10)", "sqrt(x) + log10(y)"),
    ("=-x^2", "x^2"),
    ("=POWER(x,3)-PI()", "x^3 - pi"),
    ("def f(x):\n    a = 2.0\n    return np.sin(a*x)", "2*sin(x)*cos(x)"),
    ("```python\ndef f(x):\n    return x**2\n```", "x^2"),
    ("log(x**2)", "2*log(x)"),
    ("7", "7.0"),
    (".5x", "x/2"),
    ("acosh(x)", "ln(x + sqrt(x^2 - 1))"),
    ("sqrt(x - 10)", "(x - 10)^0.5"),
    ("ln(-x)", "ln(0 - x)"),
    ("m*c/sqrt(c^2 - v^2)", "m/sqrt(1 - v^2/c^2)"),
]
INCORRECT = [
    ("x^2", "x^3"),
    ("abs(asin(x))", "asin(x)"),
    ("m/sqrt(1 + v^2/c^2)", "m/sqrt(1 - v^2/c^2)"),
    ("-x^2", "x^2"),
    ("k*x", "x"),
    (r"\sqrt{x^2}", "x"),
    ("def f(x):\n    return x + 1e-9", "x"),
]
UNREADABLE = [
    "",
    "I do not know",
    "import os",
    "__import__('os').system('true')",
    "def f(x):\n    while True: pass",
    "x +",
]


@pytest.mark.parametrize(("answer", "truth"), CORRECT)
def test_right_answers_are_correct_in_any_notation(answer: str, truth: str) -> None:
    assert grade(answer, truth).mark == "correct"


@pytest.mark.parametrize(("answer", "truth"), INCORRECT)
def test_wrong_answers_are_incorrect_with_a_witness(answer: str, truth: str) -> None:
    graded = grade(answer, truth)
    assert graded.mark == "incorrect"
    assert graded.witness


@pytest.mark.parametrize("answer", UNREADABLE)
def test_what_is_no_formula_gets_no_mark(answer: str) -> None:
    graded = grade(answer, "x")
    assert graded.mark == "cannot tell"
    assert "cannot be read" in graded.reason


@pytest.mark.parametrize("answer", ["exp(" * 150 + "x" + ")" * 150, "9^9^9^9^9*x"])
def test_hostile_answers_get_no_mark_and_cost_little(answer: str) -> None:
    assert grade(answer, "x", seconds=3).mark == "cannot tell"


def test_a_domain_that_was_chosen_is_said() -> None:
    graded = grade("x^0.5", "sqrt(x)")
    assert graded.domain_chosen
    assert graded.domain == {"x": ["1/10", "5"]}
    assert "since no domain was given" in str(graded)


def test_the_domain_that_is_given_decides() -> None:
    assert grade("sqrt(x^2)", "x", {"x": (0, 5)}).mark == "correct"
    assert grade("sqrt(x^2)", "x", {"x": (-5, 5)}).mark == "incorrect"


def test_time_that_is_up_gives_no_mark() -> None:
    graded = grade("sin(x)^2 + cos(x)^2", "1", seconds=1e-9)
    assert graded.mark == "cannot tell"


def test_formulas_undefined_everywhere_get_no_mark() -> None:
    assert grade("sqrt(-1 - x^2)", "ln(-1 - x^2)", {"x": (0, 1)}).mark == "cannot tell"


def test_a_truth_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ParseError):
        grade("x", "x +")
    with pytest.raises(RangeError, match="form=True"):
        grade("x", "C*x")


def test_with_form_constants_may_differ() -> None:
    laws = {"m1": (1, 5), "m2": (1, 5), "r": (1, 5)}
    assert grade("6.67*m1*m2/r^2", "C*m1*m2/r^2", laws, form=True).mark == "correct"
    assert grade("6.67*m1*m2/r^3", "C*m1*m2/r^2", laws, form=True).mark == "incorrect"
    assert grade("1.5*x + 2.5", "3.1*x + 0.7", form=True).mark == "correct"
    assert grade("1.5*x + 2.5", "3.1*x + 0.7").mark == "incorrect"


def test_a_grade_is_plain_for_json() -> None:
    assert json.loads(json.dumps(grade("x", "x").to_dict()))["mark"] == "correct"


def test_signs_bind_in_spreadsheets_as_they_do_there() -> None:
    assert from_excel("2-x^2") == "2-x^2"
    assert from_excel("2*-x^2") == "2*(-x)^2"
    assert from_excel("-SIN(x)^2") == "(-sin(x))^2"


def test_what_surrounds_a_formula_is_taken_off() -> None:
    assert stripped(r"\[ F = m a \]") == "m a"
    assert read_answer("= A1 + B1")[0].names == ("A1", "B1")


def test_letters_side_by_side_are_a_product_where_the_truth_has_them_apart() -> None:
    assert grade("E = mc^2", "m*c^2").mark == "correct"
    assert grade("mc^2", "m*c^3").mark == "incorrect"
    assert grade("mc^2", "mc^2").mark == "correct"


def test_a_form_is_wrong_only_where_that_is_proven() -> None:
    domain = {"x": ("1/2", "5"), "y": ("1/2", "5")}
    unproven = grade_here("a*sin(x + b*y)", "a*sin(b*x + y)", domain, True, 5.0)
    assert unproven.mark == "cannot tell"
    assert grade_here("a*x", "a*x + b", domain, True, 5.0).mark == "incorrect"
