"""The NumPy engine: every kernel in readable form, for where there is no native core.

It is also the oracle of the native core: the same arguments give the same bits. The elementary
functions are our own on both sides (``engine.reference.elementary``), so nothing depends on the
mathematical library of a machine. Programs are evaluated here; other kernels have modules of their
own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats
from symbed.engine.backend import Backend
from symbed.engine.catalog import Catalog
from symbed.engine.program import (
    OPERATOR,
    PARAMETER,
    SLOT_BITS,
    SLOT_MASK,
    VARIABLE,
    Binding,
    MalformedProgram,
    decode,
)
from symbed.engine.reference import _bounds as bounds
from symbed.engine.reference import _fitting as fitting
from symbed.engine.reference import distances, syntax
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.engine.reference.elementary.hyperbolic import asinh_of
from symbed.engine.structures.observations import Observation, SortedOutputs, Wasserstein
from symbed.errors import ShapeError
from symbed.language.operators import TABLE
from symbed.sampling.designs import order_by_effect

MAX_ALIGNED = 64  # more parameters than this keep their order of appearance
MAX_SENTINELS = 8


class ReferenceBackend(Backend):
    """The kernels in NumPy; `symbed.engine.backend.Backend` says what they do."""

    name = "numpy"
    fit = staticmethod(fitting.fit)
    sample = staticmethod(syntax.sample)
    read_words = staticmethod(syntax.read_words)

    def isa(self) -> str:
        return "numpy"

    def observe(self, observation: Observation, out: Floats, defined: Counts) -> None:
        observer = _Observer(observation)
        for k in range(len(out)):
            out[k], defined[k] = observer.behavior(k)

    def arcsinh(self, values: Floats) -> Floats:
        with np.errstate(all="ignore"):  # the branch that is not taken may overflow
            return asinh_of(np.asarray(values, np.float64))

    def catalog(self, binding: Binding) -> Catalog:
        return Catalog()

    def _run(self, kernel: str, out: tuple[NDArray[Any], ...], *arguments: Any) -> None:
        results = KERNELS[kernel](*arguments)
        for array, result in zip(out, results if len(out) > 1 else (results,), strict=True):
            array[...] = result


def _sweep(observation: Observation, targets: SortedOutputs, distance: Wasserstein) -> Floats:
    """BED of programs to targets, without keeping behaviors; see ``Backend.sweep``."""
    observer = _Observer(observation)
    out = np.empty((observation.n_programs, len(targets[0])))
    for k in range(len(out)):
        values, defined = observer.behavior(k)
        out[k] = distances.cross((values[None], defined[None]), targets, distance)[0]
    return out


class _Observer:
    """Programs and what they are evaluated on."""

    def __init__(self, given: Observation) -> None:
        self.given = given
        if given.moves is not None:
            inside = (given.sentinels >= 0) & (given.sentinels < given.n_points)
            if not 1 <= len(given.sentinels) <= MAX_SENTINELS or not inside.all():
                raise ShapeError("a sentinel is not one of the points")
        starts = given.starts
        if (starts[0] < 0) | (np.diff(starts) < 0).any() | (starts[-1] > len(given.words)):
            raise ShapeError("the words of a program begin or end outside of the code")
        self.sentinels = given.variables[:, given.sentinels]

    def behavior(self, k: int) -> tuple[Floats, Counts]:
        """Sorted outputs of program k, (n_draws, n_points), and counts of the defined ones."""
        given = self.given
        program = given.words[given.starts[k] : given.starts[k + 1]].tolist()
        try:
            with np.errstate(all="ignore"):
                places = _places(program, self.sentinels, given.moves)
                base = int(given.bases[k])
                outputs = _run(program, given.variables, partial(self._draws, base, places))
        except MalformedProgram as error:
            raise ShapeError(f"program {k}: {error}") from None
        shape = (given.n_draws, given.n_points)
        return _sort(np.broadcast_to(outputs, shape), given.limit)

    def _draws(self, base: int, places: list[int] | None, slot: int, range_id: int) -> Floats:
        """The draws of one parameter of the program whose columns begin at ``base``."""
        column = base + range_id * self.given.n_columns + (slot if places is None else places[slot])
        # A slot beyond n_columns would read a column of the next range.
        if slot >= self.given.n_columns or base < 0 or column >= len(self.given.columns):
            raise MalformedProgram("a parameter has no column of draws")
        drawn: Floats = self.given.columns[column]
        return drawn


def _run(program: list[int], variables: Floats, parameter: Callable[[int, int], Floats]) -> Floats:
    """The value of a program, as (1 or n_draws, 1 or n_points); broadcast as late as possible."""
    # Variables are (1, n_points), draws (n_draws, 1 or n_points), numbers (1, 1).
    stack: list[Floats] = []
    for kind, rest, number in decode(program):
        if kind == OPERATOR:
            _apply(stack, rest)
        elif kind == VARIABLE:
            if rest >= len(variables):
                raise MalformedProgram("a variable has no row in the table of inputs")
            stack.append(variables[rest : rest + 1])
        elif kind == PARAMETER:
            stack.append(parameter(rest & SLOT_MASK, rest >> SLOT_BITS))
        else:
            stack.append(np.full((1, 1), number))
    if len(stack) != 1:
        raise MalformedProgram("it does not leave exactly one value")
    return stack[0]


def _apply(stack: list[Floats], code: int) -> None:
    if code >= len(TABLE) or TABLE[code].arity == 0:
        raise MalformedProgram("a word is neither operator, variable, parameter nor number")
    arity = TABLE[code].arity
    if len(stack) < arity:
        raise MalformedProgram("an operator has too few operands")
    operands = stack[-arity:]
    stack[-arity:] = [FUNCTIONS[TABLE[code].name](*operands)]


def _places(program: list[int], variables: Floats, moves: Floats | None) -> list[int] | None:
    """The column of each slot in order of effect, or None for their order of appearance."""
    # Slots that the program skips have no range, and move nothing: any row of moves will do.
    ranges = _ranges(program)
    n_slots = max(ranges, default=-1) + 1
    if moves is None or not 2 <= n_slots <= MAX_ALIGNED:
        return None
    if max(ranges.values()) >= len(moves):
        raise MalformedProgram("a parameter's range has no row of moves")
    # Settings 2s and 2s + 1 have slot s at its high and its low end, the others at the center.
    settings = np.empty((n_slots, 2 * n_slots, 1))
    for slot in range(n_slots):
        center, low, high = moves[ranges.get(slot, 0)]
        settings[slot] = center
        settings[slot, 2 * slot : 2 * slot + 2, 0] = high, low
    shape = (2 * n_slots, variables.shape[1])
    outputs = np.broadcast_to(_run(program, variables, lambda s, _: settings[s]), shape)
    return order_by_effect(np.abs(outputs[0::2] - outputs[1::2]))


def _ranges(program: list[int]) -> dict[int, int]:
    """The range of each slot that occurs."""
    ranges: dict[int, int] = {}
    for kind, rest, _ in decode(program):
        if kind == PARAMETER:
            slot, range_id = rest & SLOT_MASK, rest >> SLOT_BITS
            # Beyond MAX_ALIGNED nothing is aligned, and the core keeps no ranges to compare.
            if ranges.setdefault(slot, range_id) != range_id and slot < MAX_ALIGNED:
                raise MalformedProgram("a parameter is drawn from two ranges")
    return ranges


def _sort(outputs: Floats, limit: float) -> tuple[Floats, Counts]:
    """Outputs sorted along the draws with undefined ones last, and counts of the others.

    Adding zero makes -0 and 0 the same bits, so that their order cannot matter.
    """
    # Nothing usable is infinite, so infinity can stand for what is not while sorting.
    usable = np.abs(outputs) <= min(limit, float(np.finfo(np.float64).max))
    ordered = np.sort(np.where(usable, outputs + 0.0, np.inf), axis=0)
    return np.where(np.isinf(ordered), np.nan, ordered), usable.sum(axis=0, dtype=np.int32)


KERNELS: dict[str, Callable[..., Any]] = {
    "sweep": _sweep,
    "cross": distances.cross,
    "profile": distances.profile,
    "paired": distances.paired,
    "cemetery": distances.cemetery,
    "cemetery_profile": distances.cemetery_profile,
    "screen": bounds.screen,
    "dual_bounds": bounds.dual_bounds,
    "sketch": bounds.sketch,
    "scan": bounds.scan,
    "tree_edit": syntax.tree_edit,
}
