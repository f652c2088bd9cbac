"""The native engine: the C++ core behind a plain C interface, opened, checked and called.

Only a whole library that was built for this very package is used. A file that was cut short can end
the process when it is mapped, and one that was built from another state of the sources would read
structures and operators differently and compute wrong numbers. So the file is checked before it is
opened, and what it says about itself before it is called.

Calls release the GIL. ``SYMBED_ISA=baseline|avx2|avx512`` in the environment forces an instruction
set; results are the same bits on each.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import struct
from collections.abc import Callable
from ctypes import byref
from importlib.util import find_spec
from itertools import count
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Counts, Floats, Integers
from symbed.engine import _layouts as layouts
from symbed.engine._layouts import INTEGER, LAYOUTS, POINTER, REAL, address
from symbed.engine.backend import Backend
from symbed.errors import RangeError, ShapeError
from symbed.language.operators import TABLE

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
    path : str or path-like, optional
        The file of the core; None if there is none.

    Raises
    ------
    CoreUnusable
        There is none, the file is damaged, or it was built for another state of the package.
    """

    name = "native"

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._library = _load_core(path)
        if forced := os.environ.get("SYMBED_ISA"):
            self.select_isa(forced)

    def isa(self) -> str:
        return str(self._library.symbed_isa().decode())

    def supported_isas(self) -> tuple[str, ...]:
        """The instruction sets that this build has and this machine can run, best first."""
        return _listed(self._library.symbed_supported_isa)

    def select_isa(self, chosen: str) -> None:
        """Use this instruction set from now on, in the whole process."""
        if status := self._library.symbed_select_isa(chosen.encode()):
            reason = self._library.symbed_message(status).decode()
            known = ", ".join(self.supported_isas())
            raise RangeError(f"instruction set {chosen!r}: {reason}; this machine can run {known}")

    def operator_rows(self) -> list[tuple[str, int]]:
        """Name and arity of each operator that the core was built with, in order of its code."""
        names = _listed(self._library.symbed_operator_name)
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


LIBRARY = "symbed.engine._symbed_core"
ABI_VERSION = 5  # as SYMBED_ABI_VERSION of native/api/structures.h; grows when a call changes
REMEDY = "install symbed again where there is a C++ compiler"

# Entrance, what it returns, what it takes. A status is an integer.
TEXT, CODE = ctypes.c_char_p, ctypes.c_int
SIGNATURES: tuple[tuple[str, Any, list[Any]], ...] = (
    ("symbed_observe", INTEGER, [POINTER]),
    ("symbed_cross", INTEGER, [POINTER] * 4),
    ("symbed_sweep", INTEGER, [POINTER] * 4),
    ("symbed_screen", INTEGER, [POINTER, POINTER, POINTER, REAL, POINTER]),
    ("symbed_profile", INTEGER, [POINTER] * 4),
    ("symbed_paired", INTEGER, [POINTER] * 5),
    ("symbed_cemetery", INTEGER, [POINTER, POINTER, REAL, POINTER]),
    ("symbed_cemetery_profile", INTEGER, [POINTER, POINTER, REAL, POINTER]),
    ("symbed_dual_bounds", INTEGER, [POINTER] * 5),
    ("symbed_arcsinh", INTEGER, [POINTER, INTEGER, POINTER]),
    ("symbed_sketch", INTEGER, [POINTER] * 4),
    ("symbed_scan", INTEGER, [POINTER] * 2),
    ("symbed_fit", INTEGER, [POINTER]),
    ("symbed_sample", INTEGER, [POINTER]),
    ("symbed_read_words", INTEGER, [POINTER]),
    ("symbed_tree_edit", INTEGER, [POINTER] * 4),
    ("symbed_catalog_new", POINTER, []),
    ("symbed_catalog_free", None, [POINTER]),
    ("symbed_catalog_read", INTEGER, [POINTER, POINTER, TEXT, *[INTEGER] * 4, POINTER]),
    ("symbed_catalog_intern", INTEGER, [POINTER, TEXT, INTEGER, ctypes.c_int32, POINTER]),
    ("symbed_catalog_count", INTEGER, [POINTER, INTEGER]),
    ("symbed_catalog_size", INTEGER, [POINTER, *[INTEGER] * 3]),
    ("symbed_catalog_copy", INTEGER, [POINTER, *[INTEGER] * 3, *[POINTER] * 3]),
    ("symbed_catalog_forget", INTEGER, [POINTER, INTEGER, INTEGER]),
    ("symbed_catalog_recall", INTEGER, [POINTER, POINTER, INTEGER, POINTER, POINTER, INTEGER]),
    ("symbed_add_singles", INTEGER, [INTEGER, POINTER]),
    ("symbed_message", TEXT, [INTEGER]),
    ("symbed_operator_name", TEXT, [CODE]),
    ("symbed_operator_arity", CODE, [CODE]),
    ("symbed_isa", TEXT, []),
    ("symbed_supported_isa", TEXT, [CODE]),
    ("symbed_select_isa", INTEGER, [TEXT]),
)

ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")  # of 64-bit, little-endian ELF
ELF_64_LITTLE = b"\x7fELF\x02\x01"


