"""The verb ``survey``: observe any stream of sources with one probe, as an atlas.

Streams are read once, in numbered chunks of bounded size.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, cast

from symbed import limits
from symbed.behavior.atlas import Atlas, label_of, warn_of_unfinished
from symbed.behavior.behavior import Behavior
from symbed.behavior.collector import Collector, Errors, Keep
from symbed.behavior.observation import Observer, Source
from symbed.errors import DataError, RangeError, ShapeError, SymbedError
from symbed.formula_files.dialect_choice import ReadAs, Watched
from symbed.formula_files.formulas import Formulas, FormulaStream, open_formulas
from symbed.parallel import open_executor
from symbed.progress import Progress, Shown
from symbed.sampling.probe import Probe

CHUNK = 2048  # sources read at once
CHUNK_TEXT = 1 << 22  # characters read at once, but for the last few sources
CHUNK_OUTPUTS = 1 << 22  # outputs of the sources read at once
READ_AHEAD = 256  # sources between two looks at the number of characters
MIN_OUTPUTS = 64  # that a source counts for: the outputs of fewer are smaller than its text


@dataclass(frozen=True)
class Options:
    """How sources are surveyed, checked once; the arguments of ``survey``."""

    workers: int | None = None
    executor: Executor | None = None
    progress: Shown = None
    errors: Errors = "raise"
    keep: Keep | None = None

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "skip"):
            raise RangeError(f"errors must be 'raise' or 'skip', got {self.errors!r}")
        if self.keep not in (None, "behaviors", "programs"):
            raise RangeError(f"keep must be 'behaviors', 'programs' or None, got {self.keep!r}")

    def counter(self, total: int | None) -> Progress:
        """What counts the sources that are done."""
        return Progress("survey", total, self.progress)


def survey(
    sources: Iterable[Source] | PathLike[str] | str | FormulaStream,
    probe: Probe,
    *,
    dialect: str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    errors: Errors = "raise",
    keep: Keep | None = None,
    metadata: Mapping[str, Iterable[Any]] | None = None,
    out: str | Path | None = None,
) -> Atlas:
    """Observe many expressions with one probe.

    Parameters
    ----------
    sources : iterable of str, token lists, Expression or Family
        Read once and only as far as needed; an open file works. Blank lines and lines that start
        with ``#`` are passed over. Also the path of a file, a table or a column of pandas or
        polars, or what `read_formulas` gave; other columns become metadata.
    probe : Probe
        Where to look.
    dialect : str, optional
        Whose formulas texts are, such as ``gplearn``; ``infix`` is our own language. By default
        their words and names tell, as in `read_formulas`; if they are another tool's, and mean
        something else than in our own language, a warning tells so.
    workers : int, optional
        Number of threads; all cores by default, as for -1. The numbers do not depend on it.
    executor : Executor, optional
        Who evaluates, instead of threads: anything with the interface of ``concurrent.futures``,
        such as Dask's ``client.get_executor()``. The numbers do not depend on it either.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, False never; a callable is called with the
        number of sources read so far, now and then.
    errors : {"raise", "skip"}
        ``"raise"`` stops at the first source that cannot be read; the exception carries its
        ``line`` number and, as ``finished``, everything observed before it. ``"skip"`` goes on and
        lists it in ``Atlas.skipped``.
    keep : {"behaviors", "programs"}, optional
        ``"behaviors"`` evaluates now and keeps the outputs, 16 KB for each distinct expression with
        parameters at 64 x 32. ``"programs"`` keeps a hundred bytes, and outputs are evaluated when
        they are needed. The numbers are the same. By default behaviors, or programs where the
        outputs of all sources would pass ``symbed.limits.KEPT`` (from 32,769 sources on at 64 x
        32); ``Atlas.keep`` tells. A survey that is taken up again goes on as it was begun.
    metadata : mapping of str to iterable, optional
        Columns with a number or a text for every source given, such as ``{"loss": losses}``; what
        belongs to a source that is passed over is left out.
    out : str or Path, optional
        A folder to write the atlas to, batch by batch, in bounded memory. Killed and called again
        with the same sources, it goes on where it was; until then whoever opens it is warned.

    Examples
    --------
    >>> survey(["a*x + b", "b + a*x", "sin(x)"], Probe({"x": (1, 5)}, parameters=(1, 5)))
    Atlas(3 expressions, 2 distinct, 64 points x 32 draws)
    """
    if not isinstance(sources, FormulaStream):
        with open_sources(sources, probe, dialect) as stream:
            atlas = survey(
                stream, probe, workers=workers, executor=executor, progress=progress,
                errors=errors, keep=keep, metadata=metadata, out=out,
            )  # fmt: skip
        warn_of_reading(stream)
        return atlas
    metadata = {**sources.columns, **(metadata or {})}
    options = Options(workers, executor, progress, errors, keep)
    chosen, sources = (keep, sources) if keep else choose_kept(sources, probe)
    if out is not None:
        from symbed.behavior.store.atlas_folder import survey_to_disk

        return survey_to_disk(sources, probe, Path(out), metadata, options, chosen)
    with (
        options.counter(sources.total) as counter,
        open_executor(workers, executor) as pool,
        closing(Collector(Observer(probe), pool, errors, chosen)) as collector,
    ):
        chunks = SourceStream(sources.sources, probe, metadata, counter.advance)
        try:
            (batch,) = collector.batches(chunks, whole=True)
        except SymbedError as error:
            error.finished = replace(collector.flush().atlas(probe), is_unfinished=True)
            raise
    if not batch.sources and not batch.skipped:
        raise DataError("there is nothing to survey: no expression was given")
    return batch.atlas(probe)


@contextmanager
def open_sources(sources: Any, probe: Probe, dialect: str | None) -> Iterator[FormulaStream]:
    """What a user gave to be surveyed, as a stream of formulas."""
    if not isinstance(probe, Probe):
        raise ShapeError(f"probe must be a Probe, got {type(probe).__name__}")
    if isinstance(sources, str) and "\n" not in sources and not Path(sources).is_file():
        raise ShapeError(
            "sources are many expressions, such as a list, a table or the path of a file, "
            f"got {sources!r:.40}"
        )
    with open_formulas(sources, dialect=dialect, domain=probe.variables) as stream:
        yield stream


def warn_of_reading(stream: FormulaStream) -> None:
    """Warn of what a caller in Python must know of how texts were read."""
    told = [f"the formulas were read as {stream.dialect}"] if stream.differs else []
    for sentence in (*told, *stream.notes):
        warnings.warn(ReadAs(sentence), stacklevel=3)


def as_atlas(
    given: Atlas | Behavior | Iterable[Source | Behavior],
    probe: Probe | None = None,
    *,
    verb: str,
    wanted: str = "an Atlas or behaviors",
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> Atlas:
    """What a verb on many was given, as an atlas; sources are surveyed with the probe.

    Errors tell ``verb`` and ``wanted``: who asks, and for what.
    """
    if isinstance(given, Atlas):
        own = given.probe and given.probe.unordered_fingerprint
        if probe is not None and probe.unordered_fingerprint != own:
            raise RangeError(f"{verb} was given an Atlas, which has a probe; leave out probe=...")
        warn_of_unfinished(given)
        return given
    if isinstance(given, Behavior):
        return Atlas.from_behaviors([given])
    if isinstance(given, (str, PathLike)) and Path(given).is_dir():
        return Atlas.open(Path(given), probe)
    got = type(given).__name__
    is_source = isinstance(given, (Iterable, PathLike)) and not isinstance(given, bytes)
    # An iterator can be read once only, and is looked through for behaviors first.
    if is_source and not isinstance(given, (list, tuple)) and not _is_text_or_table(given):
        given = list(given)
    if isinstance(given, (list, tuple)) and given and all(isinstance(o, Behavior) for o in given):
        return Atlas.from_behaviors(given)
    if is_source and probe is not None:
        return survey(given, probe, workers=workers, executor=executor, progress=progress)  # type: ignore[arg-type]
    raise ShapeError(
        f"{verb} needs {wanted}, got {got}; "
        "make one with survey(expressions, probe), or give probe=... with a list of expressions"
    )


def _is_text_or_table(given: object) -> bool:
    return isinstance(given, (str, PathLike, Formulas, Mapping)) or hasattr(given, "columns")


def choose_kept(formulas: FormulaStream, probe: Probe) -> tuple[Keep, FormulaStream]:
    """Outputs while those of all sources would fit ``limits.KEPT``, else programs.

    Sources count, not what is distinct among them, so that the choice is made before the work. A
    stream of unknown length is read ahead as far as the choice needs; the stream that is given
    back has what was read in front.
    """
    # Without ranges no source may have parameters, and each has one output at a point.
    n_draws = probe.n_draws if probe.laws else 1
    most = limits.KEPT.maximum // max(MIN_OUTPUTS, probe.n_points * n_draws)
    total = formulas.total
    if total is None:
        head, rest = _read_ahead(formulas.sources, most + 1)
        total, formulas = len(head), replace(formulas, sources=chain(head, rest))
    return "behaviors" if total <= most else "programs", formulas


def _read_ahead(sources: Iterator[Any], n: int) -> tuple[list[Any], Iterator[Any]]:
    """At most n sources, and the rest; an error comes where it belongs, after what is before it."""
    head: list[Any] = []
    try:
        head.extend(islice(sources, n))
    except SymbedError as error:
        return head, _raising(error)
    return head, sources


def _raising(error: SymbedError) -> Iterator[Any]:
    raise error
    # Never reached: it makes this a generator, which raises when the stream gets here.
    yield


@dataclass(frozen=True)
class Chunk:
    """Some consecutive sources, texts without blanks around them."""

    line: int  # the number of the first source, from 1
    sources: list[Source]
    columns: Mapping[str, list[Any]] = field(default_factory=dict)  # metadata of each source
    # The sources, a line each; for what is no text a question mark, which is no formula.
    text: str = ""
    is_plain: bool = True  # whether all sources are texts

    @property
    def texts(self) -> Sequence[str]:
        """The lines of the text."""
        return cast("list[str]", self.sources) if self.is_plain else _texts(self.sources)

    @property
    def last(self) -> int:
        """Number of the last source."""
        return self.line + len(self.sources) - 1


class SourceStream(Iterator[Chunk]):
    """Sources, read once and only as far as needed.

    Where chunks end depends on the sources and the probe alone, so that a survey that is taken up
    again meets the same chunks. The columns of metadata have an entry for every source given.
    ``advance`` is told how many sources were done, chunk by chunk. ``digested`` makes the digest by
    which a survey that is taken up again knows its sources.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        probe: Probe,
        columns: Mapping[str, Iterable[Any]] | None = None,
        advance: Callable[[int], None] | None = None,
        *,
        digested: bool = False,
    ) -> None:
        if isinstance(sources, (str, bytes)) or not isinstance(sources, Iterable):
            raise ShapeError(
                f"sources are many expressions, such as a list or an open file, got {sources!r:.40}"
            )
        # Of watched formulas many are checked at once: their text is joined here anyway.
        self._watched = sources if isinstance(sources, Watched) else None
        self._stream = iter(sources) if self._watched is None else self._watched.unchecked
        self._columns = {name: iter(column) for name, column in (columns or {}).items()}
        self._advance, self._under_way = advance, 0
        self._size = max(1, min(CHUNK, CHUNK_OUTPUTS // (probe.n_points * probe.n_draws)))
        self._digest = blake2b(digest_size=16) if digested else None
        self.lines = 0  # number of sources read so far

    @property
    def digest(self) -> str:
        """A digest of all sources read so far; empty if none is made."""
        return self._digest.hexdigest() if self._digest else ""

    def skip(self, lines: int, digest: str) -> bool:
        """Read over sources that were read before; tells whether they are the same."""
        while self.lines < lines and next(self, None):
            pass
        return lines == 0 or (self.lines == lines and self.digest == digest)

    def __next__(self) -> Chunk:
        if self._under_way and self._advance:
            self._advance(self._under_way)  # the chunk before is done
        chunk = self._read_chunk()
        self._under_way = len(chunk.sources)
        if not chunk.sources:
            self._require_end()
            raise StopIteration
        self._digest_sources(chunk)
        self.lines = chunk.last
        return chunk

    def _read_chunk(self) -> Chunk:
        """The next sources, until there are enough of them or of their characters."""
        sources: list[Source] = []
        texts: list[str] = []
        n_text, is_plain = 0, True
        while len(sources) < self._size and n_text < CHUNK_TEXT:
            some = list(islice(self._stream, min(READ_AHEAD, self._size - len(sources))))
            if not some:
                break
            try:
                plain = list(map(str.strip, some))
                sources += plain
            except TypeError:  # not all of them are texts
                stripped = [s.strip() if isinstance(s, str) else s for s in some]
                sources += stripped
                plain, is_plain = _texts(stripped), False
            texts.append(_joined(plain))
            n_text += len(texts[-1])
        columns = {name: self._take(name, len(sources)) for name in self._columns if sources}
        text = "".join(texts)
        if self._watched is not None and self._watched.may_be_in(text):
            sources = list(map(self._watched.checked, sources))
            is_plain, text = False, _joined(_texts(sources))
        return Chunk(self.lines + 1, sources, columns, text, is_plain)

    def _take(self, name: str, count: int) -> list[Any]:
        column = list(islice(self._columns[name], count))
        if len(column) < count:
            raise DataError(f"metadata {name!r} has only {self.lines + len(column)} entries")
        return column

    def _require_end(self) -> None:
        for name, column in self._columns.items():
            # The stream itself is the mark for "nothing left": no entry of a column can be it.
            if next(column, self) is not self:
                raise DataError(f"metadata {name!r} has more entries than the {self.lines} sources")

    def _digest_sources(self, chunk: Chunk) -> None:
        if self._digest is None:
            return
        # The chunk's text has "?" for what is no text, which would not tell two such sources apart.
        text = chunk.text if chunk.is_plain else _joined([label_of(s) for s in chunk.sources])
        self._digest.update(text.encode("utf-8", "surrogatepass"))


def _texts(sources: Sequence[Source]) -> list[str]:
    return [source if isinstance(source, str) else "?" for source in sources]


def _joined(texts: Sequence[str]) -> str:
    return "\n".join([*texts, ""])
