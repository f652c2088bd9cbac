"""Packing: texts and programs go in, flat arrays for the store come out, and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.family import Family
from symbed.behavior.store import Store
from symbed.engine.packed import Packed
from symbed.engine.program import Program
from symbed.errors import DataError

Part = tuple[NDArray[Any], ...]  # the arrays of one batch


def pack_texts(name: str, texts: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Texts as one run of bytes, and where each ends."""
    encoded = [str(text).encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}-ends": ends}


def pack_programs(name: str, rows: Sequence[Program | Family]) -> dict[str, NDArray[Any]]:
    """Programs as one run of words, where each begins, and their numbers of parameters."""
    if not isinstance(rows, Packed):
        programs = [row for row in rows if isinstance(row, Program)]
        if len(programs) != len(rows):
            raise DataError("callables cannot be written to disk; survey formulas only")
        rows = Packed.of(programs)
    return {
        f"{name}_words": rows.words,
        f"{name}_starts": rows.starts,
        f"{name}_parameters": rows.n_parameters,
    }


def unpack_programs(store: Store, name: str) -> Packed:
    """The programs of one block in all batches."""
    names = (f"{name}_words", f"{name}_starts", f"{name}_parameters")
    batches = [b for b in range(store.n_batches) if store.has(b, names[0])]
    return Packed.join([Packed(*(store.array(batch, n) for n in names)) for batch in batches])


class _Packed:
    """Items of all batches, numbered through; unpacked one by one when asked for."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self._firsts = [0]
        for part in parts:
            self._firsts.append(self._firsts[-1] + len(part[1]))

    def __len__(self) -> int:
        return self._firsts[-1]

    def _find(self, number: int) -> tuple[Part, int]:
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        batch = bisect_right(self._firsts, number) - 1
        return self._parts[batch], number - self._firsts[batch]


class Texts(_Packed, Sequence[str]):
    """Texts on disk, as a sequence."""

    @classmethod
    def of(cls, store: Store, name: str, batch: int | None = None) -> Texts:
        """The texts of that name in all batches, or in one."""
        wanted = range(store.n_batches) if batch is None else [batch]
        names = (name, f"{name}-ends")
        return cls([tuple(store.array(b, n) for n in names) for b in wanted if store.has(b, name)])

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        (content, ends), place = self._find(number)
        return _cut(content, ends, place).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        for content, ends in self._parts:
            whole, start = content.tobytes(), 0
            for end in ends.tolist():
                yield whole[start:end].decode("utf-8", "surrogatepass")
                start = end


def _cut(content: NDArray[Any], ends: NDArray[np.int64], place: int) -> bytes:
    start = int(ends[place - 1]) if place else 0
    return content[start : int(ends[place])].tobytes()
