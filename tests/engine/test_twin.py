"""The NumPy engine, word by word: what a program means, and what a distance is."""

from __future__ import annotations

import numpy as np
import pytest

from symbed.engine.program import NUMBER, PARAMETER, SLOT_BITS, VARIABLE
from symbed.errors import ShapeError
from tests.engine.engines import has_core, native, twin
from tests.engine.random_programs import case, number, operator

ENGINES = [twin, *([native] if has_core else [])]
PLUS, MINUS, TIMES, SINE = map(operator, ("+", "-", "*", "sin"))
X = np.array([[1.0, 2.0, 4.0], [0.5, 0.0, -1.0]])
X0, X1, C0, C1 = VARIABLE, VARIABLE | 1, PARAMETER, PARAMETER | 1

each_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)


@each_engine
def test_a_program_is_postfix_code(engine) -> None:
    values, counts = case([[X0, X1, MINUS, *number(10.0), TIMES]], X).run(engine)
    np.testing.assert_array_equal(values, [[[5.0, 20.0, 50.0]]])
    assert counts.tolist() == [[1, 1, 1]]


@each_engine
def test_a_number_alone_is_the_same_everywhere(engine) -> None:
    values, counts = case([number(2.5)], X, n_draws=4).run(engine)
    np.testing.assert_array_equal(values, np.full((1, 4, 3), 2.5))
    assert counts.tolist() == [[4, 4, 4]]


@each_engine
def test_draws_shared_by_all_points_are_crossed_with_them_and_sorted(engine) -> None:
    columns = np.array([[[3.0], [1.0]]])
    values, _ = case([[X0, C0, TIMES], [X1, C0, TIMES]], X, columns, 2).run(engine)
    np.testing.assert_array_equal(values[0], [[1.0, 2.0, 4.0], [3.0, 6.0, 12.0]])
    np.testing.assert_array_equal(values[1], [[0.5, 0.0, -3.0], [1.5, 0.0, -1.0]])


@each_engine
def test_draws_of_its_own_at_each_point_stay_at_their_point(engine) -> None:
    columns = np.array([[[3.0, 1.0, 5.0], [1.0, 2.0, 6.0]]])
    values, _ = case([[X0, C0, PLUS]], X, columns, 2).run(engine)
    np.testing.assert_array_equal(values[0], [[2.0, 3.0, 9.0], [4.0, 4.0, 10.0]])


@each_engine
def test_undefined_outputs_come_last_as_nan_and_spoil_no_other(engine) -> None:
    columns = np.array([[[-1.0], [4.0], [0.0], [1.0]]])
    values, counts = case([[C0, operator("sqrt"), operator("^-1")]], X, columns, 4).run(engine)
    np.testing.assert_array_equal(values[0, :, 0], [0.5, 1.0, np.nan, np.nan])
    assert counts.tolist() == [[2, 2, 2]]


@each_engine
def test_a_range_and_a_base_lead_to_a_column(engine) -> None:
    columns = np.arange(12.0).reshape(12, 1, 1)
    observed = case([[C0], [C1 | 1 << SLOT_BITS]], X, columns, 1, n_columns=3)
    observed.bases[:] = 0, 6
    values, _ = observed.run(engine)
    assert values[:, 0, 0].tolist() == [0.0, 6 + 3 + 1]


@each_engine
def test_the_parameter_that_moves_the_output_most_gets_the_first_column(engine) -> None:
    columns = np.array([[[10.0]], [[20.0]]])
    program = [C0, C1, *number(5.0), TIMES, PLUS]  # c0 + 5 c1
    plain = case([program], X, columns).run(engine)[0][0, 0, 0]
    aligned = case([program], X, columns, moves=[[0.0, -1.0, 1.0]]).run(engine)[0][0, 0, 0]
    assert (plain, aligned) == (10 + 5 * 20, 20 + 5 * 10)


@each_engine
def test_equal_effects_keep_the_order_of_the_slots(engine) -> None:
    columns = np.array([[[10.0]], [[20.0]]])
    program = [C0, C1, *number(0.0), TIMES, PLUS, C1, PLUS]  # c0 + 0 c1 + c1
    found = case([program], X, columns, moves=[[0.0, -1.0, 1.0]]).run(engine)[0][0, 0, 0]
    assert found == 10 + 0 * 20 + 20


