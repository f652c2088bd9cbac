"""What the native engine does in its own ways: quotients, chains, draws in any order, known lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from symbed.behavior.observation import Observer
from symbed.engine.catalog import ASK, BLANK
from symbed.engine.program import Binding
from symbed.sampling.probe import Probe
from tests.engine.engines import has_core, native, twin
from tests.engine.random_programs import case, number, operator, random_case

pytestmark = pytest.mark.skipif(not has_core, reason="no native core in this build")

ISAS = native.supported_isas() if has_core else ()
X, Y, C, D = 1 << 28, 1 << 28 | 1, 2 << 28, 2 << 28 | 1
ADD, SUBTRACT, MULTIPLY, DIVIDE = map(operator, "+-*/")
SIN, POWER = operator("sin"), operator("^")


@pytest.fixture(autouse=True)
def _restore_isa() -> Iterator[None]:
    before = native.isa()
    yield
    native.select_isa(before)


def significands(seed: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Numbers in [1, 2) of which many have few zeros or few ones: these are hard to divide."""
    numbers = np.random.default_rng(seed)
    bits = numbers.integers(0, 1 << 52, shape, dtype=np.uint64)
    few = numbers.integers(0, 300, shape, dtype=np.uint64)
    kind = numbers.integers(0, 4, shape)
    bits = np.select(
        [kind == 0, kind == 1, kind == 2], [few, (1 << 52) - 1 - few, bits >> 26 << 26], bits
    )
    return (bits | np.uint64(1023 << 52)).view(np.float64)


@pytest.mark.parametrize("seed", range(40))
def test_quotients_are_rounded_as_ieee_says(seed: int) -> None:
    n_draws, n_points = 32, 64
    numbers = np.random.default_rng(seed)
    x, columns = significands(seed, (2, n_points)), significands(seed + 500, (2, n_draws, n_points))
    if seed % 2:  # signs, and exponents up to where the quotients overflow and vanish
        x *= 2.0 ** numbers.integers(-300, 300, x.shape)
        columns *= -(2.0 ** numbers.integers(-510, 510, columns.shape))
    if seed % 4 == 3:
        columns[:, :3, ::5], x[:, 7] = 0.0, np.inf
    programs = [
        [C, X, DIVIDE],
        [X, C, DIVIDE],
        [C, D, DIVIDE],
        [C, 3 << 28, *number(3.0)[1:], DIVIDE],
    ]
    with np.errstate(all="ignore"):
        quotients = [
            columns[0] / x[0],
            x[0] / columns[0],
            columns[0] / columns[1],
            columns[0] / 3.0,
        ]
    expected = [np.sort(np.where(np.isfinite(q), q + 0.0, np.nan), axis=0) for q in quotients]
    for isa in ISAS:
        native.select_isa(isa)
        values, _ = case(programs, x, columns, n_draws).run(native)
        assert values.tobytes() == np.stack(expected).tobytes(), isa


@pytest.mark.parametrize("n_draws", [1, 5, 32, 70])
def test_chains_of_any_length_give_the_bits_of_the_twin(n_draws: int) -> None:
    numbers = np.random.default_rng(n_draws)
    links = [[X, ADD], [Y, MULTIPLY], [X, SUBTRACT], [*number(0.3), MULTIPLY], [*number(-2.5), ADD]]
    programs = [
        [C] + [word for k in numbers.integers(0, 5, n) for word in links[k]] for n in range(1, 14)
    ]
    programs += [[X, C, Y, MULTIPLY, SUBTRACT], [X, C, D, ADD, SUBTRACT, SIN, Y, MULTIPLY]]
    observed = case(
        programs, numbers.uniform(-2, 3, (2, 21)), numbers.uniform(0, 2, (2, n_draws, 21)), n_draws
    )
    expected = [found.tobytes() for found in observed.run(twin)]
    for isa in ISAS:
        native.select_isa(isa)
        assert [found.tobytes() for found in observed.run(native)] == expected, isa


@pytest.mark.parametrize("n_points", [8, 40, 64])
def test_the_order_of_the_draws_does_not_show(n_points: int) -> None:
    numbers = np.random.default_rng(n_points)
    programs = [[C, X, MULTIPLY], [X, C, DIVIDE], [C, SIN], [C, X, POWER], [C, C, MULTIPLY, X, ADD]]
    columns = numbers.uniform(-1, 4, (5, 32, n_points))
    columns[:, 4:9] = columns[:, 11:16]  # ties
    rising = np.sort(columns, axis=1)
    found = []
    for drawn in (columns, rising, rising[:, ::-1].copy()):
        observed = case(programs, np.linspace(-2, 3, n_points), drawn, 32)
        found.append([part.tobytes() for isa in ISAS for part in _run(observed, isa)])
    assert found[0] == found[1] == found[2]


def _run(observed, isa: str) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    native.select_isa(isa)
    return observed.run(native)


@pytest.mark.parametrize("n_points", [1, 16, 17, 1024, 1500])
def test_a_constant_has_its_value_at_every_point(n_points: int) -> None:
    values, counts = case([number(2.5), [*number(2.0), SIN]], np.zeros((1, n_points))).run(native)
    assert (values[0] == 2.5).all()
    assert len(np.unique(values[1])) == 1
    assert (counts == 1).all()


@pytest.mark.parametrize("n_points", [5, 64, 1040])
def test_packing_the_columns_does_not_show(n_points: int) -> None:
    """Few programs read the columns where they are; many get packed ones."""
    few = random_case(77, 33, n_points, n_programs=1)
    many = random_case(77, 33, n_points, n_programs=1)
    many.words, many.bases = np.tile(few.words, 30), np.zeros(30, np.int64)
    many.starts = np.arange(31) * len(few.words)
    values, counts = few.run(native)
    all_values, all_counts = many.run(native)
    assert all(one.tobytes() == values[0].tobytes() for one in all_values)
    assert all(one.tobytes() == counts[0].tobytes() for one in all_counts)


def test_observers_sort_their_draws_and_change_no_behavior() -> None:
    probe = Probe({"x": (1, 5)}, parameters=(1, 5))
    observer = Observer(probe)
    columns = observer._columns(3)
    assert (np.diff(columns[0], axis=0) >= 0).all()
    together = np.sort(columns.sum(axis=0), axis=0)
    np.testing.assert_allclose(together, np.sort(probe.columns(3).sum(axis=0), axis=0))


def test_a_line_that_was_read_before_gets_its_place_again() -> None:
    catalog = native.catalog(Binding(Probe({"x": (1, 5)}, parameters=(1, 5))))
    lines = ["x", "x + C", "", "x +", "x" + " + x" * 20, "x", "x + C", "", "x +", "C + x"]
    first = [0, -1, BLANK, ASK, 1, 0, -1, BLANK, ASK, -1]
    assert catalog.read(lines).tolist() == first
    assert catalog.read(lines).tolist() == first
    catalog.forget(10, 20)
    assert catalog.read(["x + C", "x"]).tolist() == [-21, 10]


def test_many_short_lines_are_told_apart() -> None:
    probe = Probe({f"x{k}": (0, 1) for k in range(60)})
    catalog = native.catalog(Binding(probe))
    lines = [f"x{i} - x{j} - x{k}" for i in range(60) for j in range(60) for k in (0, 59)]
    places = catalog.read(lines + lines[::-1]).tolist()
    assert places[: len(lines)] == list(range(len(lines)))
    assert places[len(lines) :] == places[: len(lines)][::-1]
