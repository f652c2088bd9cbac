"""How many parameters families really have."""

from __future__ import annotations

import json

import pytest

import symbed
from benchmarks.family_pairs import REDUNDANT
from benchmarks.relate import random_products
from symbed.verdicts.families.effective_parameters import effective, effective_rank

ONE = {"x": (0.5, 5.0)}


@pytest.mark.parametrize(("text", "rank"), REDUNDANT)
def test_the_rank_is_the_number_of_directions(text: str, rank: int) -> None:
    answer = effective(text, ONE, (0.5, 2.0))
    assert answer.rank == rank
    assert answer.n_redundant == answer.n_parameters - rank
    assert bool(answer.redundant) == (answer.n_redundant > 0)


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("a*x + b*max(x - 4.8, 0)", 2),
        ("a*x + b*max(x - 4.9999, 0)", 2),
        ("a*x + b*max(x - 6, 0)", 1),
        ("a*x + b*(x > 4.9) + c*(x > 4.8)", 3),
        ("where(x > 4.99, a, b)", 2),
        ("where(x > c, a, b)", 2),
    ],
)
def test_a_parameter_that_acts_in_a_small_part_of_the_domain_is_effective(
    text: str, rank: int
) -> None:
    assert effective(text, ONE).rank == rank


def test_random_products_have_the_rank_that_they_were_made_with() -> None:
    wrong = [
        text for text, rank in random_products(25, seed=3) if effective(text, ONE).rank != rank
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("text", "combination"),
    [
        ("a*b*x + c", "a*b"),
        ("a*exp(b*x)*exp(c)", "a*exp(c)"),
        ("(a + b)*x", "a + b"),
        ("a/b*x", "a/b"),
        ("x*a*y*b^2", "a*b^2"),
        ("max(a, b)*x", "max(a, b)"),
        ("a*sin(b) + x", "a*sin(b)"),
    ],
)
def test_the_combination_is_recognized(text: str, combination: str) -> None:
    domain = {"x": (0.5, 5.0), "y": (1.0, 2.0)}
    answer = effective(text, domain)
    assert [c.canonical() for c in answer.combinations] == [symbed.parse(combination).canonical()]


def test_a_parameter_that_does_nothing_stands_alone() -> None:
    answer = effective("a*x + 0*b", ONE)
    assert answer.redundant == (("b",),)
    assert "b does nothing" in str(answer)


def test_a_formula_without_parameters_has_none() -> None:
    assert effective("x + 1", ONE).rank == 0


def test_the_answer_is_ready_for_json() -> None:
    assert json.loads(json.dumps(effective("C*C*x", ONE).to_dict()))["combinations"] == ["C_0*C_1"]


def test_a_formula_that_is_defined_nowhere_is_an_error() -> None:
    with pytest.raises(symbed.SymbedError, match="defined nowhere"):
        effective("a*ln(0 - x)", ONE)


@pytest.mark.parametrize("text", ["a*b*x + c", "a*x", "x^2", "a*exp(b + x)*c", "sin(a)*x/b + d"])
def test_the_rank_alone_is_the_rank_beside_the_combinations(text: str) -> None:
    domain = {"x": (0.5, 5.0)}
    assert effective_rank(text, domain) == symbed.effective(text, domain).rank
