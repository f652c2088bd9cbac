"""The native engine: the kernels of the C++ core, by a plain C interface.

Calls release the GIL. ``SYMBED_ISA=baseline|avx2|avx512`` in the environment forces an instruction
set; results are the same bits on each.
"""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Counts, Floats, Integers, Singles
from symbed.engine import layouts
from symbed.engine.backend import Backend
from symbed.engine.core_library import listed, select_isa
from symbed.engine.layouts import address
from symbed.errors import ShapeError

if TYPE_CHECKING:
    from symbed.engine.binding import Binding
    from symbed.engine.catalog import NativeCatalog
    from symbed.engine.structures.fits import FitResults, FitTask
    from symbed.engine.structures.grammars import ReaderTables, ReadWords, SampleRequest
    from symbed.engine.structures.observations import Observation, SortedOutputs, Wasserstein
    from symbed.engine.structures.sketches import Scan, SketchPlan
    from symbed.engine.structures.trees import EditCosts, Trees

NO_MEMORY = 1  # of the statuses, the one that is not about the arguments
N_KEYS = 3  # numbers in the keys of a sketch


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

    def sweep(
        self, observation: Observation, targets: SortedOutputs, distance: Wasserstein
    ) -> Floats:
        programs, others = layouts.OBSERVATION.pack(observation), _behaviors(targets)
        out = np.empty((observation.n_programs, len(targets[0])))
        measure = _measure(programs.n_points, targets[0].shape[2], distance)
        structures = programs, others, measure
        self._check(self._library.symbed_sweep(*map(byref, structures), address(out)))
        return out

    def cross(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        out = np.empty((len(a[0]), len(b[0])))
        self._compare(self._library.symbed_cross, a, b, distance, address(out))
        return out

    def screen(
        self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein, within: float
    ) -> Floats:
        out = np.empty((len(a[0]), len(b[0])))
        self._compare(self._library.symbed_screen, a, b, distance, within, address(out))
        return out

    def profile(self, a: SortedOutputs, b: SortedOutputs, distance: Wasserstein) -> Floats:
        out = np.empty(a[0].shape[2])
        self._compare(self._library.symbed_profile, a, b, distance, address(out))
        return out

    def paired(
        self,
        a: SortedOutputs,
        b: SortedOutputs,
        a_rows: Integers,
        b_rows: Integers,
        distance: Wasserstein,
    ) -> Floats:
        out = np.empty(len(a_rows))
        left, right = _behaviors(a), _behaviors(b)
        measure = _measure(a[0].shape[2], b[0].shape[2], distance)
        structures = left, right, layouts.PAIRS.pack(a=a_rows, b=b_rows), measure
        self._check(self._library.symbed_paired(*map(byref, structures), address(out)))
        return out

    def cemetery(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        out = np.empty((len(a[0]), len(b[0])))
        if out.size:
            left, right = _behaviors(a), _behaviors(b)
            self._check(
                self._library.symbed_cemetery(
                    byref(left), byref(right), a[0].shape[2], penalty, address(out)
                )
            )
        return out

    def cemetery_profile(self, a: SortedOutputs, b: SortedOutputs, penalty: float) -> Floats:
        out = np.empty(a[0].shape[2])
        left, right = _behaviors(a), _behaviors(b)
        self._check(
            self._library.symbed_cemetery_profile(
                byref(left), byref(right), len(out), penalty, address(out)
            )
        )
        return out

    def arcsinh(self, values: Floats) -> Floats:
        values = np.ascontiguousarray(values, np.float64)
        out = np.empty_like(values)
        self._check(self._library.symbed_arcsinh(address(values), values.size, address(out)))
        return out

    def dual_bounds(
        self,
        first: tuple[SortedOutputs, SortedOutputs],
        second: tuple[SortedOutputs, SortedOutputs],
    ) -> Floats:
        n_points = first[0][0].shape[2]
        if any(values.shape[2] != n_points for values, _ in (*first, *second)):
            raise ShapeError("bounds are for two behaviors, drawn twice at the same points")
        out = np.empty((2, n_points))
        sides = [_behaviors(side) for side in (*first, *second)]
        self._check(self._library.symbed_dual_bounds(*map(byref, sides), n_points, address(out)))
        return out

    def sketch(self, outputs: SortedOutputs, plan: SketchPlan) -> tuple[Singles, Floats]:
        from symbed.engine.structures.sketches import SKETCH_BLOCKS  # late: most make no sketch

        k, m, n_points = outputs[0].shape
        values = np.empty((k, 1 if m == 1 else SKETCH_BLOCKS, plan.width), np.float32)
        keys = np.empty((k, N_KEYS))
        # The number of points is that of the outputs, so that a plan for others is refused.
        structures = (
            _behaviors(outputs),
            layouts.SKETCH_PLAN.pack(plan, n_points=n_points, n_blocks=SKETCH_BLOCKS),
        )
        self._check(
            self._library.symbed_sketch(*map(byref, structures), address(values), address(keys))
        )
        return values, keys

    def scan(self, scan: Scan) -> Singles:
        if not scan.values.flags.c_contiguous:
            raise ShapeError("the sketches must be contiguous: a copy of all would be slow")
        rows = scan.rows
        which: dict[str, Any] = {"rows": rows}
        if isinstance(rows, slice):
            which = {"rows": None, "first": rows.start, "count": rows.stop - rows.start}
        out = np.empty(scan.n_rows, np.float32)
        packed = layouts.SCAN.pack(
            values=scan.values, query=scan.query, weights=scan.weights, order=scan.p, **which
        )
        self._check(self._library.symbed_scan(byref(packed), address(out)))
        return out

    def fit(self, task: FitTask, results: FitResults) -> None:
        packed = layouts.FIT_TASK.pack(
            task,
            own=task.own_starts,
            values=results.values,
            errors=results.errors,
            counts=results.counts,
        )
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
        from symbed.engine.structures.grammars import ReadWords  # late: most read no words

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

    def tree_edit(self, a: Trees, b: Trees, costs: EditCosts | None) -> Floats:
        out = np.empty((len(a), len(b)))
        structures = (
            layouts.TREES.pack(a),
            layouts.TREES.pack(b),
            layouts.EDIT_COSTS.pack(costs),
        )
        self._check(self._library.symbed_tree_edit(*map(byref, structures), address(out)))
        return out

    def catalog(self, binding: Binding) -> NativeCatalog:
        from symbed.engine.catalog import NativeCatalog  # late: one formula needs none

        return NativeCatalog(self._library, self._check, binding)

    def _compare(
        self,
        kernel: Any,
        a: SortedOutputs,
        b: SortedOutputs,
        distance: Wasserstein,
        *rest: float,
    ) -> None:
        left, right = _behaviors(a), _behaviors(b)
        measure = _measure(a[0].shape[2], b[0].shape[2], distance)
        self._check(kernel(byref(left), byref(right), byref(measure), *rest))

    def _check(self, status: int) -> None:
        """Raise what a status says, unless it is done."""
        if not status:
            return
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
    packed = layouts.BEHAVIORS.structure(address(values), address(defined), shape[0], shape[1])
    packed.kept = outputs
    return packed


def _measure(a_points: int, b_points: int, distance: Wasserstein) -> Any:
    if a_points != b_points:
        raise ShapeError(f"behaviors at {a_points} and {b_points} points cannot be compared")
    return layouts.MEASURE.structure(a_points, distance.p, distance.mismatch)


def _reader(tables: ReaderTables) -> Any:
    return layouts.READER_TABLES.pack(tables, items=tables.rows)