@each_engine
def test_more_than_64_parameters_keep_their_order_of_appearance(engine) -> None:
    for n_slots, first_column in ((64, 63), (65, 0)):
        weighted = [
            word
            for slot in range(n_slots)
            for word in (PARAMETER | slot, *number(float(slot + 1)), TIMES)
        ]
        program = weighted + [PLUS] * (n_slots - 1)
        columns = np.zeros((n_slots, 1, 1))
        columns[0] = 1.0  # the weight of whoever gets column 0 is the output
        found = case([program], X, columns, moves=[[0.0, -1.0, 1.0]]).run(engine)[0][0, 0, 0]
        assert found == first_column + 1


@each_engine
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "does not leave exactly one value"),
        ([X0, X0], "does not leave exactly one value"),
        ([X0, PLUS], "too few operands"),
        ([SINE], "too few operands"),
        ([operator("pi")], "neither operator, variable"),
        ([X0, 200], "neither operator, variable"),
        ([X0, 1 << 27], "neither operator, variable"),
        ([4 << 28], "neither operator, variable"),
        ([-1], "neither operator, variable"),
        ([-(1 << 31)], "neither operator, variable"),
        ([VARIABLE | 2], "no row in the table"),
        ([VARIABLE | 0x0FFFFFFF], "no row in the table"),
        ([PARAMETER | 2], "no column"),
        ([PARAMETER | 0xFFFFF], "no column"),
        ([PARAMETER | 1 << SLOT_BITS], "no column"),
        ([C0, C0 | 1 << SLOT_BITS, PLUS], "no column|two ranges"),
        ([NUMBER], "cut off"),
        ([X0, NUMBER, 1], "cut off"),
    ],
)
def test_a_malformed_program_is_refused_by_its_number(engine, words, message) -> None:
    columns = np.ones((2, 1, 1))
    for moves in (None, [[0.0, -1.0, 1.0]]):
        with pytest.raises(ShapeError, match=rf"program 1: .*({message})"):
            case([[X0], words], X, columns, moves=moves).run(engine)


@pytest.mark.no_cover
@each_engine
def test_a_sweep_names_the_malformed_program_too(engine) -> None:
    targets = np.zeros((1, 1, 3)), np.ones((1, 3), np.int32)
    programs = [[X0]] * 9000 + [[X0, PLUS]]
    with pytest.raises(ShapeError, match="program 9000: an operator has too few operands"):
        case(programs, X).sweep(engine, targets, 1)


@each_engine
def test_a_range_without_moves_cannot_be_aligned(engine) -> None:
    columns = np.ones((4, 1, 1))
    program = [C0, C1 | 1 << SLOT_BITS, PLUS]
    with pytest.raises(ShapeError, match="no row of moves"):
        case([program], X, columns, moves=[[0.0, -1.0, 1.0]], n_columns=2).run(engine)


@each_engine
def test_starts_outside_of_the_code_are_refused(engine) -> None:
    for starts in ([0, 2], [-1, 1], [1, 0]):
        observed = case([[X0]], X)
        observed.starts = np.array(starts, np.int64)
        with pytest.raises(ShapeError, match="begin or end outside"):
            observed.run(engine)


@each_engine
def test_sentinels_must_be_points(engine) -> None:
    for sentinels in ([3], [-1], [], [0] * 9):
        observed = case([[C0, C1, PLUS]], X, np.ones((2, 1, 1)), moves=[[0.0, -1.0, 1.0]])
        observed.sentinels = np.array(sentinels, np.int64)
        with pytest.raises(ShapeError, match="sentinel"):
            observed.run(engine)


def _distance(engine, u, v, p=1, mismatch=np.inf) -> float:
    """BED of two lists of (draws x points) rows, fully defined but for NaN."""
    sides = []
    for side in (u, v):
        values = np.array([side], np.float64)
        sides += [values, np.isfinite(values).sum(axis=1, dtype=np.int32)]
    out = np.empty((1, 1))
    engine.cross(*sides, p, mismatch, out)
    return float(out[0, 0])


@each_engine
def test_without_draws_the_distance_is_mae_and_rmse(engine) -> None:
    assert _distance(engine, [[0.0, 1.0]], [[3.0, 5.0]]) == 3.5
    assert _distance(engine, [[0.0, 1.0]], [[3.0, 5.0]], p=2) == pytest.approx(12.5**0.5)


