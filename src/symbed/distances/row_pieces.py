"""Pieces: a block of rows goes in; blocks of a few rows, to work on anywhere, come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symbed._types import Integers
from symbed.behavior.blocks import Block, Recomputed, Stored
from symbed.behavior.family import Family
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import Program

ROWS = 256  # of one piece, or fewer if they have many outputs
OUTPUTS = 1 << 20  # of one piece: 8 MB


def piece(block: Block, rows: Integers) -> Block:
    """Some rows of a block as a block that needs nothing else, and can be sent away."""
    if not len(rows):
        return Stored()
    if isinstance(block, Recomputed):
        return Recomputed(programs(block, rows), block.observer)
    values, defined = block.take(rows)
    return Stored((values,), (defined,), programs(block, rows))


def programs(block: Block, rows: Integers) -> Sequence[Program | Family]:
    """The programs of some rows, packed; a list if there are callables among them."""
    known = block.rows
    if isinstance(known, (PackedPrograms, ChainedPrograms)):
        return known.take(rows)
    found = [known[row] for row in rows.tolist()] if len(known) else []
    plain = [row for row in found if isinstance(row, Program)]
    return PackedPrograms.of(plain) if plain and len(plain) == len(found) else found


def spans(rows: Integers, n_outputs: int) -> Iterator[Integers]:
    """Rows by as many as are worked on at once, if each has so many outputs."""
    step = rows_at_once(n_outputs)
    return (rows[first : first + step] for first in range(0, len(rows), step))


def rows_at_once(n_outputs: int) -> int:
    """How many rows of so many outputs are worked on at once.

    >>> rows_at_once(64 * 32), rows_at_once(1 << 24)
    (256, 1)
    """
    return max(1, min(ROWS, OUTPUTS // n_outputs))
