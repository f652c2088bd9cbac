"""The native engine: arrays go in, the C++ core fills arrays by a plain C interface.

The library is looked for beside this file, but opened on first use only. Calls release the GIL.
``SYMBED_ISA=baseline|avx2|avx512`` in the environment forces an instruction set; results are the
same bits on each.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed._types import Counts, Floats, Integers
from symbed.engine.structures import ARRAY, INTEGER, Measure, Observed, Side, writable
from symbed.errors import RangeError, ShapeError

name = "native"
LIBRARY = "symbed.engine._symbed_core"
NO_MEMORY = 1


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
    """Evaluate programs and sort their outputs at each point; see ``twin.observe``."""
    observed = Observed(
        words, starts, variables, columns, bases, n_columns, moves, sentinels, limit, out.shape
    )
    observed.structure.out = writable(out, np.float64, "out", out.shape)
    counts = (out.shape[0], out.shape[2])
    observed.structure.defined = writable(defined, np.int32, "defined", counts)
    _require_done(_library().symbed_observe(ctypes.byref(observed.structure)))


def cross(
    a_values: Floats,
    a_defined: Counts,
    b_values: Floats,
    b_defined: Counts,
    p: int,
    mismatch: float,
    out: Floats,
) -> None:
    """BED between two blocks of behaviors; see ``twin.cross``."""
    filled = writable(out, np.float64, "out", (len(a_values), len(b_values)))
    a, b = Side(a_values, a_defined), Side(b_values, b_defined)
    _compare(_library().symbed_cross, a, b, p, mismatch, filled)


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
    """BED of programs to targets without keeping their behaviors; see ``twin.sweep``."""
    shape = len(starts) - 1, n_draws, targets.shape[2]
    observed = Observed(
        words, starts, variables, columns, bases, n_columns, moves, sentinels, limit, shape
    )
    filled = writable(out, np.float64, "out", (shape[0], len(targets)))
    side = Side(targets, targets_defined)
    measure = Measure(side.n_points, p, mismatch)
    structures = observed.structure, side.structure, measure
    _require_done(_library().symbed_sweep(*map(ctypes.byref, structures), filled))


def screen(
    a_values: Floats,
    a_defined: Counts,
    b_values: Floats,
    b_defined: Counts,
    p: int,
    mismatch: float,
    within: float,
    out: Floats,
) -> None:
    """BED between two blocks, exact up to ``within``; see ``twin_screening.screen``."""
    filled = writable(out, np.float64, "out", (len(a_values), len(b_values)))
    a, b = Side(a_values, a_defined), Side(b_values, b_defined)
    _compare(_library().symbed_screen, a, b, p, mismatch, within, filled)


def profile(
    u: Floats,
    u_defined: Counts,
    v: Floats,
    v_defined: Counts,
    p: int,
    mismatch: float,
    out: Floats,
) -> None:
    """Distances of two behaviors at each point; see ``twin.profile``."""
    filled = writable(out, np.float64, "out", (u.shape[1],))
    a, b = Side(u[None], u_defined[None]), Side(v[None], v_defined[None])
    _compare(_library().symbed_profile, a, b, p, mismatch, filled)


def add_singles(rounds: int) -> int:
    """Add numbers of single precision as fast as it goes, for benchmarks; how many were added."""
    total = np.zeros(1)
    return int(_library().symbed_add_singles(rounds, writable(total, np.float64, "total", (1,))))


def isa() -> str:
    """The instruction set in use."""
    return str(_library().symbed_isa().decode())


def supported_isas() -> tuple[str, ...]:
    """The instruction sets that this build has and this machine can run, best first."""
    return _listed(_library().symbed_supported_isa)


def select_isa(chosen: str) -> None:
    """Use this instruction set from now on, in the whole process."""
    _select(_library(), chosen)


def operator_rows() -> list[tuple[str, int]]:
    """Name and arity of each operator that the library was built with, in order of its code."""
    names = _listed(_library().symbed_operator_name)
    return [(n, _library().symbed_operator_arity(code)) for code, n in enumerate(names)]


def call(function: str, *arguments: Any) -> None:
    """Call a function of the library that returns a status; an error if it is not done."""
    _require_done(number(function, *arguments))


def number(function: str, *arguments: Any) -> int:
    """Call a function of the library that returns a 64-bit number."""
    entry = getattr(_library(), function)
    entry.restype = INTEGER
    return int(entry(*arguments))


def pointer(function: str) -> int:
    """Call a function of the library that makes something; gives its address."""
    entry = getattr(_library(), function)
    entry.restype = ARRAY
    made = entry()
    if not made:
        raise MemoryError("there is not enough memory")
    return int(made)


def release(function: str, address: int) -> None:
    """Give back what ``pointer`` made."""
    entry = getattr(_library(), function)
    entry.restype = None
    entry(ARRAY(address))


def is_available() -> bool:
    """Whether the library was built and can be opened here."""
    try:
        _library()
    except OSError:
        return False
    return True


@cache
def _library() -> Any:
    """The opened library with its signatures; OSError if there is none."""
    spec = find_spec(LIBRARY)
    if spec is None or spec.origin is None:
        raise OSError("symbed was installed without its native core")
    library = ctypes.CDLL(spec.origin)
    pointers = [ARRAY] * 4
    for function, result, arguments in (
        ("symbed_observe", INTEGER, pointers[:1]),
        ("symbed_cross", INTEGER, pointers),
        ("symbed_sweep", INTEGER, pointers),
        ("symbed_screen", INTEGER, [*pointers[:3], ctypes.c_double, ARRAY]),
        ("symbed_add_singles", INTEGER, [INTEGER, ARRAY]),
        ("symbed_profile", INTEGER, pointers),
        ("symbed_message", ctypes.c_char_p, [INTEGER]),
        ("symbed_operator_name", ctypes.c_char_p, [ctypes.c_int]),
        ("symbed_operator_arity", ctypes.c_int, [ctypes.c_int]),
        ("symbed_isa", ctypes.c_char_p, []),
        ("symbed_supported_isa", ctypes.c_char_p, [ctypes.c_int]),
        ("symbed_select_isa", INTEGER, [ctypes.c_char_p]),
    ):
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    if forced := os.environ.get("SYMBED_ISA"):
        _select(library, forced)
    return library


def _select(library: Any, chosen: str) -> None:
    if status := library.symbed_select_isa(chosen.encode()):
        reason = library.symbed_message(status).decode()
        known = ", ".join(_listed(library.symbed_supported_isa))
        raise RangeError(f"instruction set {chosen!r}: {reason}; this machine can run {known}")


def _listed(name_at: Callable[[int], bytes | None]) -> tuple[str, ...]:
    """The names at places 0, 1, ... up to the first that is missing."""
    found = iter(map(name_at, count()))
    return tuple(text.decode() for text in iter(lambda: next(found), None) if text is not None)


def _require_done(status: int) -> None:
    if not status:
        return
    reason, program = _library().symbed_message(status).decode(), status >> 8
    if status & 0xFF == NO_MEMORY:
        raise MemoryError(reason)
    raise ShapeError(f"program {program - 1}: {reason}" if program else reason)


def _compare(function: Any, a: Side, b: Side, p: int, mismatch: float, *rest: float) -> None:
    if a.n_points != b.n_points:
        raise ShapeError(f"behaviors at {a.n_points} and {b.n_points} points cannot be compared")
    structures = a.structure, b.structure, Measure(a.n_points, p, mismatch)
    _require_done(function(*map(ctypes.byref, structures), *rest))
