"""The catalog: lines of text or programs go in; each distinct program is kept once and numbered.

The native core reads the plain core of the language and finds repeated programs at a fraction of a
microsecond per token. What it leaves alone (an error, a rare spelling, a name it was not told) goes
through the parser, which decides; so there is one definition of the language, and this is only its
fast lane. Programs without parameters (fixed) and with them (varied) are numbered apart: the place
of a fixed one is its row, that of a varied one is -1 - row.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from symbed._types import Integers
from symbed.engine import native
from symbed.engine.backend import backend
from symbed.engine.binding import Binding
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.engine.symbol_table import SymbolTable, symbol_table

ASK = -(1 << 63)  # the place of a line that is left to the parser
BLANK = ASK + 1  # the place of an empty line or a remark
LINE_BREAK = 10
Ask = Callable[[int], int]


class Catalog(Protocol):
    """Distinct programs, numbered."""

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
        lines : texts without line breaks.
        ask : told the number of each line that is left to the parser, gives its place. New programs
            are numbered in the order of the lines, whoever reads them.
        places : where to write; holds what was read so far if ``ask`` raises.
        text : the lines as one text, each with a line break after it, where that is there already.
        """

    def intern(self, program: Program) -> int:
        """The place of a program."""

    def count(self, *, varied: bool) -> int:
        """Number of rows of a kind so far."""

    def programs(self, first: int, last: int, *, varied: bool) -> PackedPrograms:
        """Some consecutive rows of a kind."""

    def forget(self, n_fixed: int, n_varied: int) -> None:
        """Forget all programs, to bound memory; numbers go on from these."""

    def recall(self, programs: PackedPrograms) -> None:
        """Take in programs that were kept elsewhere; each gets the next number, known or not."""


def make_catalog(binding: Binding) -> Catalog:
    """The catalog of the engine in use."""
    return _NativeCatalog(binding) if backend().name == "native" else _PlainCatalog()


class _NativeCatalog:
    """The catalog in the native core."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._symbols: SymbolTable | None = None
        self._reads = not binding.probe.row.fresh  # fresh draws need the text as it is written
        handle = native.pointer("symbed_catalog_new")
        self._handle = ctypes.c_void_p(handle)
        finalize(self, native.release, "symbed_catalog_free", handle)

    def read(
        self,
        lines: Sequence[str],
        ask: Ask | None = None,
        places: Integers | None = None,
        text: str | None = None,
    ) -> Integers:
        places = np.empty(len(lines), np.int64) if places is None else places
        text = "\n".join([*lines, ""]) if text is None else text
        content = text.encode("utf-8", "surrogatepass")
        if not self._reads or _count_lines(content) != len(lines):
            return _ask_all(lines, ask, places)
        first = 0
        while first < len(lines):
            places[first:] = BLANK
            self._read_from(first, content, places, stop=ask is not None)
            left = np.flatnonzero(places[first:] == ASK)
            if ask is None or not len(left):
                break
            first += int(left[0])
            places[first] = ask(first)
            first += 1
        return places

    def _read_from(self, first: int, text: bytes, places: Integers, *, stop: bool) -> None:
        sizes = (len(text), len(places), first, stop)
        native.call(
            "symbed_catalog_read", self._handle, ctypes.byref(self._current()), text,
            *map(ctypes.c_int64, sizes), _address(places),
        )  # fmt: skip

    def intern(self, program: Program) -> int:
        place = ctypes.c_int64()
        native.call(
            "symbed_catalog_intern", self._handle, program.words,
            ctypes.c_int64(len(program.words) // 4), ctypes.c_int32(program.n_parameters),
            ctypes.byref(place),
        )  # fmt: skip
        return place.value

    def count(self, *, varied: bool) -> int:
        return native.number("symbed_catalog_count", self._handle, ctypes.c_int64(varied))

    def programs(self, first: int, last: int, *, varied: bool) -> PackedPrograms:
        span = (ctypes.c_int64(varied), ctypes.c_int64(first), ctypes.c_int64(last))
        words = np.empty(native.number("symbed_catalog_size", self._handle, *span), np.int32)
        starts, counts = np.empty(last - first + 1, np.int64), np.empty(last - first, np.int32)
        native.call(
            "symbed_catalog_copy", self._handle, *span,
            _address(words), _address(starts), _address(counts),
        )  # fmt: skip
        return PackedPrograms(words, starts, counts)

    def forget(self, n_fixed: int, n_varied: int) -> None:
        counts = ctypes.c_int64(n_fixed), ctypes.c_int64(n_varied)
        native.call("symbed_catalog_forget", self._handle, *counts)

    def recall(self, programs: PackedPrograms) -> None:
        words, starts = np.ascontiguousarray(programs.words), np.ascontiguousarray(programs.starts)
        counts = np.ascontiguousarray(programs.n_parameters)
        native.call(
            "symbed_catalog_recall", self._handle, _address(words), ctypes.c_int64(len(words)),
            _address(starts), _address(counts), ctypes.c_int64(len(counts)),
        )  # fmt: skip

    def _current(self) -> SymbolTable:
        """The symbol table, made again when new parameter names were learned."""
        if self._symbols is None or self._symbols.known != len(self._binding.ranges):
            self._symbols = symbol_table(self._binding)
        return self._symbols


class _PlainCatalog:
    """The catalog in Python, for the twin: it leaves every line to the parser."""

    def __init__(self) -> None:
        self._known: dict[Program, int] = {}
        self._firsts = [0, 0]
        self._shelves: tuple[list[Program], list[Program]] = ([], [])

    def read(
        self,
        lines: Sequence[str],
        ask: Ask | None = None,
        places: Integers | None = None,
        text: str | None = None,
    ) -> Integers:
        return _ask_all(lines, ask, np.empty(len(lines), np.int64) if places is None else places)

    def intern(self, program: Program) -> int:
        place = self._known.get(program)
        if place is None:
            varied = program.n_parameters > 0
            row = self.count(varied=varied)
            self._shelves[varied].append(program)
            place = self._known[program] = -1 - row if varied else row
        return place

    def count(self, *, varied: bool) -> int:
        return self._firsts[varied] + len(self._shelves[varied])

    def programs(self, first: int, last: int, *, varied: bool) -> PackedPrograms:
        gone = self._firsts[varied]
        return PackedPrograms.of(self._shelves[varied][first - gone : last - gone])

    def forget(self, n_fixed: int, n_varied: int) -> None:
        self._known.clear()
        self._firsts = [n_fixed, n_varied]
        self._shelves = ([], [])

    def recall(self, programs: PackedPrograms) -> None:
        for program in programs:
            if program in self._known:
                self._shelves[program.n_parameters > 0].append(program)
            else:
                self.intern(program)


class ProgramReader:
    """Compiles plain lines for one probe's binding, each distinct program once.

    For those who want the programs themselves; a survey works on the catalog's numbers.
    """

    def __init__(self, binding: Binding) -> None:
        self._catalog = make_catalog(binding)
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


def _ask_all(lines: Sequence[str], ask: Ask | None, places: Integers) -> Integers:
    """Leave every line to the parser."""
    places.fill(BLANK)
    for number, line in enumerate(lines):
        text = line.strip()
        if text and not text.startswith("#"):
            places[number] = ASK if ask is None else ask(number)
    return places


def _count_lines(text: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == LINE_BREAK))


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