@each_engine
def test_one_draw_against_many_is_the_mean_deviation(engine) -> None:
    assert _distance(engine, [[1.0]], [[0.0], [4.0]]) == 2.0


@each_engine
def test_points_empty_on_both_sides_count_zero_and_on_one_side_mismatch(engine) -> None:
    nan = np.nan
    assert _distance(engine, [[nan, 1.0]], [[nan, 3.0]]) == 1.0
    assert _distance(engine, [[nan, 1.0]], [[7.0, 3.0]]) == np.inf
    assert _distance(engine, [[nan, 1.0]], [[7.0, 3.0]], mismatch=4.0) == 3.0
    assert _distance(engine, [[nan, 1.0]], [[7.0, 1.0]], 2, 4.0) == pytest.approx(8**0.5)


@each_engine
@pytest.mark.parametrize("p", [1, 2])
def test_a_distance_that_a_float_can_hold_does_not_overflow(engine, p: int) -> None:
    big = 1.7e308
    full, partial = [[big] * 40] * 3, [[big] * 40, [big] * 40, [big] * 39 + [np.nan]]
    assert _distance(engine, full, [[0.0] * 40] * 3, p) == pytest.approx(big, rel=1e-14)
    assert _distance(engine, partial, [[0.0] * 40] * 3, p) == pytest.approx(big, rel=1e-14)
    assert _distance(engine, full, [[-big] * 40] * 3, p) == np.inf
    # The difference at one point is beyond the floats, the mean over all points is not.
    one = [[big] + [0.0] * 39] * 3
    other = [[-big] + [0.0] * 39] * 3
    expected = 2 * (big / 40) if p == 1 else 2 * (big / 40**0.5)
    assert _distance(engine, one, other, p) == pytest.approx(expected, rel=1e-14)


@each_engine
def test_small_differences_do_not_underflow_for_p_2(engine) -> None:
    for size in (1e-170, 1e-250, 5e-324):
        assert _distance(engine, [[size] * 3], [[0.0] * 3], 2) == pytest.approx(size, rel=1e-13)
        partial = [[size, size, np.nan]], [[0.0, 0.0, np.nan]]
        expected = size * (2 / 3) ** 0.5
        assert _distance(engine, *partial, 2) == pytest.approx(expected, rel=1e-13, abs=5e-324)
    assert _distance(engine, [[1e300, 1.0]], [[1e300, 1.0]], 2) == 0.0


@each_engine
def test_profile_rescues_each_point_alone(engine) -> None:
    u = np.array([[1e300, 1e-200, 3.0, 2e308 / 2]])
    v = np.array([[-1e300, 0.0, 1.0, -2e308 / 2]])
    counts, out = np.ones(4, np.int32), np.empty(4)
    engine.profile(u, counts, v, counts, 2, np.inf, out)
    np.testing.assert_allclose(out, [2e300, 1e-200, 2.0, np.inf], rtol=1e-14)


@each_engine
def test_only_orders_1_and_2_exist(engine) -> None:
    with pytest.raises(ShapeError, match="p must be 1 or 2"):
        _distance(engine, [[0.0]], [[1.0]], p=3)


@each_engine
def test_counts_beyond_the_draws_are_refused(engine) -> None:
    values, out = np.zeros((1, 2, 3)), np.empty((1, 1))
    right = np.full((1, 3), 2, np.int32)
    for wrong in (-1, 3):
        counts = np.array([[2, wrong, 2]], np.int32)
        with pytest.raises(ShapeError, match="count of defined outputs"):
            engine.cross(values, counts, values, right, 1, np.inf, out)
        with pytest.raises(ShapeError, match="count of defined outputs"):
            engine.cross(values, right, values, counts, 1, np.inf, out)


@each_engine
def test_behaviors_at_different_points_are_refused(engine) -> None:
    one, other = np.zeros((1, 1, 2)), np.zeros((1, 1, 3))
    counts = np.ones((1, 2), np.int32), np.ones((1, 3), np.int32)
    with pytest.raises(ShapeError, match="at 2 and 3 points"):
        engine.cross(one, counts[0], other, counts[1], 1, np.inf, np.empty((1, 1)))
