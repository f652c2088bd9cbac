"""The table of names that the native reader of lines is told: what each means under a binding."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed.engine.binding import Binding
from symbed.engine.program import CONSTANTS
from symbed.language.expression import ANONYMOUS
from symbed.language.operators import BY_NAME, CODES

FUNCTION, CONSTANT, VARIABLE, PARAMETER, ANY = range(5)  # binding, as in native/text/symbol_table.h
MOST_NAMES = 10_000  # parameter names beyond this are left to the parser


class SymbolTable(ctypes.Structure):
    """``SymbolTable`` of native/text/symbol_table.h; keeps its arrays alive."""

    _fields_ = (
        ("names", ctypes.c_char_p),
        ("name_starts", ctypes.c_void_p),
        ("binding", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("numbers", ctypes.c_void_p),
        ("n_names", ctypes.c_int64),
        ("commutative", ctypes.c_void_p),
    )
    known: int
    arrays: tuple[NDArray[Any], ...]


class _Entry(NamedTuple):
    name: str
    role: int
    value: int = 0
    number: float = 0.0


def symbol_table(binding: Binding) -> SymbolTable:
    """The names that mean something under these binding, as they are known now."""
    entries = list(_entries(binding).values())
    names = [entry.name.encode() for entry in entries]
    arrays = (
        np.cumsum([0, *map(len, names)], dtype=np.int64),
        np.array([entry.role for entry in entries], np.int32),
        np.array([entry.value for entry in entries], np.int32),
        np.array([entry.number for entry in entries], np.float64),
        np.array([row.commutative for row in CODES] + [False] * (256 - len(CODES)), np.uint8),
    )
    starts, parts, values, numbers, commutative = (array.ctypes.data for array in arrays)
    made = SymbolTable(b"".join(names), starts, parts, values, numbers, len(entries), commutative)
    made.known, made.arrays = len(binding.ranges), arrays
    return made


def _entries(binding: Binding) -> dict[str, _Entry]:
    """What each name means; variables come last and so win over constants."""
    entries = [_Entry(name, CONSTANT, 0, value) for name, value in CONSTANTS.items()]
    for name, row in BY_NAME.items():
        if row.arity and name.isidentifier():
            entries.append(_Entry(name, FUNCTION, CODES[row]))
    for name, number in list(binding.ranges.items())[:MOST_NAMES]:
        entries.append(_Entry(name, ANY if name == ANONYMOUS else PARAMETER, number))
    for row_number, name in enumerate(binding.probe.variables):
        entries.append(_Entry(name, VARIABLE, row_number))
    return {entry.name: entry for entry in entries}
