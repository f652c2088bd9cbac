"""The native engine: its tables, its choice of instruction set, and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from symbed.errors import RangeError, ShapeError
from symbed.language.operators import TABLE
from tests.engine.engines import has_core, native
from tests.engine.random_programs import case, operator, random_case

pytestmark = pytest.mark.skipif(not has_core, reason="no native core in this build")

X = np.array([[1.0, 2.0, 4.0]])


@pytest.fixture(autouse=True)
def _restore_isa() -> Iterator[None]:
    before = native.isa()
    yield
    native.select_isa(before)


def test_the_core_lists_the_operators_of_the_table_in_its_order() -> None:
    assert native.operator_rows() == [(row.name, row.arity) for row in TABLE]


def test_the_best_supported_instruction_set_is_used_unless_told() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "SYMBED_ISA"}
    assert _isa_in_a_fresh_process(environment) == native.supported_isas()[0]


def test_the_environment_forces_an_instruction_set() -> None:
    assert _isa_in_a_fresh_process({**os.environ, "SYMBED_ISA": "baseline"}) == "baseline"


def test_an_unknown_instruction_set_is_refused_with_those_that_work() -> None:
    with pytest.raises(RangeError, match=r"'mmx': there is no such .* can run .*baseline"):
        native.select_isa("mmx")


def test_an_instruction_set_can_be_chosen() -> None:
    for isa in native.supported_isas():
        native.select_isa(isa)
        assert native.isa() == isa


def test_negative_zero_is_observed_as_zero() -> None:
    for n_draws in (1, 8, 40):
        columns = np.tile([0.0, -0.0], 4 * n_draws)[:n_draws].reshape(1, n_draws, 1)
        values, _ = case([[2 << 28]], X, columns, n_draws).run(native)
        assert not np.signbit(values).any()


def test_the_limit_itself_is_defined_and_what_is_larger_is_not() -> None:
    values, counts = case([[1 << 28]], np.array([[2.0, -2.0, 2.1, -2.1]]), limit=2.0).run(native)
    np.testing.assert_array_equal(values[0, 0], [2.0, -2.0, np.nan, np.nan])
    assert counts.tolist() == [[1, 1, 0, 0]]


def test_a_stack_of_many_values_at_once_is_fine() -> None:
    n_terms = 3000
    words = [1 << 28, operator("exp")] * n_terms + [operator("+")] * (n_terms - 1)
    values, _ = case([words], X).run(native)
    np.testing.assert_allclose(values[0, 0], n_terms * np.exp(X[0]), rtol=1e-12)


@pytest.mark.parametrize(
    ("place", "wrong", "message"),
    [
        ("words", np.zeros(1, np.int64), "words must be int32"),
        ("starts", np.zeros(5, np.int32), r"starts must be int64 of shape \(5,\)"),
        ("variables", np.zeros((3, 64), np.float32), r"variables must be float64"),
        ("columns", np.zeros((2, 8, 7)), "counts of points and draws"),
        ("columns", np.zeros((2, 7, 64)), r"columns must be float64 of shape \(2, 8, 64\)"),
        ("bases", np.zeros(3, np.int64), r"bases must be int64 of shape \(4,\)"),
        ("moves", np.zeros((2, 2)), r"moves must be float64 of shape \(2, 3\)"),
    ],
)
def test_an_array_of_the_wrong_kind_is_refused(place: str, wrong: np.ndarray, message: str) -> None:
    observed = random_case(1, 8, 64)
    setattr(observed, place, wrong)
    with pytest.raises(ShapeError, match=message):
        observed.run(native)


def test_results_go_to_contiguous_writable_arrays_only() -> None:
    observation = case([[1 << 28]], X).observation()
    counts = np.empty((1, 3), np.int32)
    fixed = np.empty((1, 1, 3))
    fixed.flags.writeable = False
    for out in (np.empty((1, 1, 6))[:, :, ::2], fixed):
        with pytest.raises(ShapeError, match="out must be contiguous and writable"):
            native.observe(observation, out, counts)


def test_inputs_that_are_not_contiguous_are_copied() -> None:
    values = np.sort(np.random.default_rng(0).normal(size=(2, 4, 6)), axis=1)
    counts = np.full((2, 6), 4, np.int32)
    expected, found = np.empty((2, 2)), np.empty((2, 2))
    every_other = values[:, :, ::2]
    native.cross(every_other.copy(), counts[:, ::2].copy(), *(values[:, :, 1::2].copy(),
                 counts[:, 1::2].copy()), 1, np.inf, expected)  # fmt: skip
    native.cross(every_other, counts[:, ::2], values[:, :, 1::2], counts[:, 1::2], 1, 1.0, found)
    assert found.tobytes() == expected.tobytes()


def test_an_empty_block_is_no_error() -> None:
    values, counts = np.ones((2, 4, 3)), np.full((2, 3), 4, np.int32)
    native.cross(values[:0], counts[:0], values, counts, 1, np.inf, np.empty((0, 2)))
    case([], X).run(native)


def _isa_in_a_fresh_process(environment: dict[str, str]) -> str:
    program = "from symbed.engine.backend import active_backend; print(active_backend().isa())"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
