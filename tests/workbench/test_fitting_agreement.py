"""The native core and its NumPy twin find the same bits, on every instruction set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import symbed
from benchmarks.grammar_sampler import sample, text
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program, compile_expression
from symbed.engine.structures.requests import FitResults, FitTask
from symbed.language.operators import TABLE
from symbed.workbench.fit_problem import Bounds
from symbed.workbench.fitting import cuts
from tests.engine.engines import has_core, native, twin

pytestmark = pytest.mark.skipif(not has_core, reason="the native core is not built")

VARIABLES = {"X_0": 0, "X_1": 1}
RANDOM = [text(tokens) for tokens in sample(400, 2, seed=3) if "C" in tokens][:60]
OPERATORS = [
    f"{row.name}(C*X_0 + C)*C" if row.form == "call" and row.arity == 1
    else f"(C*X_0){row.name}" if row.form == "postfix"
    else f"{row.name}(C*X_0, C + X_1)" if row.form == "call"
    else "-(C*X_0)" if row.form == "sign"
    else f"(C + X_0){row.name}(C*X_1)"
    for row in TABLE if row.arity
]  # fmt: skip
SPECIAL = [
    "X_0", "3", "C", "C*C", "a*X_0 + a", "sin(C)*X_0 + exp(C*C)", "ln(0 - X_0)*C", "sqrt(X_0 - C)",
    "sqrt(C*X_0)", "abs(C*X_0 - 2)", "min(C, X_0)", "1/(X_0 - X_0)*C", "exp(exp(exp(C*X_0)))",
    "X_0^(C*600)", "C*X_0/X_0 - C", "X_0*0 + C",
]  # fmt: skip


def _compiled(texts: list[str]) -> list[Program]:
    read = (symbed.parse(line, tuple(VARIABLES)) for line in texts)
    return [compile_expression(expression, VARIABLES, lambda _: 0) for expression in read]


def _task(
    texts: list[str], n_points: int, bounds: tuple[float, float], scale: float = 1.0
) -> FitTask:
    generator = np.random.default_rng(n_points)
    programs = _compiled(texts)
    counts = [program.n_parameters for program in programs]
    packed = PackedPrograms.of(programs)
    limits = Bounds(bounds)
    target = generator.normal(1.0, 2.0, n_points)
    return FitTask(
        packed.words, packed.starts, generator.uniform(0.2, 3.0, (2, n_points)), target, scale, 1e-28,
        limits.table(), limits.starts(6, max(counts), 1), 3, 20, cuts(counts),
    )  # fmt: skip


def _results(engine, task: FitTask) -> list[bytes]:
    results = FitResults.empty(task.places)
    engine.fit(task, results)
    assert not np.isnan(results.errors).any()
    return [results.values.tobytes(), results.errors.tobytes(), results.counts.tobytes()]


@pytest.fixture
def chosen_isa() -> Iterator[None]:
    before = native.isa()
    yield
    native.select_isa(before)


@pytest.mark.no_cover
@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (-1.5, 2.0), (0.0, np.inf)])
@pytest.mark.parametrize("texts", [RANDOM, OPERATORS, SPECIAL], ids=["random", "each", "special"])
def test_both_engines_find_the_same_bits(texts: list[str], bounds: tuple[float, float]) -> None:
    task = _task(texts, 300, bounds)
    assert _results(native, task) == _results(twin, task)


@pytest.mark.parametrize("n_points", [1, 31, 32, 33, 255, 256, 257, 700])
def test_any_number_of_rows_gives_the_same_bits(n_points: int) -> None:
    task = _task([*RANDOM[:12], *SPECIAL], n_points, (-3.0, 3.0))
    assert _results(native, task) == _results(twin, task)


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-40, 2.0**400])
def test_targets_of_any_size_give_the_same_bits(scale: float) -> None:
    task = _task([*RANDOM[:12], *SPECIAL], 64, (-np.inf, np.inf), scale)
    assert _results(native, task) == _results(twin, task)


@pytest.mark.usefixtures("chosen_isa")
def test_every_instruction_set_finds_the_same_bits() -> None:
    task = _task([*RANDOM, *OPERATORS, *SPECIAL], 500, (-np.inf, np.inf))
    by_set = {}
    for isa in native.supported_isas():
        native.select_isa(isa)
        by_set[isa] = _results(native, task)
    assert len({b"".join(part) for part in by_set.values()}) == 1


def test_malformed_programs_are_refused_by_the_core() -> None:
    task = _task(["C*X_0"], 8, (-1.0, 1.0))
    results = FitResults.empty(task.places)
    for words in (
        [2],
        [1 << 28 | 7],
        [2 << 28 | 5],
        [3 << 28, 0],
        [1 << 28, 1 << 28],
        [4 << 28 | 0],
    ):
        broken = np.array(words, np.int64).astype(np.int32)
        starts = np.array([0, len(broken)], np.int64)
        with pytest.raises(symbed.SymbedError):
            native.fit(_replaced(task, words=broken, starts=starts), results)


@pytest.mark.parametrize("place", [0, 1])
def test_a_malformed_program_is_refused_by_its_number(place: int) -> None:
    task = _task(["X_0", "X_0"], 8, (-1.0, 1.0))
    words = task.words.copy()
    words[place] = 200  # no operator
    with pytest.raises(symbed.SymbedError, match=f"^program {place}: "):
        native.fit(_replaced(task, words=words), FitResults.empty(task.places))


def _replaced(task: FitTask, **changes: object) -> FitTask:
    from dataclasses import replace

    return replace(task, **changes)


@pytest.mark.parametrize("on_circle", [False, True], ids=["plain", "circle"])
@pytest.mark.parametrize("n_points", [33, 300])
def test_many_targets_with_starts_of_their_own_give_the_same_bits(
    n_points: int, on_circle: bool
) -> None:
    task = _task([*RANDOM[:10], *SPECIAL], n_points, (-4.0, 4.0))
    generator = np.random.default_rng(5)
    targets = generator.normal(0.5, 2.0, (3, n_points))
    targets[1, ::3] = np.nan
    n_slots = task.initial.shape[2]
    counts = np.repeat(np.diff(task.places), 3).tolist()
    many = _replaced(
        task, target=targets, scale=np.array([1.0, 2.0, 0.5]), places=cuts(counts),
        own=generator.uniform(-3.0, 3.0, (3, 4, n_slots)),
        middles=np.array([0.5, 1.0, 2.0]) if on_circle else None,
    )  # fmt: skip
    assert _results(native, many) == _results(twin, many)


def test_a_target_among_many_is_fitted_as_if_it_were_alone() -> None:
    task = _task(["C*exp(C*X_0) + C", "C/(X_0 - C)"], 40, (-5.0, 5.0))
    targets = np.random.default_rng(6).normal(1.0, 1.0, (3, 40))
    counts = np.diff(task.places).tolist()
    many = _replaced(task, target=targets, places=cuts(np.repeat(counts, 3).tolist()))
    together = FitResults.empty(many.places)
    native.fit(many, together)
    for place, target in enumerate(targets):
        alone = FitResults.empty(task.places)
        native.fit(_replaced(task, target=target), alone)
        assert (together.errors[place::3] == alone.errors).all()


def test_on_the_circle_a_pole_is_passed_that_stops_a_plain_descent() -> None:
    x = np.linspace(-1.0, 1.0, 41)
    program = _compiled(["1/(X_0 - a)"])
    packed, limits = PackedPrograms.of(program), Bounds(None)
    target = 1.0 / (x - 0.013)
    start = np.array([[[-0.737]]])
    task = FitTask(
        packed.words, packed.starts, np.stack([x, x]), target, 1.0, 1e-20,
        limits.table(), start, 1, 100, cuts([1]),
    )  # fmt: skip
    errors = []
    for middles in (None, np.array([float(np.median(np.abs(target)))])):
        results = FitResults.empty(task.places)
        native.fit(_replaced(task, middles=middles), results)
        errors.append(results.errors[0, 0])
    assert errors[0] > 1e-3 > 1e-9 > errors[1]
