"""Collecting: numbered sources go in; batches of distinct rows, evaluated or not, come out."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.atlas import Atlas, Skipped, label_of
from symbed.behavior.behavior import Counts, Floats
from symbed.behavior.blocks import Block, Recomputed, Stored
from symbed.behavior.family import Family
from symbed.behavior.observation import Observer, Source
from symbed.engine.catalogue import ASK, BLANK, Catalogue, make_catalogue
from symbed.engine.program import Program
from symbed.errors import SymbedError
from symbed.sampling.probe import Probe

Errors = Literal["raise", "skip"]
Keep = Literal["behaviors", "programs"]

CHUNK = 2048  # sources read at once
BLOCK = 512  # programs evaluated in one call: a millisecond or so, 8 MB of outputs at 64 x 32
MOST_KNOWN = 2_000_000  # programs remembered to find repeated ones: some 300 MB


def chunks(sources: Iterable[Source]) -> Iterator[tuple[int, list[Source]]]:
    """Sources by the thousand, each chunk with the number of its first one, from 1."""
    stream, line = iter(sources), 1
    while chunk := list(islice(stream, CHUNK)):
        yield line, chunk
        line += len(chunk)


@dataclass(frozen=True, eq=False)
class Batch:
    """Sources with their places, and the rows that are new in this batch."""

    sources: list[Source]
    places: NDArray[np.int64]
    fixed: Block
    varied: Block
    skipped: tuple[Skipped, ...]

    def atlas(self, probe: Probe) -> Atlas:
        """The atlas of a first batch, whose places all lie in it."""
        return Atlas(
            probe.points, probe.n_draws, self.sources, self.places, self.fixed, self.varied,
            probe, self.skipped,
        )  # fmt: skip


class Collector:
    """Gathers sources: distinct rows go to the pool in blocks, results come back in order.

    Parameters
    ----------
    observer : reads, compiles and evaluates.
    pool : the threads that evaluate.
    errors : ``"raise"`` or ``"skip"``.
    keep : ``"behaviors"`` or ``"programs"``.
    n_fixed, n_varied : how many rows there are already, of those kinds.
    """

    def __init__(
        self,
        observer: Observer,
        pool: ThreadPoolExecutor,
        errors: Errors,
        keep: Keep,
        n_fixed: int = 0,
        n_varied: int = 0,
    ) -> None:
        self._observer, self._errors = observer, errors
        self._catalogue = make_catalogue(observer.roles)
        self._catalogue.forget(n_fixed, n_varied)
        self._forgotten = n_fixed + n_varied
        self._fixed = _Shelf(self._catalogue, observer, pool, keep, varied=False)
        self._varied = _Shelf(self._catalogue, observer, pool, keep, varied=True)
        self._clear()

    def add(self, line: int, chunk: list[Source]) -> None:
        """Take some sources in; ``line`` is the number of the first."""
        texts = [source if isinstance(source, str) else "0" for source in chunk]
        places = self._catalogue.read(texts)
        plain = all(map(_is_text, chunk)) and not (places <= BLANK).any()
        if not plain:
            chunk, places = self._resolve(line, chunk, places)
        self._sources.extend(chunk)
        self._places.append(places)
        self._fixed.evaluate_whole_blocks()
        self._varied.evaluate_whole_blocks()

    def flush(self) -> Batch:
        """Everything taken in since the last time."""
        places = np.concatenate(self._places) if self._places else np.empty(0, np.int64)
        fixed, varied = self._fixed.flush(), self._varied.flush()
        batch = Batch(self._sources, places, fixed, varied, tuple(self._skipped))
        self._clear()
        counts = [self._catalogue.count(varied=varied) for varied in (False, True)]
        if sum(counts) - self._forgotten > MOST_KNOWN:
            # Programs seen before are then kept twice, which costs only room.
            self._catalogue.forget(*counts)
            self._forgotten = sum(counts)
        return batch

    @property
    def n_waiting(self) -> int:
        """Number of sources since the last flush."""
        return len(self._sources) + len(self._skipped)

    @property
    def n_outputs(self) -> int:
        """Number of outputs that the rows since the last flush have or will have."""
        probe = self._observer.probe
        return (self._varied.n_new * probe.n_draws + self._fixed.n_new) * probe.n_points

    def _clear(self) -> None:
        self._sources: list[Source] = []
        self._places: list[NDArray[np.int64]] = []
        self._skipped: list[Skipped] = []

    def _resolve(
        self, line: int, chunk: list[Source], places: NDArray[np.int64]
    ) -> tuple[list[Source], NDArray[np.int64]]:
        """Go through a chunk that is not all plain text, source by source."""
        kept: list[Source] = []
        found: list[int] = []
        for number, (source, place) in enumerate(zip(chunk, places.tolist(), strict=True)):
            text = source.strip() if isinstance(source, str) else None
            if text is not None and (not text or text.startswith("#")):
                continue
            if text is None or place == ASK:
                try:
                    place = self._place(self._observer.row(source if text is None else text))
                except SymbedError as error:
                    self._sources.extend(kept)
                    self._places.append(np.array(found, np.int64))
                    kept, found = [], []
                    self._fail(line + number, source, error)
                    continue
            kept.append(source if text is None else text)
            found.append(place)
        return kept, np.array(found, np.int64)

    def _place(self, row: Program | Family) -> int:
        if isinstance(row, Program):
            return self._catalogue.intern(row)
        shelf = self._varied if row.parameters else self._fixed
        number = shelf.reserve(row)
        return -1 - number if row.parameters else number

    def _fail(self, line: int, source: Source, error: SymbedError) -> None:
        """Skip a source, or raise its error with its line and everything observed before it."""
        if self._errors == "raise":
            error.add_note(f"in line {line}: {label_of(source)[:80]}")
            error.line = line
            error.finished = self.flush().atlas(self._observer.probe)
            raise error
        self._skipped.append(Skipped(line, label_of(source).strip(), str(error).split("\n")[0]))


class _Shelf:
    """The rows of one kind since the last flush: evaluated in blocks, in order."""

    PENDING = 16  # blocks under way at once; bounds the memory of a stream

    def __init__(
        self,
        catalogue: Catalogue,
        observer: Observer,
        pool: ThreadPoolExecutor,
        keep: Keep,
        *,
        varied: bool,
    ) -> None:
        self._catalogue, self._observer, self._pool = catalogue, observer, pool
        self._keep, self._is_varied = keep, varied
        self._families: dict[int, Family] = {}
        self._begin()

    @property
    def n_new(self) -> int:
        """Number of rows since the last flush."""
        return self._count() - self._first

    def reserve(self, family: Family) -> int:
        """Give a callable a row of its own, under a program that nobody else can have."""
        number = self._count()
        mark = Program(struct.pack("=qq", -1, number), int(self._is_varied))
        self._catalogue.intern(mark)
        self._families[number] = family
        return number

    def evaluate_whole_blocks(self) -> None:
        """Send rows to the pool, as many whole blocks as there are."""
        while self._keep == "behaviors" and self._count() - self._submitted >= BLOCK:
            self._submit(self._submitted + BLOCK)

    def flush(self) -> Block:
        """The rows since the last flush."""
        last = self._count()
        rows = self._rows(self._first, last)
        if self._keep == "programs":
            self._begin()
            return Recomputed(rows, self._observer)
        if last > self._submitted:
            self._submit(last)
        segments = self._segments + [running.result() for running in self._running]
        self._begin()
        values, defined = zip(*segments, strict=True) if segments else ((), ())
        return Stored(tuple(values), tuple(defined), rows)

    def _begin(self) -> None:
        self._first = self._submitted = self._count()
        self._running: deque[Future[tuple[Floats, Counts]]] = deque()
        self._segments: list[tuple[Floats, Counts]] = []

    def _count(self) -> int:
        return self._catalogue.count(varied=self._is_varied)

    def _rows(self, first: int, last: int) -> Sequence[Program | Family]:
        packed = self._catalogue.programs(first, last, varied=self._is_varied)
        if not any(first <= number < last for number in self._families):
            return packed
        return [self._families.get(first + place, row) for place, row in enumerate(packed)]

    def _submit(self, last: int) -> None:
        rows = self._rows(self._submitted, last)
        self._running.append(self._pool.submit(self._observer.evaluate, rows))
        self._submitted = last
        while len(self._running) > self.PENDING:
            self._segments.append(self._running.popleft().result())


def _is_text(source: Source) -> bool:
    return isinstance(source, str)
