"""The NumPy engine: the same arrays in, the same bits out as the native core, readable.

It serves where there is no C++ compiler, and as the oracle of the native core everywhere else. The
elementary functions are our own on both sides (``symbed.engine.reference.elementary``), so nothing
depends on the mathematical library of a machine.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers
from symbed.engine.alignment import order_by_effect
from symbed.engine.program import SLOT_BITS, SLOT_MASK
from symbed.engine.reference.distances import cross, profile
from symbed.engine.reference.elementary import FUNCTIONS
from symbed.engine.reference.screening import screen
from symbed.errors import ShapeError
from symbed.language.operators import TABLE

__all__ = ["cross", "isa", "name", "observe", "profile", "screen", "sweep"]


name = "numpy"
OPERATOR, VARIABLE, PARAMETER, NUMBER = range(4)  # kinds of words
REST = (1 << 28) - 1
MOST_ALIGNED = 64  # more parameters than this keep their order of appearance
MOST_SENTINELS = 8


def isa() -> str:
    """The instruction set in use: NumPy's own choice."""
    return "numpy"


def observe(
    words: NDArray[np.int32],
    starts: Integers,
    variables: Floats,
    columns: Floats,
    bases: Integers,
    n_columns: int,
    moves: Floats | None,
    sentinels: Integers,
    limit: float,
    out: Floats,
    defined: Counts,
) -> None:
    """Evaluate programs and sort their outputs at each point.

    Parameters
    ----------
    words : the code of all programs (see ``symbed.engine.program``).
    starts : (n_programs + 1,) where each program begins in ``words``.
    variables : (n_variables, n_points) inputs.
    columns : (c, n_draws, n_points) draws, or (c, n_draws, 1) if all points share them.
    bases : (n_programs,) first column of each program. Slot s of range r is drawn from column
        ``base + r * n_columns + place(s)``.
    n_columns : number of columns of one range.
    moves : (n_ranges, 3) center, low and high end of each range; columns are then given to slots in
        order of effect. None: in order of appearance.
    sentinels : up to 8 points at which effects are measured.
    limit : outputs of larger magnitude are undefined.
    out : (n_programs, n_draws, n_points), filled with outputs sorted along the draws, undefined
        last as NaN.
    defined : (n_programs, n_points), filled with the numbers of defined outputs.
    """
    observer = _Observer(
        words, starts, variables, columns, bases, n_columns, moves, sentinels, limit
    )
    for k in range(len(out)):
        out[k], defined[k] = observer.behavior(k, out.shape[1])


def sweep(
    words: NDArray[np.int32],
    starts: Integers,
    variables: Floats,
    columns: Floats,
    bases: Integers,
    n_columns: int,
    moves: Floats | None,
    sentinels: Integers,
    limit: float,
    n_draws: int,
    targets: Floats,
    targets_defined: Counts,
    p: int,
    mismatch: float,
    out: Floats,
) -> None:
    """BED of programs to targets, as ``observe`` and ``cross`` give it, without keeping behaviors.

    Parameters are those of ``observe``, then those of ``cross`` for the targets; ``n_draws`` is the
    number of draws of the programs, and ``out`` is (n_programs, n_targets).
    """
    observer = _Observer(
        words, starts, variables, columns, bases, n_columns, moves, sentinels, limit
    )
    for k in range(len(out)):
        values, defined = observer.behavior(k, n_draws)
        sides = values[None], defined[None], targets, targets_defined
        cross(*sides, p, mismatch, out[k : k + 1])


class _Observer:
    """Programs and what they are evaluated on."""

    def __init__(
        self,
        words: NDArray[np.int32],
        starts: Integers,
        variables: Floats,
        columns: Floats,
        bases: Integers,
        n_columns: int,
        moves: Floats | None,
        sentinels: Integers,
        limit: float,
    ) -> None:
        self.words, self.starts, self.variables = words, starts, variables
        self.columns, self.bases, self.n_columns = columns, bases, n_columns
        self.moves, self.limit = moves, limit
        n_points = variables.shape[1]
        if moves is not None:
            _require_sentinels(sentinels, n_points)
        if (starts[0] < 0) | (np.diff(starts) < 0).any() | (starts[-1] > len(words)):
            raise ShapeError("the words of a program begin or end outside of the code")
        self.sentinels = variables[:, sentinels]

    def behavior(self, k: int, n_draws: int) -> tuple[Floats, Counts]:
        """Sorted outputs of program k, (n_draws, n_points), and counts of the defined ones."""
        program = self.words[self.starts[k] : self.starts[k + 1]].tolist()
        try:
            with np.errstate(all="ignore"):
                places = _places(program, self.sentinels, self.moves)
                drawn = _Columns(self.columns, int(self.bases[k]), self.n_columns, places)
                outputs = _run(program, self.variables, drawn)
        except _MalformedError as error:
            raise ShapeError(f"program {k}: {error}") from None
        shape = (n_draws, self.variables.shape[1])
        return _sort(np.broadcast_to(outputs, shape), self.limit)


