"""The canonical order: commuted spellings become one, and nothing else does."""

import math
import os
import random
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbed.language.expression import Expression, apply, fold
from symbed.language.operators import NEG, TABLE
from symbed.language.parser import parse
from tests.language.trees import evaluate, expressions


def shuffled(expression: Expression, rng: random.Random) -> Expression:
    """The expression with operands of commutative operators exchanged here and there."""

    def node(row, below):
        swap = row.commutative and rng.random() < 0.5
        return row, below[::-1] if swap else below

    return _flat(fold(expression.postfix, lambda item: (item, ()), node))


def _flat(tree) -> Expression:
    """The expression of a tree of (item, operands) pairs, in one pass from its end."""
    backwards, waiting = [], [tree]
    while waiting:
        item, below = waiting.pop()
        backwards.append(item)
        waiting += below
    return Expression(tuple(reversed(backwards)))


@given(expressions, st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_commuted_spellings_share_form_and_hash(expression, rng):
    other = shuffled(expression, rng)
    assert other.canonical() == expression.canonical()
    assert other.canonical_hash == expression.canonical_hash
    assert expression.canonical().canonical() == expression.canonical()
    assert expression.canonical().canonical_hash == expression.canonical_hash


@given(expressions)
@settings(max_examples=200, deadline=None)
def test_the_value_does_not_change_by_one_bit(expression):
    values = {name: 0.3 + 0.71 * place for place, name in enumerate(expression.names)}
    assert _outcome(expression, values) == _outcome(expression.canonical(), values)


def _outcome(expression: Expression, values: dict[str, float]) -> str:
    try:
        return evaluate(expression, values).hex()
    except (ArithmeticError, ValueError):
        return "undefined"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + y", "x - y"),
        ("x - y", "y - x"),
        ("x + (y + z)", "(x + y) + z"),
        ("x + y + z", "x + z + y"),
        ("C*x", "C_0*x"),
        ("C_0 + C_1*x", "C_1 + C_0*x"),
        ("x + 0", "x + -0"),
        ("x + 1", "x + 1.0000000000000002"),
        ("min(x, y)", "max(x, y)"),
        ("x^2", "x^3"),
        ("x*x", "x^2"),
        ("sin(x)", "x"),
        ("x", "y"),
        ("x", "1"),
        ("-x", "x"),
    ],
)
def test_different_expressions_have_different_hashes(one, other):
    assert parse(one).canonical_hash != parse(other).canonical_hash


def test_all_anonymous_parameters_are_equal():
    assert parse("C*x + C*y").canonical_hash == parse("y*C + x*C").canonical_hash


def test_a_variable_named_like_a_constant_is_not_the_constant():
    assert parse("e", variables=["e"]).canonical_hash != parse("e").canonical_hash


@pytest.mark.no_cover
def test_no_two_trees_of_many_share_a_hash():
    seen: dict[int, Expression] = {}
    trees = [("x",), ("C",), (1.0,)]
    for row in (row for row in TABLE if row.arity):
        trees += [apply(row, pair[: row.arity]) for pair in _pairs(trees[:40], row.arity)]
    for postfix in trees:
        form = Expression(postfix).canonical()
        assert seen.setdefault(form.canonical_hash, form) == form
    assert len(seen) > 4000


def _pairs(trees, arity):
    return [(a, b) for a in trees for b in (trees if arity == 2 else trees[:1])]


def test_the_hash_is_the_same_in_every_process():
    expression = parse("C*sin(X_0)^2 + X_1/3.5 + min(a, b)*(x + y + z + u + v + w)")
    code = f"from symbed.language.parser import parse; print(parse({str(expression)!r}).canonical_hash)"
    hashes = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, check=True, text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert hashes == {str(expression.canonical_hash)}
    assert 0 <= expression.canonical_hash < 2**64


def test_the_hash_does_not_change_between_versions():
    # Written down once: stores on disk may hold such numbers.
    assert (
        parse("C*x + sin(y)").canonical_hash
        == parse("sin(y) + x*C").canonical_hash
        == 9799742612393626448
    )


@pytest.mark.no_cover
def test_a_large_sum_is_ordered_quickly():
    terms = [f"C*x{i % 10}^2*{i}" for i in range(6_000)]
    expression = parse("+".join(terms))
    began = time.thread_time()
    form = expression.canonical()
    assert time.thread_time() - began < 1
    assert form.size == expression.size
    assert shuffled(expression, random.Random(1)).canonical() == form


def test_signs_of_numbers_survive():
    form = parse("x*-0").canonical()
    assert NEG not in form.postfix
    assert any(math.copysign(1, item) < 0 for item in form.postfix if isinstance(item, float))
