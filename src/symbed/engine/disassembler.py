"""Listing: an expression goes in, its program as readable words comes out."""

from __future__ import annotations

import struct

from symbed.engine.program import SLOT_MASK, compile_expression
from symbed.language.expression import Expression
from symbed.language.operators import TABLE


def listing(expression: Expression) -> list[str]:
    """The instructions of the compiled program, one string each."""
    rows = {name: row for row, name in enumerate(expression.variables)}
    program = compile_expression(expression, rows, lambda _: 0)
    words = struct.unpack(f"={len(program.words) // 4}i", program.words)
    shown: list[str] = []
    place = 0
    while place < len(words):
        kind, rest = words[place] >> 28, words[place] & 0x0FFFFFFF
        if kind == 3:
            bits = struct.pack("=ii", *words[place + 1 : place + 3])
            shown.append(f"number {struct.unpack('=d', bits)[0]!r}")
            place += 2
        elif kind == 0:
            shown.append(TABLE[rest].name)
        else:
            shown.append(f"variable {rest}" if kind == 1 else f"parameter {rest & SLOT_MASK}")
        place += 1
    return shown