class _MalformedError(Exception):
    """A program that the compiler cannot have made."""


class _Columns:
    """Where parameters find their draws."""

    def __init__(
        self, columns: Floats, base: int, n_columns: int, places: Sequence[int] | None
    ) -> None:
        self.columns, self.base, self.n_columns = columns, base, n_columns
        self.places = places

    def __call__(self, slot: int, range_id: int) -> Floats:
        place = slot if self.places is None else self.places[slot]
        column = self.base + range_id * self.n_columns + place
        if slot >= self.n_columns or self.base < 0 or column >= len(self.columns):
            raise _MalformedError("a parameter has no column of draws")
        drawn: Floats = self.columns[column]
        return drawn


def _run(program: list[int], variables: Floats, parameter: Callable[[int, int], Floats]) -> Floats:
    """The value of a program, as (1 or n_draws, 1 or n_points); broadcast as late as possible."""
    stack: list[Floats] = []
    for kind, rest, number in _decoded(program):
        if kind == OPERATOR:
            _apply(stack, rest)
        elif kind == VARIABLE:
            if rest >= len(variables):
                raise _MalformedError("a variable has no row in the table of inputs")
            stack.append(variables[rest : rest + 1])
        elif kind == PARAMETER:
            stack.append(parameter(rest & SLOT_MASK, rest >> SLOT_BITS))
        else:
            stack.append(np.full((1, 1), number))
    if len(stack) != 1:
        raise _MalformedError("it does not leave exactly one value")
    return stack[0]


def _decoded(program: list[int]) -> Iterator[tuple[int, int, float]]:
    """Kind and rest of each word; for numbers, their value."""
    words = iter(program)
    for word in words:
        kind, number = word >> 28, 0.0
        if not OPERATOR <= kind <= NUMBER:
            raise _MalformedError("a word is neither operator, variable, parameter nor number")
        if kind == NUMBER:
            low, high = next(words, None), next(words, None)
            if low is None or high is None:
                raise _MalformedError("a number is cut off")
            (number,) = struct.unpack("<d", struct.pack("<ii", low, high))
        yield kind, word & REST, number


def _apply(stack: list[Floats], code: int) -> None:
    if code >= len(TABLE) or TABLE[code].arity == 0:
        raise _MalformedError("a word is neither operator, variable, parameter nor number")
    arity = TABLE[code].arity
    if len(stack) < arity:
        raise _MalformedError("an operator has too few operands")
    operands = stack[-arity:]
    stack[-arity:] = [FUNCTIONS[TABLE[code].name](*operands)]


def _places(program: list[int], variables: Floats, moves: Floats | None) -> list[int] | None:
    """The column of each slot in order of effect, or None for their order of appearance."""
    ranges = _ranges(program)
    n_slots = max(ranges, default=-1) + 1
    if moves is None or not 2 <= n_slots <= MOST_ALIGNED:
        return None
    if max(ranges.values()) >= len(moves):
        raise _MalformedError("a parameter's range has no row of moves")
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
    for kind, rest, _ in _decoded(program):
        if kind == PARAMETER:
            slot, range_id = rest & SLOT_MASK, rest >> SLOT_BITS
            if ranges.setdefault(slot, range_id) != range_id and slot < MOST_ALIGNED:
                raise _MalformedError("a parameter is drawn from two ranges")
    return ranges


def _sort(outputs: Floats, limit: float) -> tuple[Floats, Counts]:
    """Outputs sorted along the draws with undefined ones last, and counts of the others.

    Adding zero makes -0 and 0 the same bits, so that their order cannot matter.
    """
    usable = np.abs(outputs) <= min(limit, float(np.finfo(np.float64).max))
    ordered = np.sort(np.where(usable, outputs + 0.0, np.inf), axis=0)
    return np.where(np.isinf(ordered), np.nan, ordered), usable.sum(axis=0, dtype=np.int32)


def _require_sentinels(sentinels: Integers, n_points: int) -> None:
    inside = (sentinels >= 0) & (sentinels < n_points)
    if not 1 <= len(sentinels) <= MOST_SENTINELS or not inside.all():
        raise ShapeError("a sentinel is not one of the points")
