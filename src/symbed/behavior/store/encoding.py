"""Texts, programs, columns of metadata and probes in the forms of the store, and back.

The first three are flat arrays, a probe is JSON values; nothing is pickled.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.behavior.observation import Family
from symbed.behavior.store.segments import Segment, Store
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import Program
from symbed.errors import DataError
from symbed.limits import PARAMETERS
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

Arrays = dict[str, NDArray[Any]]
Column = NDArray[Any] | Sequence[str]  # numbers, or texts

NUMBER, TEXT = "number:", "text:"  # before the name of a column of metadata
ENDS = "ends:"  # before the name of texts
PLAIN_FIELDS = ("n_points", "n_draws", "design", "seed", "redraw")  # of a probe, as they are
VARIED = "varied"  # the block of programs with parameters


def pack_texts(name: str, texts: Sequence[str]) -> Arrays:
    """Texts as one run of bytes, and where each ends."""
    # In ASCII a character is a byte, so no text has to be encoded for its length.
    whole = "".join(texts)
    sizes = map(len, texts if whole.isascii() else map(_encode, texts))
    ends = np.cumsum(list(sizes), dtype=np.int64)
    return {name: np.frombuffer(_encode(whole), np.uint8), f"{ENDS}{name}": ends}


class Texts(Sequence[str]):
    """Texts on disk, decoded when they are asked for.

    Each of ``parts`` is a run of bytes, and where each text ends in it; errors name the folder.
    """

    def __init__(
        self, parts: Sequence[tuple[NDArray[np.uint8], NDArray[np.int64]]], folder: Path
    ) -> None:
        self._parts, self._folder = list(parts), folder
        self._firsts = [0]
        for _, ends in self._parts:
            self._firsts.append(self._firsts[-1] + len(ends))

    @classmethod
    def of(cls, store: Store, name: str) -> Texts:
        """The texts of that name in all batches that have them."""
        parts = [_text_arrays(batch, name) for batch in store.batches if name in batch]
        return cls(parts, store.path)

    def __len__(self) -> int:
        return self._firsts[-1]

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        run = bisect_right(self._firsts, number) - 1
        content, ends = self._parts[run]
        place = number - self._firsts[run]
        start, end = int(ends[place - 1]) if place else 0, int(ends[place])
        return self._decode(content.data, start, end)

    def __iter__(self) -> Iterator[str]:
        for content, ends in self._parts:
            whole, start = content.tobytes(), 0
            for end in ends.tolist():
                yield self._decode(whole, start, end)
                start = end

    def _decode(self, content: bytes | memoryview, start: int, end: int) -> str:
        try:
            if 0 <= start <= end <= len(content):
                return str(content[start:end], "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            pass
        raise DataError(f"{self._folder} is damaged: a text in it cannot be read")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Texts({len(self):,})"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def pack_programs(name: str, rows: Sequence[Program | Family]) -> Arrays:
    """Programs as one run of words, where each begins, and their numbers of parameters."""
    if not isinstance(rows, (PackedPrograms, ChainedPrograms)):
        programs = [row for row in rows if isinstance(row, Program)]
        if len(programs) != len(rows):
            raise DataError("callables cannot be written to disk; survey formulas only")
        rows = programs
    packed = PackedPrograms.of(rows)
    return {
        f"{name}_words": packed.words,
        f"{name}_starts": packed.starts,
        f"{name}_parameters": packed.n_parameters,
    }


def unpack_programs(store: Store, name: str) -> list[PackedPrograms]:
    """The programs of one block, batch by batch, none of them longer than the words that are there.

    The words themselves are checked by the engines, whenever they are run.
    """
    return [_checked_programs(batch, name) for batch in store.batches if f"{name}_words" in batch]


def _checked_programs(batch: Segment, name: str) -> PackedPrograms:
    programs = PackedPrograms(
        stored_array(batch, f"{name}_words", "<i4"),
        stored_array(batch, f"{name}_starts", "<i8"),
        stored_array(batch, f"{name}_parameters", "<i4"),
    )
    starts, counts = programs.starts, programs.n_parameters
    if len(starts) == len(counts) + 1 and starts[0] == 0 and starts[-1] == len(programs.words):
        lengths = np.diff(starts)
        # Each parameter has a word of its own: a wrong count must not ask for a million draws.
        least, most = (1, np.minimum(lengths, PARAMETERS.maximum)) if name == VARIED else (0, 0)
        if (lengths > 0).all() and ((counts >= least) & (counts <= most)).all():
            return programs
    raise DataError(f"{batch.path} is damaged: its programs cannot be read")


def stored_array(batch: Segment, name: str, dtype: str, *shape: int) -> NDArray[Any]:
    """An array of a batch, which must have this type and, behind the first axis, this shape."""
    array = batch[name] if name in batch else np.empty(())
    if array.dtype != np.dtype(dtype) or array.shape[1:] != shape or not array.ndim:
        raise DataError(f"{batch.path} is damaged: its {name!r} are not what they must be")
    return array


def check_columns(columns: Mapping[str, Sequence[Any]], count: int) -> dict[str, Column]:
    """Columns of metadata as numbers or as texts, with one entry for each source.

    None is a missing entry: NaN among numbers, an empty text among texts.

    >>> check_columns({"loss": [0.5, None], "source": ["a.csv", "b.csv"]}, 2)
    {'loss': array([0.5, nan]), 'source': ['a.csv', 'b.csv']}
    """
    checked: dict[str, Column] = {}
    for name, column in columns.items():
        if not isinstance(name, str) or not name:
            raise DataError(f"a column of metadata needs a name, got {name!r}")
        if len(column) != count:
            raise DataError(
                f"metadata {name!r} needs one entry for each of the {count} sources, "
                f"got {len(column)}"
            )
        checked[name] = _column(name, column)
    return checked


def _column(name: str, column: Sequence[Any]) -> Column:
    if isinstance(column, Texts):
        return column
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iufb":
        return column
    items = list(column)
    known = [item for item in items if item is not None]
    if known and all(isinstance(item, str) for item in known):
        return ["" if item is None else str(item) for item in items]
    try:
        if any(isinstance(item, str) for item in known):
            raise ValueError
        numbers = np.array([np.nan if item is None else item for item in items])
        if numbers.dtype.kind not in "iufb" or numbers.ndim != 1:
            raise ValueError
    except (TypeError, ValueError):
        kinds = ", ".join(sorted({type(item).__name__ for item in known}))
        raise DataError(f"metadata {name!r} must be numbers or texts, got {kinds}") from None
    return numbers


def pack_columns(columns: Mapping[str, Column], store: Store) -> Arrays:
    """Checked columns as arrays; an error if the store has texts where these have numbers."""
    arrays: Arrays = {}
    for name, column in columns.items():
        text, number = f"{TEXT}{name}", f"{NUMBER}{name}"
        if isinstance(column, np.ndarray):
            _refuse(text, f"metadata {name!r} is numbers here and texts in the atlas", store)
            arrays[number] = column
        else:
            _refuse(number, f"metadata {name!r} is texts here and numbers in the atlas", store)
            arrays |= pack_texts(text, column)
    return arrays


def _refuse(array: str, problem: str, store: Store) -> None:
    if any(array in batch for batch in store.batches):
        raise DataError(problem)


def unpack_columns(store: Store) -> dict[str, Column]:
    """The columns of all batches; where a batch lacks one, it is NaN or an empty text."""
    arrays = dict.fromkeys(name for batch in store.batches for name in batch)
    columns: dict[str, Column] = {}
    for array in arrays:
        if array.startswith(NUMBER):
            numbers = [_numbers(batch, array) for batch in store.batches]
            columns[array.removeprefix(NUMBER)] = np.concatenate(numbers)
        elif array.startswith(TEXT):
            texts = Texts([_texts(batch, array) for batch in store.batches], store.path)
            columns[array.removeprefix(TEXT)] = texts
    return columns


def _numbers(batch: Segment, array: str) -> NDArray[Any]:
    if array not in batch:
        return np.full(batch.count("places"), np.nan)
    return stored_array(batch, array, batch.places[array].dtype)


def _texts(batch: Segment, array: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    if array in batch:
        return _text_arrays(batch, array)
    return np.empty(0, np.uint8), np.zeros(batch.count("places"), np.int64)


def _text_arrays(batch: Segment, name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return stored_array(batch, name, "|u1"), stored_array(batch, f"{ENDS}{name}", "<i8")


def probe_to_plain(probe: Probe) -> dict[str, Any]:
    """A probe as JSON values. Laws other than uniform ranges are only described."""
    given = probe.parameters
    parameters = (
        {n: _plain_law(law) for n, law in given.items()}
        if isinstance(given, Mapping)
        else _plain_law(given)
    )
    return {
        "shown": repr(probe),
        "variables": list(probe.variables),
        "domain": [_plain_law(law) for law in probe.domain.values()]
        if probe.data is None
        else None,
        "data": None if probe.data is None else _encoded_points(probe.data),
        "parameters": parameters,
        "named": isinstance(given, Mapping),
        # JSON has no infinity.
        "limit": None if math.isinf(probe.limit) else probe.limit,
        "part": None if probe.part is None else list(probe.part),
        **{name: getattr(probe, name) for name in PLAIN_FIELDS},
    }


def probe_from_plain(plain: Mapping[str, Any]) -> Probe:
    """The probe that was made plain."""
    named, given = plain["named"], plain["parameters"]
    data = None if plain["data"] is None else _decoded_points(plain["data"], plain["n_points"])
    domain = dict.fromkeys(plain["variables"])
    if data is None:
        laws = [_range(law, plain) for law in plain["domain"]]
        domain = dict(zip(plain["variables"], laws, strict=True))
    else:
        data.setflags(write=False)
    return Probe(
        domain,
        {n: _range(law, plain) for n, law in given.items()} if named else _range(given, plain),
        data=data,
        limit=math.inf if plain["limit"] is None else plain["limit"],
        part=None if plain["part"] is None else tuple(plain["part"]),
        **{name: plain[name] for name in PLAIN_FIELDS},
    )


def _encoded_points(data: Floats) -> str:
    """Numbers as text: every bit, and quick to read for a million points."""
    return b64encode(np.ascontiguousarray(data, "<f8").tobytes()).decode("ascii")


def _decoded_points(text: str, n_points: int) -> Floats:
    return np.frombuffer(b64decode(text), "<f8").reshape(n_points, -1).astype(np.float64)


def _plain_law(law: Any) -> Any:
    if law is None:
        return None
    law = Law.of(law)
    return [law.low, law.high] if law.source is None else {"law": repr(law)}


def _range(plain: Any, probe: Mapping[str, Any]) -> Any:
    if isinstance(plain, Mapping):
        raise DataError(
            f"this atlas was made with {probe['shown']}, whose law {plain['law']} cannot be read "
            "from a file; give the probe: Atlas.open(path, probe=...)"
        )
    return None if plain is None else tuple(plain)
