from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from symbed import Expression, Probe, limits, parse
from symbed.engine.packed_programs import outputs_at
from symbed.engine.program import Binding, compile_expression, listing, parameter_slots
from symbed.errors import LimitError, MissingRange, MissingVariable
from symbed.language.operators import SUBTRACT
from symbed.sampling.designs import order_by_effect, rounded

PROBE = Probe({"x": (1, 5), "y": (1, 5)}, parameters=(1, 5))


def words(text: str, probe: Probe = PROBE) -> bytes:
    return Binding(probe).compile(parse(text, probe.variables)).words


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("a*x + b", "b + x*a"),
        ("a*x + b", "C*x + C"),
        ("a*x + b", "b*x + a"),
        ("max(x, y) + 1", "1 + max(y, x)"),
        ("(a + b)*(x + y)", "(y + x)*(b + a)"),
        ("sin(x*y)*a*b", "b*(a*sin(y*x))"),
    ],
)
def test_equal_up_to_commutativity_and_naming_is_the_same_program(one: str, two: str) -> None:
    assert words(one) == words(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("a*x + a", "a*x + b"),
        ("x - y", "y - x"),
        ("x/y", "y/x"),
        ("x^y", "y^x"),
        ("x", "y"),
        ("x + 1", "x + 2"),
        ("x + (y + 1)", "(x + y) + 1"),  # only commutativity: associativity moves the last bit
    ],
)
def test_different_expressions_are_different_programs(one: str, two: str) -> None:
    assert words(one) != words(two)


def test_as_written_the_order_is_kept() -> None:
    roles = {"x": 0}
    one, two = parse("a*x + b"), parse("b + a*x")
    compiled = [compile_expression(e, roles, lambda _: 0, reorder=False).words for e in (one, two)]
    assert compiled[0] != compiled[1]


def test_parameters_with_other_ranges_are_other_programs() -> None:
    probe = Probe({"x": (1, 5)}, parameters={"a": (1, 5), "b": (0, 1), "c": (1, 5)})
    assert words("a*x", probe) != words("b*x", probe)
    assert words("a*x", probe) == words("c*x", probe)


def test_the_program_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from symbed import Probe, parse; from symbed.engine.program import Binding;"
        "p = Probe({'x': (1, 5)}, parameters=(1, 5));"
        "print(Binding(p).compile(parse('(a + sin(x))*(x + b*x) + 2*c', ['x'])).words.hex())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, text=True, check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(seen) == 1


def test_long_sums_compile_in_linear_time_and_little_stack() -> None:
    flat = parse("+".join(["C*x"] * 5_000))
    assert Binding(PROBE).compile(flat).n_parameters == 5_000


def test_too_many_waiting_operands_are_refused() -> None:
    n = limits.STACK.maximum
    deep = Expression(("x",) * n + (SUBTRACT,) * (n - 1))
    assert Binding(PROBE).compile(deep).n_parameters == 0
    with pytest.raises(LimitError, match="operands waiting"):
        Binding(PROBE).compile(Expression(("x",) * (n + 1) + (SUBTRACT,) * n))


def test_too_many_parameters_are_refused() -> None:
    n = limits.PARAMETERS.maximum
    assert Binding(PROBE).compile(parse("+".join(["C"] * n))).n_parameters == n
    with pytest.raises(LimitError, match="free parameters"):
        Binding(PROBE).compile(parse("+".join(["C"] * (n + 1))))


def test_roles_name_what_is_missing() -> None:
    with pytest.raises(MissingVariable, match="'z' in 'x \\+ z'"):
        words("x + z")
    with pytest.raises(MissingRange, match="add 'b'"):
        words("a*x + b", Probe({"x": (1, 5)}, parameters={"a": (1, 5)}))
    with pytest.raises(MissingVariable, match="'t'"):
        Binding(PROBE).compile(parse("x + t", ["x", "t"]))


def test_a_listing_reads_like_the_program() -> None:
    assert listing(parse("C + 2*x")) == ["number 2.0", "variable 0", "*", "parameter 0", "+"]
    assert listing(parse("pi"))[0].startswith("number 3.14159")


class TestAlignment:
    def test_the_largest_effect_gets_the_first_column(self) -> None:
        assert order_by_effect(np.array([[1.0], [3.0], [2.0]])) == [2, 0, 1]

    def test_equal_totals_are_told_apart_at_the_first_point(self) -> None:
        assert order_by_effect(np.array([[1.0, 2.0], [2.0, 1.0]])) == [1, 0]

    def test_rounding_does_not_decide(self) -> None:
        nearly = np.array([[1.0, 1.0], [1.0 + 1e-12, 1.0]])
        assert order_by_effect(nearly) == [0, 1]

    def test_what_is_not_finite_counts_as_no_effect(self) -> None:
        assert order_by_effect(np.array([[np.nan], [np.inf], [1.0]])) == [1, 2, 0]

    def test_rounding_keeps_26_bits(self) -> None:
        assert rounded(np.array([1.0 + 2.0**-30]))[0] == 1.0
        assert rounded(np.array([1.0 + 2.0**-20]))[0] == 1.0 + 2.0**-20
        assert rounded(np.array([0.0, 1e300])).tolist()[0] == 0.0


def test_many_vectors_of_many_parameters_take_memory_for_their_values_only() -> None:
    n_vectors, n_slots = 2000, 150
    form = parse(" + ".join(f"C_{k}*x^{k % 5}" for k in range(n_slots)), ["x"])
    # A range of its own for each parameter, as forms have them.
    program = compile_expression(form, {"x": 0}, lambda name: int(name[2:]))
    vectors = np.random.default_rng(0).normal(size=(n_vectors, n_slots))
    inputs = np.linspace(-1.0, 1.0, 7).reshape(1, -1)
    tracemalloc.start()
    outputs = outputs_at(program, inputs, vectors)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * vectors.nbytes
    by_name = vectors[:, list(parameter_slots(form, {"x": 0}, lambda name: int(name[2:])))]
    powers = inputs[0] ** (np.arange(n_slots) % 5)[:, None]
    np.testing.assert_allclose(outputs, by_name @ powers, rtol=1e-9, atol=1e-9)
