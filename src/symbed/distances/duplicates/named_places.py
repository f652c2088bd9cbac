"""Places that formulas name: points whose coordinates stand beside their variables as numbers."""

from __future__ import annotations

from itertools import islice, pairwise, product

import numpy as np

from symbed._types import Booleans, Floats
from symbed.behavior.distinct_rows import DistinctRows, Rows
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import NUMBER, VARIABLE, Program
from symbed.sampling.probe import Probe

MOST_VALUES = 4  # of one variable
MOST_PLACES = 64  # of one pair
# How far beside a number to look, of the range: the number itself may be a removable singularity.
BESIDE = (1e-4, -3e-7)


def named_points(rows: DistinctRows, numbers: list[int], probe: Probe) -> Floats:
    """Points beside the numbers that the formulas of some rows have next to their variables.

    Parameters
    ----------
    rows : DistinctRows
        The rows.
    numbers : list of int
        Which of them.
    probe : Probe
        Its points tell the ranges; a variable without numbers of its own takes values from them.
    """
    low, high = probe.points.min(axis=0), probe.points.max(axis=0)
    values: list[list[float]] = [[] for _ in probe.variables]
    for part in rows.split(np.array(numbers)):
        for row in part.rows.tolist():
            for column, value in _beside_variables(part.block.rows, row):
                near = [v for v in (value, -value) if low[column] < v < high[column]]
                values[column] += [v for v in near if v not in values[column]][:1]
    if not any(values):
        return np.empty((0, len(values)))
    choices = [
        some[:MOST_VALUES] if some else probe.points[[1, -2], column].tolist()
        for column, some in enumerate(values)
    ]
    places = np.array(list(islice(product(*choices), MOST_PLACES)))
    return np.concatenate([places + share * (high - low) for share in BESIDE])


def has_numbers(rows: DistinctRows) -> Booleans:
    """(n,) which rows are programs with numbers in them: most have none, and are not read."""
    found = []
    for block in rows.blocks:
        known = block.rows
        if isinstance(known, ChainedPrograms):
            known = known.part(0, len(known))
        if isinstance(known, PackedPrograms) and len(known):
            counts = np.concatenate([[0], np.cumsum(known.words == NUMBER)])
            found.append(np.diff(counts[known.starts]) > 0)
        else:
            found.append(np.array([isinstance(row, Program) for row in known], np.bool_))
    return np.concatenate(found)


def _beside_variables(rows: Rows, number: int) -> list[tuple[int, float]]:
    """Each number that stands next to a variable in a program, with the variable's column."""
    program = rows[number] if len(rows) else None
    if not isinstance(program, Program):
        return []
    words = np.frombuffer(program.words, np.int32).tolist()
    if NUMBER not in words:
        return []
    items: list[int | float] = []  # a float is a number, an integer any other word
    place = 0
    while place < len(words):
        if words[place] == NUMBER:
            bits = np.array(words[place + 1 : place + 3], np.int32)
            items.append(float(bits.view(np.float64)[0]))
            place += 2
        else:
            items.append(words[place])
        place += 1
    beside = list(pairwise(items))
    pairs = beside + [(b, a) for a, b in beside]
    return [
        (word ^ VARIABLE, value)
        for word, value in pairs
        if isinstance(word, int) and word >> 28 == 1 and isinstance(value, float)
    ]
