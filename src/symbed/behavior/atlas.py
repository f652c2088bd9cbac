"""Atlas: many behaviors at the same points, each distinct one kept once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from symbed._export import data_frame
from symbed._types import Floats, Integers
from symbed.behavior.behavior import Behavior, require_same_points
from symbed.behavior.distinct_rows import DistinctRows, SourceGroups
from symbed.errors import DataError, UnfinishedSurvey
from symbed.formula_files.formulas import FormulaStream
from symbed.language.names import clean_name
from symbed.language.operators import BY_NAME, TABLE

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike

    from symbed.behavior.observation import Source
    from symbed.behavior.store.segments import Store
    from symbed.progress import Shown
    from symbed.sampling.probe import Probe


@dataclass(frozen=True)
class Skipped:
    """A source that could not be read: its number (from 1), its text and the error's words."""

    line: int
    text: str
    error: str


@dataclass(frozen=True, eq=False, repr=False)
class Atlas:
    """Many behaviors observed at the same points.

    Sources that behave alike for certain (equal up to commutativity) share one behavior.

    Attributes
    ----------
    points : (n_points, n_variables) array
        Where they were observed.
    n_draws : int
        Number of draws of each behavior.
    sources : sequence
        What was observed, in the order given.
    numbers : (n_sources,) array
        Which of the distinct behaviors each source has.
    rows : DistinctRows
        The distinct behaviors.
    probe : Probe or None
        How they were observed; None for behaviors that came from samples.
    skipped : sequence of Skipped
        Sources that could not be read.
    metadata : mapping of str to columns
        Columns for the sources, such as a loss: an array of numbers, or a sequence of texts.
    store : Store or None
        The folder that it was opened from, if any.
    texts : sequence of str or None
        The sources once more, if all are known to be texts; nobody has to look then.
    is_unfinished : bool
        Whether these are the first sources of a survey that was interrupted.
    """

    points: Floats
    n_draws: int
    sources: Sequence[Source | Behavior]
    numbers: Integers
    rows: DistinctRows
    probe: Probe | None = None
    skipped: Sequence[Skipped] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    store: Store | None = None
    texts: Sequence[str] | None = None
    is_unfinished: bool = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        probe: Probe | None = None,
        *,
        verify: bool = False,
        accept: bool = False,
    ) -> Atlas:
        """Open an atlas on disk; its arrays are mapped to memory, not read.

        Warns (``UnfinishedSurvey``) if the survey that wrote it was interrupted.

        Parameters
        ----------
        path : str or Path
            The folder.
        probe : Probe, optional
            Needed only where the domain has laws other than uniform ranges.
        verify : bool
            Read everything once and compare it with the digests made when it was written.
        accept : bool
            End a survey that was interrupted: from now on what is there counts as the whole.
        """
        from symbed.behavior.store.atlas_reader import open_atlas

        if accept:
            from symbed.behavior.store.atlas_folder import accept_survey

            accept_survey(path)
        return open_atlas(path, probe, verify=verify)

    def save(self, path: str | Path) -> Atlas:
        """Write the atlas to a new folder; gives the atlas opened from there."""
        from symbed.behavior.store.atlas_folder import save_atlas

        return save_atlas(self, path)

    def append(
        self,
        sources: Iterable[Source] | PathLike[str] | str | FormulaStream,
        *,
        dialect: str | None = None,
        metadata: Mapping[str, Iterable[Any]] | None = None,
        workers: int | None = None,
        executor: Executor | None = None,
        progress: Shown = None,
        errors: Literal["raise", "skip"] = "raise",
    ) -> Atlas:
        """Observe more sources with the same probe and add them to the atlas on disk.

        All of them are added or none, also if the process is killed. Gives the larger atlas; this
        one stays as it is. The arguments are those of ``survey``.
        """
        from symbed.behavior.store.atlas_folder import append_to_atlas
        from symbed.behavior.surveying import Options, open_sources, warn_of_reading

        options = Options(workers, executor, progress, errors)
        if isinstance(sources, FormulaStream):
            columns = {**sources.columns, **(metadata or {})}
            return append_to_atlas(self, sources, columns, options)
        if self.probe is None:
            raise DataError("this atlas is not on disk; write it there with save(path)")
        with open_sources(sources, self.probe, dialect) as stream:
            columns = {**stream.columns, **(metadata or {})}
            atlas = append_to_atlas(self, stream, columns, options)
        warn_of_reading(stream)
        return atlas

    def with_metadata(self, **columns: Sequence[Any]) -> Atlas:
        """The same atlas, in memory, with more columns; each has one entry for every source."""
        from symbed.behavior.store.encoding import check_columns

        checked = check_columns(columns, len(self))
        return replace(self, metadata={**self.metadata, **checked})

    @classmethod
    def from_behaviors(cls, behaviors: Sequence[Behavior]) -> Atlas:
        """An atlas of behaviors that were observed one by one, at the same points."""
        if not behaviors:
            raise DataError("an atlas needs at least one behavior")
        first = behaviors[0]
        # One output stands for any number of draws.
        sizes = sorted({len(b.outputs) for b in behaviors} - {1})
        if len(sizes) > 1:
            raise DataError(f"behaviors in one atlas need one number of draws, got {sizes}")
        for behavior in behaviors[1:]:
            require_same_points(first, behavior)
        rows, numbers = DistinctRows.of(behaviors)
        n_draws = max(b.n_draws for b in behaviors)
        return cls(first.points, n_draws, list(behaviors), numbers, rows)

    @property
    def labels(self) -> Sequence[str]:
        """What results call each source."""
        if self.texts is not None:
            return self.texts
        return [label_of(source) for source in self.sources]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The free parameters that the sources have, each name once, in order of appearance."""
        if self.probe is None or self.probe.parameters is None:
            return ()  # without ranges, no source may have any
        names = chain.from_iterable(map(_names, self.sources if self.texts is None else self.texts))
        variables = set(self.probe.variables)
        return tuple(name for name in dict.fromkeys(names) if name not in variables)

    @property
    def extent(self) -> str:
        """How many sources there are, in words: also that there should be more."""
        what = "of an unfinished survey" if self.is_unfinished else "expressions"
        return f"{len(self):,} {what}"

    @property
    def n_distinct(self) -> int:
        """Number of distinct behaviors, counting those equal up to commutativity once."""
        return len(self.rows)

    @property
    def keep(self) -> Literal["behaviors", "programs"]:
        """What is kept of each distinct behavior: its outputs, or the program that remakes them."""
        return "behaviors" if self.rows.keeps_outputs else "programs"

    @cached_property
    def source_groups(self) -> SourceGroups:
        """Which sources share a distinct behavior."""
        return SourceGroups.of(self.numbers, self.n_distinct)

    def label(self, number: int) -> str:
        """What results call one source."""
        return label_of(self.sources[number])

    def metadata_of(self, number: int) -> dict[str, Any]:
        """What the columns say of one source."""
        cells = ((name, column[number]) for name, column in self.metadata.items())
        # JSON cannot write NumPy's integers and truth values.
        return {name: cell.item() if hasattr(cell, "item") else cell for name, cell in cells}

    def to_dict(self) -> dict[str, Any]:
        """What there is to say of the whole, ready for JSON; not the behaviors themselves."""
        return {
            "n_expressions": len(self),
            "unfinished": self.is_unfinished,
            "n_distinct": self.n_distinct,
            "keep": self.keep,
            "n_skipped": len(self.skipped),
            "skipped": [vars(line) for line in self.skipped],
            "metadata": list(self.metadata),
            "parameters": list(self.parameters),
            "n_points": len(self.points),
            "n_draws": self.n_draws,
            "seed": self.probe.seed if self.probe else None,
            "design": self.probe.design if self.probe else None,
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each source: its label and its columns of metadata."""
        return data_frame({"label": list(self.labels)} | dict(self.metadata))

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, number: int) -> Behavior:
        from symbed.behavior.observation import Observed

        source = self.sources[number]
        if isinstance(source, Behavior):
            return source
        outputs, counts = self.rows.take_one(int(self.numbers[number]))
        origin = Observed(source, self.probe) if self.probe else None
        return Behavior(outputs, counts, self.n_draws, self.points, label_of(source), origin)

    def __iter__(self) -> Iterator[Behavior]:
        return (self[number] for number in range(len(self)))

    def _repr_html_(self) -> str:
        from symbed._notebook import atlas_html

        return atlas_html(self)

    def __repr__(self) -> str:
        size = f"{len(self.points)} points x {self.n_draws} draws"
        skipped = f", {len(self.skipped):,} skipped" if self.skipped else ""
        kept = "" if self.keep == "behaviors" else ", kept as programs"
        return f"Atlas({self.extent}, {self.n_distinct:,} distinct, {size}{skipped}{kept})"


