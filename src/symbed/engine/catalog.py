"""Distinct programs, each kept once and numbered, and the fast lane from lines of text to them.

The native core reads the plain core of the language and finds repeated programs at a fraction of a
microsecond per token. What it leaves alone (an error, a rare spelling, a name it was not told) goes
through the parser, which decides; so there is one definition of the language, and this is only its
fast lane. Programs without parameters (fixed) and with them (varied) are numbered apart: the place
of a fixed one is its row, that of a varied one is -1 - row.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import Any
from weakref import finalize

import numpy as np

from symbed._types import Integers
from symbed.engine import _layouts as layouts
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import CONSTANTS, Binding, Program
from symbed.language.expression import ANONYMOUS
from symbed.language.operators import BY_NAME, CODES

ASK = -(1 << 63)  # the place of a line that is left to the parser
BLANK = ASK + 1  # the place of an empty line or a remark
FUNCTION, CONSTANT, VARIABLE, PARAMETER, ANY = range(5)  # roles, as in native/text/symbol_table.h
MAX_NAMES = 10_000  # parameter names beyond this are left to the parser
MAX_CODES = 256  # operators that the core can tell apart
Ask = Callable[[int], int]
Entry = tuple[int, int, float]  # role, row, range or code, and value of a name


class Catalog:
    """Distinct programs, numbered; the NumPy engine's leaves every line to the parser."""

    def __init__(self) -> None:
        self._known: dict[Program, int] = {}
        self._firsts = [0, 0]
        self._programs: tuple[list[Program], list[Program]] = ([], [])

    def read(
        self,
        lines: Sequence[str],
        ask: Ask | None = None,
        places: Integers | None = None,
        text: str | None = None,
    ) -> Integers:
        """The place of each line, or ``ASK`` or ``BLANK``.

        Parameters
        ----------
        lines : Sequence of str
            Texts without line breaks.
        ask : callable, optional
            Told the number of each line that is left to the parser, gives its place. New programs
            are numbered in the order of the lines, whoever reads them.
        places : Integers, optional
            Where to write; holds what was read so far if ``ask`` raises.
        text : str, optional
            The lines as one text, each with a line break after it, where that is there already.
        """
        places = np.empty(len(lines), np.int64) if places is None else places
        if self._read_natively(lines, ask, places, text):
            return places
        places.fill(BLANK)
        for number, line in enumerate(lines):
            stripped = line.strip()
            if stripped and not stripped.startswith("#"):
                places[number] = ASK if ask is None else ask(number)
        return places

    def _read_natively(
        self, lines: Sequence[str], ask: Ask | None, places: Integers, text: str | None
    ) -> bool:
        """Whether somebody read the lines faster than the parser does."""
        return False

    def intern(self, program: Program) -> int:
        """The place of a program."""
        place = self._known.get(program)
        if place is None:
            varied = program.n_parameters > 0
            row = self.count(varied=varied)
            self._programs[varied].append(program)
            place = self._known[program] = -1 - row if varied else row
        return place

    def count(self, *, varied: bool) -> int:
        """Number of rows of a kind so far."""
        return self._firsts[varied] + len(self._programs[varied])

    def programs(self, first: int, last: int, *, varied: bool) -> PackedPrograms:
        """Some consecutive rows of a kind."""
        gone = self._firsts[varied]
        return PackedPrograms.of(self._programs[varied][first - gone : last - gone])

    def forget(self, n_fixed: int, n_varied: int) -> None:
        """Forget all programs, to bound memory; numbers go on from these."""
        self._known.clear()
        self._firsts = [n_fixed, n_varied]
        self._programs = ([], [])

    def recall(self, programs: PackedPrograms) -> None:
        """Take in programs that were kept elsewhere; each gets the next number, known or not."""
        for program in programs:
            # What was forgotten and came again has two rows; numbers must be those on disk.
            if program in self._known:
                self._programs[program.n_parameters > 0].append(program)
            else:
                self.intern(program)