class CoreUnusable(Exception):
    """There is no native core, or it cannot be used; says why and what to do."""


def find_core() -> str | None:
    """The file of the native core beside this one, if it was built."""
    spec = find_spec(LIBRARY)
    return None if spec is None else spec.origin


def _load_core(path: str | os.PathLike[str] | None) -> Any:
    """The opened library with its signatures."""
    if path is None:
        raise CoreUnusable(f"symbed was installed without its native core; {REMEDY}")
    path = os.fspath(path)
    try:
        _check_file(path)
        library = ctypes.CDLL(path)
        _check_build(library)
    except (OSError, ValueError) as error:
        raise CoreUnusable(
            f"the native core {os.path.basename(path)} cannot be used: {error}; {REMEDY}, or build "
            "it again in a checkout"
        ) from None
    for name, result, arguments in SIGNATURES:
        entrance = getattr(library, name)
        entrance.restype, entrance.argtypes = result, arguments
    return library


def _listed(name_at: Callable[[int], bytes | None]) -> tuple[str, ...]:
    """The names at places 0, 1, ... up to the first that is missing."""
    names = iter(map(name_at, count()))
    return tuple(text.decode() for text in iter(lambda: next(names), None) if text is not None)


def operators_checksum(rows: list[tuple[str, int]]) -> int:
    """FNV-1a, 63 bits of it, over names and arities of operators in the order of their codes.

    >>> operators_checksum([("+", 2), ("-", 2)]) == operators_checksum([("-", 2), ("+", 2)])
    False
    """
    checksum = 0xCBF29CE484222325
    for byte in b"".join(name.encode() + bytes((0, arity)) for name, arity in rows):
        checksum = (checksum ^ byte) * 0x100000001B3 & (1 << 64) - 1
    # It is told as a signed integer.
    return checksum >> 1


def _check_file(path: str) -> None:
    """ValueError if the file is not the whole library that was installed."""
    # Mapped, not read: a copy of the file in memory takes as long as its digest.
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        # Written where the core is installed; without it, only a file that was cut short is seen.
        noted = os.path.splitext(path)[0] + ".sha256"
        if os.path.exists(noted):
            with open(noted, "rb") as note:
                digest = note.read().decode(errors="replace").strip()
            if digest != hashlib.sha256(content).hexdigest():
                raise ValueError("its bytes are not those that were installed")
        if content[: len(ELF_64_LITTLE)] == ELF_64_LITTLE and _elf_extent(content) > len(content):
            raise ValueError(f"the file was cut short, to {len(content)} bytes")


def _elf_extent(content: mmap) -> int:
    """How many bytes the file must have: the ends of its tables and of all segments."""
    if len(content) < ELF_HEADER.size:
        return ELF_HEADER.size
    header: tuple[int, ...] = ELF_HEADER.unpack_from(content)
    # e_phoff and e_shoff; then e_phentsize, e_phnum, e_shentsize and e_shnum.
    segments, sections = header[5], header[6]
    segment_size, n_segments, section_size, n_sections = header[9:13]
    ends = [sections + section_size * n_sections, segments + segment_size * n_segments]
    for place in range(segments, segments + segment_size * n_segments, segment_size):
        if place + 40 > len(content):
            break  # the table itself is cut off, which its end tells
        # p_offset, p_vaddr, p_paddr and p_filesz, the bytes 8 to 40 of a program header.
        offset, _, _, size = struct.unpack_from("<4Q", content, place + 8)
        ends.append(offset + size)
    return max(ends)


def _check_build(library: Any) -> None:
    """ValueError unless the library was built for structures and operators as they are here."""
    try:
        describe = library.symbed_describe
    except AttributeError:
        raise ValueError("it is another library, or was built long before this package") from None
    describe.restype, describe.argtypes = INTEGER, [POINTER, INTEGER]
    facts = (INTEGER * (2 + len(LAYOUTS)))()
    n_facts = describe(facts, len(facts))
    version, operators, *sizes = facts
    if version != ABI_VERSION:
        raise ValueError(f"its interface is version {version}, this package needs {ABI_VERSION}")
    different = [
        layout.name for layout, size in zip(LAYOUTS, sizes, strict=True) if layout.size != size
    ]
    if n_facts != len(facts) or different:
        which = ", ".join(different) or "of other numbers"
        raise ValueError(f"it was built with other structures ({which})")
    if operators != operators_checksum([(row.name, row.arity) for row in TABLE]):
        raise ValueError("it was built with another table of operators")