def warn_of_unfinished(atlas: Atlas, stacklevel: int = 3) -> None:
    """Warn whoever uses an atlas that its survey was interrupted."""
    if not atlas.is_unfinished:
        return
    path = atlas.store.path if atlas.store else None
    warning = UnfinishedSurvey(
        f"{path or 'this atlas'} holds {atlas.extent}; survey the same sources again to go on"
        + (", or end it: Atlas.open(path, accept=True)" if path else "")
    )
    warning.in_command = (
        f"{path} holds {atlas.extent}; run the same survey again to go on, "
        f"or end it: symbed survey -o {path} --accept"
    )
    warnings.warn(warning, stacklevel=stacklevel + 1)


def label_of(source: Source | Behavior) -> str:
    """What results call a source: its label, or its text."""
    if isinstance(source, str):
        return source
    if isinstance(source, (list, tuple)):
        return " ".join(source)
    return str(getattr(source, "label", source))


# A name in a text of ours: no function, no constant, no part of a number such as 1e5.
_CONSTANTS = "|".join(
    word for row in TABLE if row.form == "constant" for word in (row.name, *row.spellings)
)
# Possessive, or else the engine would give back letters until "si" of "sin(" passes for a name.
_NAME = re.compile(rf"(?<![\w.])(?!(?:{_CONSTANTS})\b)[^\W\d]\w*+(?!\s*\()")


def _names(source: Source | Behavior) -> Sequence[str]:
    """The names of variables and parameters in a source."""
    if isinstance(source, str):
        names = _NAME.findall(source)
        # Other alphabets have several spellings of one name, such as subscripts.
        return names if source.isascii() else list(map(clean_name, names))
    if isinstance(source, (list, tuple)):
        return [token for token in source if _NAME.fullmatch(token) and token not in BY_NAME]
    return tuple(getattr(source, "names", getattr(source, "parameters", ())))
