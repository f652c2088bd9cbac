"""The collector of a survey: gathers sources into batches, each distinct program once."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from symbed._types import Counts, Floats, Integers
from symbed.behavior.atlas import Atlas, Skipped, label_of
from symbed.behavior.distinct_rows import Block, DistinctRows, Recomputed, Stored
from symbed.behavior.observation import Family, Observer, Source
from symbed.engine.backend import active_backend
from symbed.engine.catalog import BLANK, Catalog
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.errors import SymbedError
from symbed.parallel import WorkQueue
from symbed.sampling.probe import Probe

if TYPE_CHECKING:
    from symbed.behavior.surveying import Chunk

Errors = Literal["raise", "skip"]
Keep = Literal["behaviors", "programs"]

# A batch is full when one of these is passed.
BATCH_SOURCES = 1 << 18
BATCH_TEXT = 1 << 26  # characters
BATCH_OUTPUTS = 1 << 25  # 256 MB

# Programs remembered to find repeated ones: some 400 MB at most.
MAX_KNOWN = 2_000_000
MAX_WORDS = 1 << 26

BLOCK = 512  # rows evaluated in one call, a millisecond or so
BLOCK_OUTPUTS = 1 << 20  # or fewer, if they have more outputs than this: 8 MB
PENDING = 16  # blocks under way at once; bounds the memory of a stream


@dataclass(frozen=True, eq=False)
class Batch:
    """Sources with their places, and the rows that are new in this batch."""

    sources: list[Source]
    places: Integers  # of each source's row, counting from the first batch on; see ``DistinctRows``
    rows: DistinctRows
    skipped: Sequence[Skipped]
    columns: Mapping[str, list[Any]]  # metadata of the sources
    known_from: tuple[int, int]  # the first row of each kind that is still remembered
    is_plain: bool = False  # whether all sources are known to be texts

    def atlas(self, probe: Probe) -> Atlas:
        """The atlas of a first batch, whose places all lie in it."""
        texts = cast("list[str]", self.sources) if self.is_plain else None
        columns: Mapping[str, Any] = {}
        if self.columns:
            # Late: the store's modules take longer to import than a thousand formulas to survey.
            from symbed.behavior.store.encoding import check_columns

            columns = check_columns(self.columns, len(self.sources))
        return Atlas(
            probe.points, probe.n_draws, self.sources, self.rows.numbers_at(self.places), self.rows,
            probe, self.skipped, columns, texts=texts,
        )  # fmt: skip


class Collector:
    """Gathers sources: distinct rows go to an executor in blocks, results come back in order."""

    def __init__(self, observer: Observer, executor: Executor, errors: Errors, keep: Keep) -> None:
        self._observer, self._errors = observer, errors
        self._catalog = active_backend().catalog(observer.roles)
        self._evaluators = [
            RowEvaluator(
                self._catalog, observer, executor, evaluate=keep == "behaviors", varied=varied
            )
            for varied in (False, True)
        ]
        self._known_from, self._known_words = (0, 0), 0
        self._clear()

    def resume(
        self, known_from: tuple[int, int], packs: tuple[list[PackedPrograms], list[PackedPrograms]]
    ) -> None:
        """Go on after rows that were collected before; remember those that would be known.

        ``known_from`` is that of the last batch, ``packs`` are all rows so far, without and with
        parameters.
        """
        # Numbers must go on as if never interrupted: what was forgotten then stays forgotten.
        self._catalog.forget(*known_from)
        for first, rows in zip(known_from, packs, strict=True):
            start = 0
            for pack in rows:
                if start + len(pack) > first:
                    known = pack.part(max(0, first - start), len(pack))
                    self._catalog.recall(known)
                    self._known_words += len(known.words)
                start += len(pack)
        self._known_from = known_from
        for evaluator in self._evaluators:
            evaluator.begin()

    def batches(self, chunks: Iterable[Chunk], *, whole: bool = False) -> Iterator[Batch]:
        """A batch whenever one is full, and what is left at the end; with ``whole``, only that."""
        for chunk in chunks:
            self.add(chunk)
            if self._is_full and not whole:
                yield self.flush()
        yield self.flush()

    def add(self, chunk: Chunk) -> None:
        """Take some sources in."""
        places = np.full(len(chunk.sources), BLANK)
        self._is_plain &= chunk.is_plain
        try:
            self._catalog.read(chunk.texts, partial(self._ask, chunk), places, chunk.text)
        finally:  # what was read before an error counts as finished
            self._keep(chunk, places)
        self._n_text += len(chunk.text)
        for evaluator in self._evaluators:
            evaluator.evaluate_whole_blocks()

    def flush(self) -> Batch:
        """Everything taken in since the last time."""
        places = np.concatenate(self._places) if self._places else np.empty(0, np.int64)
        rows = DistinctRows(*(evaluator.flush() for evaluator in self._evaluators))
        self._known_words += sum(evaluator.n_words for evaluator in self._evaluators)
        self._forget_if_too_much()
        batch = Batch(
            self._sources, places, rows, self._skipped, self._columns, self._known_from,
            self._is_plain,
        )  # fmt: skip
        self._clear()
        return batch

    def close(self) -> None:
        """Stop what is still under way."""
        for evaluator in self._evaluators:
            evaluator.cancel()

    @property
    def _is_full(self) -> bool:
        return (
            len(self._sources) + len(self._skipped) >= BATCH_SOURCES
            or self._n_text >= BATCH_TEXT
            or sum(evaluator.n_outputs for evaluator in self._evaluators) >= BATCH_OUTPUTS
        )

    def _clear(self) -> None:
        self._sources: list[Source] = []
        self._places: list[Integers] = []
        self._skipped: list[Skipped] = []
        self._columns: dict[str, list[Any]] = {}
        self._n_text, self._is_plain = 0, True

    def _forget_if_too_much(self) -> None:
        """Bound the memory; programs that come again are then kept twice, which costs only room."""
        counts = (self._evaluators[0].count(), self._evaluators[1].count())
        if sum(counts) - sum(self._known_from) > MAX_KNOWN or self._known_words > MAX_WORDS:
            self._catalog.forget(*counts)
            self._known_from, self._known_words = counts, 0

    def _keep(self, chunk: Chunk, places: Integers) -> None:
        """Keep the sources that have a place."""
        # ASK and BLANK are the two smallest integers: every real place, also a negative one, is
        # above.
        kept = places > BLANK
        chosen = None if kept.all() else kept.tolist()
        self._places.append(places[kept] if chosen else places)
        self._sources += compress(chunk.sources, chosen) if chosen else chunk.sources
        for name, column in chunk.columns.items():
            self._columns.setdefault(name, []).extend(
                compress(column, chosen) if chosen else column
            )

    def _ask(self, chunk: Chunk, number: int) -> int:
        """The place of a source that is not plain text; none if it is to be skipped."""
        source = chunk.sources[number]
        try:
            return self._place(self._observer.row(source))
        except SymbedError as error:
            line = chunk.line + number
            if self._errors == "raise":
                raise _located(error, line, source) from None
            words = str(error).split("\n")[0]
            self._skipped.append(Skipped(line, label_of(source), words))
            return BLANK

    def _place(self, row: Program | Family) -> int:
        if isinstance(row, Program):
            return self._catalog.intern(row)
        return self._evaluators[bool(row.parameters)].reserve(row)


def _located(error: SymbedError, line: int, source: Source) -> SymbedError:
    """The error with its line."""
    error.add_note(f"in line {line}: {label_of(source)[:80]}")
    error.line = line
    return error


class RowEvaluator:
    """The rows of one kind since the last flush: evaluated in blocks, in order.

    The catalog numbers them. ``evaluate`` says whether that is done now, or left to whoever asks
    for outputs; ``varied`` whether these are the rows with parameters.
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
        # What came before goes first: blocks come back in the order of their rows.
        self._submit(number)
        # No program begins with a negative word, so these bytes are nobody's; the number tells them
        # apart.
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
        # Waiting for the oldest block bounds the memory, and results stay in order.
        if self._queue.full:
            self._segments.append(self._queue.next())
        self._queue.submit(self._observer.evaluate, rows)
