"""The native engine: the kernels of the C++ core, by a plain C interface.

Calls release the GIL. ``SYMBED_ISA=baseline|avx2|avx512`` in the environment forces an instruction
set; results are the same bits on each.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Counts, Floats, Integers
from symbed.engine import layouts
from symbed.engine.backend import Backend
from symbed.engine.core_library import listed, select_isa
from symbed.engine.packing import address
from symbed.errors import ShapeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from symbed.engine.catalog import NativeCatalog
    from symbed.engine.program import Binding
    from symbed.engine.structures.observations import Observation, Scan, SortedOutputs
    from symbed.engine.structures.requests import (
        FitResults,
        FitTask,
        ReaderTables,
        ReadWords,
        SampleRequest,
    )

NO_MEMORY = 1  # of the statuses, the one that is not about the arguments


class NativeBackend(Backend):
    """The kernels of the C++ core; `symbed.engine.backend.Backend` says what they do.

    Parameters
    ----------
    library : ctypes.CDLL
        The opened core, as ``load_core`` gives it.
    """

    name = "native"

    def __init__(self, library: Any) -> None:
        self._library = library

    def isa(self) -> str:
        return str(self._library.symbed_isa().decode())

    def supported_isas(self) -> tuple[str, ...]:
        """The instruction sets that this build has and this machine can run, best first."""
        return listed(self._library.symbed_supported_isa)

    def select_isa(self, chosen: str) -> None:
        """Use this instruction set from now on, in the whole process."""
        select_isa(self._library, chosen)

    def operator_rows(self) -> list[tuple[str, int]]:
        """Name and arity of each operator that the core was built with, in order of its code."""
        names = listed(self._library.symbed_operator_name)
        return [(n, self._library.symbed_operator_arity(code)) for code, n in enumerate(names)]

    def add_singles(self, rounds: int) -> int:
        """Add single-precision numbers as fast as it goes, for benchmarks; how many were added."""
        total = ctypes.c_double()
        return int(self._library.symbed_add_singles(rounds, byref(total)))

    def observe(self, observation: Observation, out: Floats, defined: Counts) -> None:
        packed = layouts.OBSERVATION.pack(observation, out=out, defined=defined)
        self._check(self._library.symbed_observe(byref(packed)))

    def arcsinh(self, values: Floats) -> Floats:
        values = np.ascontiguousarray(values, np.float64)
        out = np.empty_like(values)
        self._check(self._library.symbed_arcsinh(address(values), values.size, address(out)))
        return out

    def fit(self, task: FitTask, results: FitResults) -> None:
        # The core writes where the results are, so that many fits are not copied.
        filled = {"values": results.values, "errors": results.errors, "counts": results.counts}
        packed = layouts.FIT_TASK.pack(task, own=task.own_starts, **filled)
        self._check(self._library.symbed_fit(byref(packed)))

    def sample(self, request: SampleRequest, n_wanted: int) -> int:
        reader = request.reader
        packed = layouts.SAMPLING.pack(
            request,
            grammar=layouts.GRAMMAR_TABLES.pack(request.tables),
            reader=None if reader is None else _reader(reader),
            n_wanted=n_wanted,
            applied=np.empty_like(request.counts),
            scratch=np.empty(8 * (request.longest + 2), np.int32),
        )
        self._check(self._library.symbed_sample(byref(packed)))
        request.attempt, request.steps = packed.attempt, packed.steps
        request.n_found = packed.n_found
        return int(packed.outcome)

    def read_words(self, reader: ReaderTables, tokens: Counts, starts: Integers) -> ReadWords:
        from symbed.engine.structures.requests import ReadWords  # late: most read no words

        longest = int(np.diff(starts).max(initial=0))
        items, ends = np.empty(len(tokens), np.int32), np.empty(len(starts), np.int64)
        packed = layouts.READING.pack(
            reader=_reader(reader),
            tokens=tokens,
            starts=starts,
            items=items,
            ends=ends,
            scratch=np.empty(6 * (longest + 1), np.int32),
        )
        self._check(self._library.symbed_read_words(byref(packed)))
        n_read = len(starts) - 1 if packed.failed < 0 else int(packed.failed)
        return ReadWords(items[: ends[n_read]].copy(), ends[: n_read + 1], int(packed.failed))

    def catalog(self, binding: Binding) -> NativeCatalog:
        from symbed.engine.catalog import NativeCatalog  # late: one formula needs none

        return NativeCatalog(self._library, self._check, binding)

    def _run(self, kernel: str, out: tuple[NDArray[Any], ...], *arguments: Any) -> None:
        packed = []  # what they point to must live as long as the call
        for argument in arguments:
            pack = PACKERS.get(type(argument).__name__)
            packed.append(argument if pack is None else pack(argument))
        passed = [byref(p) if isinstance(p, ctypes.Structure) else p for p in packed]
        entrance = getattr(self._library, f"symbed_{kernel}")
        self._check(entrance(*passed, *map(address, out)))

    def _check(self, status: int) -> None:
        """Raise what a status says, unless it is done."""
        if not status:
            return
        # The low byte says why; above it is the number of the program at fault, from 1.
        reason, program = self._library.symbed_message(status).decode(), status >> 8
        if status & 0xFF == NO_MEMORY:
            raise MemoryError(reason)
        raise ShapeError(f"program {program - 1}: {reason}" if program else reason)


def _behaviors(outputs: SortedOutputs) -> Any:
    """A block as the core sees it."""
    values, defined = outputs
    shape = values.shape
    if not (
        values.dtype == np.float64
        and defined.dtype == np.int32
        and len(shape) == 3
        and defined.shape == (shape[0], shape[2])
        and values.flags.c_contiguous
        and defined.flags.c_contiguous
    ):
        return layouts.BEHAVIORS.pack(values=values, defined=defined)
    # What nearly all blocks are, and every distance needs two: half the time of the general way.
    packed = layouts.BEHAVIORS.structure(address(values), address(defined), *shape)
    packed.kept = outputs
    return packed


def _scan(scan: Scan) -> Any:
    if not scan.values.flags.c_contiguous:
        raise ShapeError("the sketches must be contiguous: a copy of all would be slow")
    rows = scan.rows
    first, listed_rows = (rows.start, None) if isinstance(rows, slice) else (0, rows)
    return layouts.SCAN.pack(scan, rows=listed_rows, first=first, count=scan.n_rows, order=scan.p)


def _reader(tables: ReaderTables) -> Any:
    return layouts.READER_TABLES.pack(tables, items=tables.rows)


# From arguments to structures, by the names of their types: few processes need all their modules.
PACKERS: dict[str, Callable[[Any], Any]] = {
    "tuple": _behaviors,
    "Wasserstein": lambda distance: layouts.MEASURE.structure(*distance),
    "Observation": layouts.OBSERVATION.pack,
    "Pairs": layouts.PAIRS.pack,
    "SketchPlan": layouts.SKETCH_PLAN.pack,
    "Scan": _scan,
    "Trees": layouts.TREES.pack,
    "EditCosts": layouts.EDIT_COSTS.pack,
    "NoneType": layouts.EDIT_COSTS.pack,  # without costs each edit counts 1
}
