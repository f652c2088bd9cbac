"""The catalog of distinct programs in Python; it leaves every line to the parser."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symbed._types import Integers
from symbed.engine.catalog import Ask, Catalog, ask_all
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program


class ReferenceCatalog(Catalog):
    """Distinct programs in a dictionary and two lists."""

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
        return ask_all(lines, ask, np.empty(len(lines), np.int64) if places is None else places)

    def intern(self, program: Program) -> int:
        place = self._known.get(program)
        if place is None:
            varied = program.n_parameters > 0
            row = self.count(varied=varied)
            self._programs[varied].append(program)
            place = self._known[program] = -1 - row if varied else row
        return place

    def count(self, *, varied: bool) -> int:
        return self._firsts[varied] + len(self._programs[varied])

    def programs(self, first: int, last: int, *, varied: bool) -> PackedPrograms:
        gone = self._firsts[varied]
        return PackedPrograms.of(self._programs[varied][first - gone : last - gone])

    def forget(self, n_fixed: int, n_varied: int) -> None:
        self._known.clear()
        self._firsts = [n_fixed, n_varied]
        self._programs = ([], [])

    def recall(self, programs: PackedPrograms) -> None:
        for program in programs:
            if program in self._known:
                self._programs[program.n_parameters > 0].append(program)
            else:
                self.intern(program)
