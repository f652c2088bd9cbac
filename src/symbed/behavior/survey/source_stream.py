"""Any stream of sources, read once in numbered chunks of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any, cast

from symbed.behavior.atlas import label_of
from symbed.behavior.observation import Source
from symbed.errors import DataError, ShapeError
from symbed.formula_files.dialect_choice import Watched
from symbed.sampling.probe import Probe

CHUNK = 2048  # sources read at once
CHUNK_TEXT = 1 << 22  # characters read at once, but for the last few sources
CHUNK_OUTPUTS = 1 << 22  # outputs of the sources read at once
READ_AHEAD = 256  # sources between two looks at the number of characters


@dataclass(frozen=True)
class Chunk:
    """Some consecutive sources, texts without blanks around them.

    Attributes
    ----------
    line : int
        Number of the first source, from 1.
    sources : list
        What was given.
    columns : mapping of str to list
        Metadata of each source.
    text : str
        The sources, a line each; for what is no text a question mark, which is no formula.
    is_plain : bool
        Whether all sources are texts.
    """

    line: int
    sources: list[Source]
    columns: Mapping[str, list[Any]] = field(default_factory=dict)
    text: str = ""
    is_plain: bool = True

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
    again meets the same chunks.

    Parameters
    ----------
    sources : iterable
        Texts and whatever else can be observed.
    probe : Probe
        Decides how many sources make a chunk.
    columns : mapping of str to iterable, optional
        Metadata: for each name an entry for every source given.
    advance : callable, optional
        Told how many sources were done, chunk by chunk.
    digested : bool
        Make the digest by which a survey that is taken up again knows its sources.

    Attributes
    ----------
    lines : int
        Number of sources read so far.
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
        self.lines = 0

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
