"""Evaluation of the rows of a catalog in blocks, on an executor, while more are being read."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from concurrent.futures import Executor

from symbed._types import Counts, Floats
from symbed.behavior.distinct_rows import Block, Recomputed, Stored
from symbed.behavior.family import Family
from symbed.behavior.observation import Observer
from symbed.engine.catalog import Catalog
from symbed.engine.program import Program
from symbed.parallel import WorkQueue

BLOCK = 512  # rows evaluated in one call, a millisecond or so
BLOCK_OUTPUTS = 1 << 20  # or fewer, if they have more outputs than this: 8 MB
PENDING = 16  # blocks under way at once; bounds the memory of a stream


class RowEvaluator:
    """The rows of one kind since the last flush: evaluated in blocks, in order.

    Parameters
    ----------
    catalog : Catalog
        Numbers the rows.
    observer : Observer
        Evaluates them.
    executor : Executor
        Where they are evaluated.
    evaluate : bool
        Evaluate now, or leave it to whoever asks for outputs.
    varied : bool
        Which kind of rows: those with parameters, or those without.
    """

    def __init__(
        self,
        catalog: Catalog,
        observer: Observer,
        executor: Executor,
        *,
        evaluate: bool,
        varied: bool,
    ) -> None:
        self._catalog, self._observer = catalog, observer
        self._evaluate, self._is_varied = evaluate, varied
        probe = observer.probe
        self._row_outputs = probe.n_points * (probe.n_draws if varied else 1)
        self._block = max(1, min(BLOCK, BLOCK_OUTPUTS // self._row_outputs))
        self._queue: WorkQueue[tuple[Floats, Counts]] = WorkQueue(executor, PENDING)
        self.n_words = 0
        self.begin()

    def begin(self) -> None:
        """Start anew with the rows that come now."""
        self._first = self._submitted = self.count()
        self._segments: list[tuple[Floats, Counts]] = []
        self._families: dict[int, Family] = {}

    def count(self) -> int:
        """Number of rows so far, those of earlier batches included."""
        return self._catalog.count(varied=self._is_varied)

    @property
    def n_outputs(self) -> int:
        """Number of outputs that the rows since the last flush have or will have."""
        return (self.count() - self._first) * self._row_outputs if self._evaluate else 0

    def reserve(self, family: Family) -> int:
        """Give a callable a row of its own, under a program that nobody else can have.

        It is also a block of its own: calling it may take long. Returns its place.
        """
        number = self.count()
        self._submit(number)
        mark = Program(struct.pack("=qq", -1, number), int(self._is_varied))
        place = self._catalog.intern(mark)
        self._families[number] = family
        self._submit(number + 1)
        return place

    def evaluate_whole_blocks(self) -> None:
        """Give rows to the executor, as many whole blocks as there are."""
        while self._evaluate and self.count() - self._submitted >= self._block:
            self._submit(self._submitted + self._block)

    def flush(self) -> Block:
        """The rows since the last flush; ``n_words`` is then the length of their code."""
        last = self.count()
        self._submit(last)
        packed = self._catalog.programs(self._first, last, varied=self._is_varied)
        self.n_words = len(packed.words)
        rows: Sequence[Program | Family] = packed
        if self._families:
            rows = [self._families.get(self._first + n, row) for n, row in enumerate(packed)]
        while self._queue:
            self._segments.append(self._queue.next())
        values, defined = zip(*self._segments, strict=True) if self._segments else ((), ())
        self.begin()
        if self._evaluate:
            return Stored(tuple(values), tuple(defined), rows)
        return Recomputed(rows, self._observer)

    def cancel(self) -> None:
        """Forget what is under way."""
        self._queue.cancel()

    def _submit(self, last: int) -> None:
        """Give the rows up to ``last`` to the executor."""
        first, self._submitted = self._submitted, last
        if not self._evaluate or last <= first:
            return
        rows: Sequence[Program | Family]
        if last - first == 1 and first in self._families:
            rows = [self._families[first]]
        else:
            rows = self._catalog.programs(first, last, varied=self._is_varied)
        if self._queue.full:
            self._segments.append(self._queue.next())
        self._queue.submit(self._observer.evaluate, rows)