class NativeCatalog(Catalog):
    """The catalog in the native core.

    Parameters
    ----------
    library : ctypes.CDLL
        The opened core.
    check : callable
        Raises what a status says.
    binding : Binding
        What names mean in lines of text.
    """

    def __init__(self, library: Any, check: Callable[[int], None], binding: Binding) -> None:
        self._library, self._check, self._binding = library, check, binding
        self._symbols: Any = None
        self._n_ranges = -1  # of the binding, when the symbol table was made
        self._reads = not binding.probe.row.fresh  # fresh draws need the text as it is written
        self._handle = library.symbed_catalog_new()
        if not self._handle:
            raise MemoryError("there is not enough memory")
        finalize(self, library.symbed_catalog_free, self._handle)

    def _read_natively(
        self, lines: Sequence[str], ask: Ask | None, places: Integers, text: str | None
    ) -> bool:
        text = "\n".join([*lines, ""]) if text is None else text
        content = text.encode("utf-8", "surrogatepass")
        # A line break inside of a text would shift the numbers of all lines behind it. Counted by
        # NumPy, which takes a quarter of the time of `bytes.count`.
        breaks = np.count_nonzero(np.frombuffer(content, np.uint8) == ord("\n"))
        if not self._reads or breaks != len(lines):
            return False
        first = 0
        while first < len(lines):
            places[first:] = BLANK
            self._read_from(first, content, places, stop=ask is not None)
            left = np.flatnonzero(places[first:] == ASK)
            if ask is None or not len(left):
                break
            # A line for the parser: it may make a new program, which must be numbered before those
            # of the lines behind it. So the core stops there, and goes on after it.
            first += int(left[0])
            places[first] = ask(first)
            first += 1
        return True

    def intern(self, program: Program) -> int:
        place, words = ctypes.c_int64(), program.words
        self._check(
            self._library.symbed_catalog_intern(
                self._handle, words, len(words) // 4, program.n_parameters, ctypes.byref(place)
            )
        )
        return place.value

    def count(self, *, varied: bool) -> int:
        return int(self._library.symbed_catalog_count(self._handle, varied))

    def programs(self, first: int, last: int, *, varied: bool) -> PackedPrograms:
        span = varied, first, last
        words = np.empty(self._library.symbed_catalog_size(self._handle, *span), np.int32)
        starts, counts = np.empty(last - first + 1, np.int64), np.empty(last - first, np.int32)
        addresses = (array.ctypes.data for array in (words, starts, counts))
        self._check(self._library.symbed_catalog_copy(self._handle, *span, *addresses))
        return PackedPrograms(words, starts, counts)

    def forget(self, n_fixed: int, n_varied: int) -> None:
        self._check(self._library.symbed_catalog_forget(self._handle, n_fixed, n_varied))

    def recall(self, programs: PackedPrograms) -> None:
        words, starts = np.ascontiguousarray(programs.words), np.ascontiguousarray(programs.starts)
        counts = np.ascontiguousarray(programs.n_parameters)
        self._check(
            self._library.symbed_catalog_recall(
                self._handle, words.ctypes.data, len(words),
                starts.ctypes.data, counts.ctypes.data, len(counts),
            )
        )  # fmt: skip

    def _read_from(self, first: int, text: bytes, places: Integers, *, stop: bool) -> None:
        self._check(
            self._library.symbed_catalog_read(
                self._handle, ctypes.byref(self._current_symbols()), text,
                len(text), len(places), first, stop, places.ctypes.data,
            )
        )  # fmt: skip

    def _current_symbols(self) -> Any:
        """The symbol table, made again when new parameter names were learned."""
        if self._n_ranges != len(self._binding.ranges):
            self._symbols = symbol_table(self._binding)
            self._n_ranges = len(self._binding.ranges)
        return self._symbols


class ProgramReader:
    """Compiles plain lines for one probe's binding, each distinct program once.

    For those who want the programs themselves; a survey works on the catalog's numbers.
    """

    def __init__(self, binding: Binding) -> None:
        self._catalog = active_backend().catalog(binding)
        self._known: tuple[list[Program], list[Program]] = ([], [])

    def programs(self, texts: Sequence[str]) -> list[Program | None]:
        """The program of each line, or None where the parser must decide."""
        places = self._catalog.read(texts).tolist()
        for varied, known in enumerate(self._known):
            count = self._catalog.count(varied=bool(varied))
            known.extend(self._catalog.programs(len(known), count, varied=bool(varied)))
        return [None if place <= BLANK else self._at(place) for place in places]

    def _at(self, place: int) -> Program:
        return self._known[0][place] if place >= 0 else self._known[1][-1 - place]


def symbol_table(binding: Binding) -> Any:
    """The names that mean something under this binding as it is now, as the core reads them."""
    entries = _entries(binding)
    names = [name.encode() for name in entries]
    roles, values, numbers = zip(*entries.values(), strict=True)
    # The core looks codes up without asking whether they are there: the table has every byte.
    commutative = np.zeros(MAX_CODES, np.uint8)
    commutative[: len(CODES)] = [row.commutative for row in CODES]
    return layouts.SYMBOL_TABLE.pack(
        names=np.frombuffer(b"".join(names), np.uint8),
        name_starts=np.cumsum([0, *map(len, names)], dtype=np.int64),
        roles=np.array(roles, np.int32),
        values=np.array(values, np.int32),
        numbers=np.array(numbers, np.float64),
        commutative=commutative,
    )


def _entries(binding: Binding) -> dict[str, Entry]:
    """What each name means; variables come last and so win over constants."""
    entries = dict(_own_entries())
    for name, number in islice(binding.ranges.items(), MAX_NAMES):
        entries[name] = ANY if name == ANONYMOUS else PARAMETER, number, 0.0
    for row_number, name in enumerate(binding.probe.variables):
        entries[name] = VARIABLE, row_number, 0.0
    return entries


@cache
def _own_entries() -> dict[str, Entry]:
    """The constants and functions of our language, the same under every binding."""
    entries: dict[str, Entry] = {n: (CONSTANT, 0, value) for n, value in CONSTANTS.items()}
    for name, row in BY_NAME.items():
        if row.arity and name.isidentifier():
            entries[name] = FUNCTION, CODES[row], 0.0
    return entries
