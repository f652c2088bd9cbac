from __future__ import annotations

import numpy as np
import pytest

import symbed
from symbed.engine.program import compile_expression, parameter_slots
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.engine.reference.tape import SLOPES, Tape
from symbed.language.operators import TABLE, Operator
from symbed.workbench import evaluate

ROWS = [row for row in TABLE if row.arity]
INSIDE = (-0.95, 0.95)  # of -1 .. 1
POSITIVE = (0.1, 3.0)
DOMAINS = {
    **dict.fromkeys(("asin", "acos", "atanh"), INSIDE),
    **dict.fromkeys(("sqrt", "ln", "log10", "log2", "^"), POSITIVE),
    "acosh": (1.1, 3.0), "log1p": (-0.9, 3.0), "logit": (0.05, 0.95),
}  # fmt: skip


def _operands(row: Operator) -> list[np.ndarray]:
    """Points inside of the operator's domain, away from kinks."""
    generator = np.random.default_rng(len(row.name))
    if row.name == "polygamma":  # of a whole order, and by that there is no slope
        return [generator.integers(0, 4, 200).astype(float), generator.uniform(0.5, 3.0, 200)]
    low, high = DOMAINS.get(row.name, (-3.0, 3.0))
    return [generator.uniform(low, high, 200) for _ in range(row.arity)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
class TestEveryOperator:
    def test_has_a_slope_for_each_operand(self, row: Operator) -> None:
        assert len(SLOPES[row.name]) == row.arity

    def test_slopes_are_those_of_the_operator_table(self, row: Operator) -> None:
        operands = _operands(row)
        y = FUNCTIONS[row.name](*operands)
        known = dict(zip("ab", operands, strict=False)) | {"y": y}
        for side, text in enumerate(row.derivative):
            partial = symbed.parse(text, variables=tuple(known))
            names = partial.variables or ("y",)
            expected = evaluate(partial, np.stack([known[n] for n in names], axis=1), names)
            slopes = np.broadcast_to(SLOPES[row.name][side](*operands, y), y.shape)
            np.testing.assert_allclose(slopes, expected, rtol=1e-12, atol=1e-14)

    def test_slopes_are_those_of_small_differences(self, row: Operator) -> None:
        operands, step = _operands(row), 1e-6
        y = FUNCTIONS[row.name](*operands)
        for side in range(row.arity):
            ends = []
            for sign in (-1.0, 1.0):
                moved = list(operands)
                moved[side] = moved[side] + sign * step
                ends.append(FUNCTIONS[row.name](*moved))
            slopes = np.broadcast_to(SLOPES[row.name][side](*operands, y), y.shape)
            expected = (ends[1] - ends[0]) / (2 * step)
            np.testing.assert_allclose(slopes, expected, rtol=2e-6, atol=2e-6 * np.abs(y).max())


@pytest.mark.parametrize(
    ("name", "operands", "slopes"),
    [
        ("abs", [0.0], [0.0]),
        ("sign", [0.0], [0.0]),
        ("min", [2.0, 2.0], [0.5, 0.5]),
        ("max", [2.0, 2.0], [0.5, 0.5]),
        ("min", [1.0, 2.0], [1.0, 0.0]),
        ("max", [1.0, 2.0], [0.0, 1.0]),
        ("^", [0.0, 3.0], [0.0, 0.0]),
        ("^", [0.0, 1.0], [1.0, 0.0]),
        ("^", [-2.0, 3.0], [12.0, 0.0]),
    ],
)
def test_kinks_and_edges_have_finite_slopes(name, operands, slopes) -> None:
    arrays = [np.array([operand]) for operand in operands]
    with np.errstate(all="ignore"):
        y = FUNCTIONS[name](*arrays)
        sides = [float(np.squeeze(slope(*arrays, y))) for slope in SLOPES[name]]
    assert sides == slopes


@pytest.mark.parametrize(
    "text",
    [
        "a*x + b",
        "a*sin(b*x) + a",  # one parameter at two places
        "exp(a*b)*x + sin(a)",  # parts that depend on parameters alone
        "(a + b)/(x + a*b)",
        "x^a + a^x + b^a",
        "sqrt(a^2*x + cos(b))/ln(a + 3)",
        "a",
        "a*b",
        "tanh(a*x)*cbrt(b + x) - min(a*x, b) + max(a, x)",
        "x^2 + 2 + a - a*x^3*pi",
    ],
)
def test_one_pass_back_gives_the_derivative_by_every_parameter(text: str) -> None:
    expression = symbed.parse(text)
    x = np.linspace(0.5, 2.0, 37)
    parameters = expression.parameters
    values = [1.3 - 0.4 * place for place in range(len(parameters))]
    program = compile_expression(expression, {"x": 0}, lambda _: 0)
    slots = parameter_slots(expression, {"x": 0}, lambda _: 0)
    by_slot = np.empty(len(values))
    by_slot[list(slots)] = values
    tape = Tape(np.frombuffer(program.words, np.int32).tolist(), x[None])
    outputs = np.broadcast_to(tape.outputs(by_slot.tolist()), x.shape)
    np.testing.assert_allclose(outputs, evaluate(expression, x, ["x"], values), rtol=1e-15)
    slopes = tape.slopes(1.0)
    for place, name in enumerate(parameters):
        derivative = expression.derivative(name)
        given = [values[parameters.index(n)] for n in derivative.parameters]
        expected = evaluate(derivative, x, ["x"], given)
        np.testing.assert_allclose(slopes[slots[place]], expected, rtol=1e-12, atol=1e-13)
