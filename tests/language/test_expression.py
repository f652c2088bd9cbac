"""Expressions: values that check themselves and compare by structure."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from symbed.errors import ParseError, ShapeError
from symbed.language.expression import Expression, apply, fold, spans
from symbed.language.operators import ADD, BY_NAME, MULTIPLY, NEG, POW, SQUARE
from symbed.language.parser import parse
from tests.language.trees import expressions


def test_equality_is_structural():
    assert parse("x + y") == parse("x+(y)")
    assert hash(parse("x + y")) == hash(parse("x+(y)"))
    assert parse("x + y") != parse("y + x")
    assert parse("x") != "x"


def test_the_sign_of_zero_is_part_of_the_structure():
    assert parse("1/0") != parse("1/-0")
    assert parse("1/-0") == parse("1/-0")


@pytest.mark.parametrize(
    ("postfix", "problem"),
    [
        ((), "must leave one value, this one leaves 0"),
        (("x", "y"), "must leave one value, this one leaves 2"),
        ((ADD,), r"'\+' needs 2 operands, got 0"),
        ((ADD, "x", "y", "z"), r"'\+' needs 2 operands, got 0"),
        (("x", ADD, "y"), r"'\+' needs 2 operands, got 1"),
        ((None,), "holds operators, names and numbers, got None"),
        ((True,), "got True"),
        ((float("nan"),), "got nan"),
        ((10**5000,), "no integer beyond every float"),
        (("sin",), "'sin' is an operator; give its row"),
        (("x", "y", "+"), "is an operator; give its row"),
        ((1j,), "got 1j"),
    ],
)
def test_a_sequence_that_is_no_expression_is_refused(postfix, problem):
    with pytest.raises(ShapeError, match=problem):
        Expression(postfix)


def test_a_name_that_cannot_be_read_is_refused():
    with pytest.raises(ParseError):
        Expression(("x y",))


def test_an_expression_built_by_hand_takes_the_form_that_the_parser_gives():
    assert Expression(("x", 2, POW)) == parse("x^2")
    assert Expression((np.float64(2), NEG)).postfix == (-2.0,)
    assert type(Expression((np.float64(2),)).postfix[0]) is float
    assert Expression(["x", 1, ADD]).postfix == ("x", 1.0, ADD)
    assert apply(POW, [("x",), (2.0,)]) == ("x", SQUARE)
    assert apply(NEG, [(2.0,)]) == (-2.0,)


def test_size_depth_and_names():
    read = parse("C*sin(x) + C")
    assert (read.size, read.depth) == (6, 4)
    assert read.names == ("C", "x", "C")
    assert parse("pi").depth == 1


def test_with_variables_keeps_the_tree():
    read = parse("a*x").with_variables(["a"])
    assert read == parse("a*x")
    assert (read.variables, read.parameters) == (("a",), ("x",))


@given(expressions)
@settings(max_examples=50, deadline=None)
def test_copies_are_equal_and_share_the_operators(expression):
    for copied in (copy.copy(expression), copy.deepcopy(expression)):
        assert copied == expression
    through = pickle.loads(pickle.dumps(expression))
    assert through == expression
    assert through.canonical_hash == expression.canonical_hash


def test_another_process_gets_the_same_operators():
    code = (
        "import pickle, sys; from symbed.language.operators import POW;"
        "e = pickle.loads(sys.stdin.buffer.read());"
        "assert e.postfix[-1] is POW; print(e, e.canonical_hash)"
    )
    expression = parse("x^y")
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(expression),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().split() == ["x^y", str(expression.canonical_hash)]


def test_fold_and_spans_walk_bottom_up():
    postfix = parse("a + b*sin(c)").postfix
    assert fold(postfix, lambda _: 1, lambda _, below: 1 + sum(below)) == 6
    assert spans(postfix) == [0, 1, 2, 2, 1, 0]
    assert [item for item in postfix if item is MULTIPLY or item is BY_NAME["sin"]]


@pytest.mark.no_cover
def test_deep_trees_need_no_recursion():
    deep = parse("-" * 40_000 + "x")
    assert deep.depth == 40_001
    assert hash(deep) == hash(parse(str(deep)))
    assert deep.canonical() == deep
    assert deep.derivative("x").postfix == (1.0,)
