"""The formulas of a collection that the page shows, and what is known of each.

The page knows a formula by its place among those that are shown: of an atlas with more formulas
than a map can hold, evenly chosen ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.errors import DataError, SymbedError
from symbed.formula_files.formulas import Formulas
from symbed.language.parser import parse
from symbed.limits import PAGE_FORMULAS
from symbed.web.collection import Collection
from symbed.web.views.formula_names import describe

LONGEST_TEXT = 240  # characters of each formula in the lists; the chosen one is shown whole


@dataclass(frozen=True)
class ShownFormulas:
    """The shown formulas of an observed collection.

    Attributes
    ----------
    atlas : Atlas
        All formulas that were observed.
    file : Formulas or None
        What the file tells about them; None for an atlas.
    """

    atlas: Atlas
    file: Formulas | None = None

    @classmethod
    def of(cls, collection: Collection) -> ShownFormulas:
        """Those of a collection that was observed before."""
        if collection.atlas is None:
            raise DataError("this collection has no probe to observe a formula with")
        return cls(collection.atlas, collection.formulas)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def rows(self) -> Integers:
        """The place of each in the atlas."""
        n = len(self.atlas)
        shown = min(n, PAGE_FORMULAS.maximum)
        return np.arange(shown, dtype=np.int64) * n // max(shown, 1)

    @property
    def texts(self) -> list[str]:
        """Each in our own language, cut where it is long."""
        labels = self.atlas.labels
        return [_cut(labels[row]) for row in self.rows.tolist()]

    @property
    def losses(self) -> Floats | None:
        """The loss of each, NaN where it is unknown; None if none is known."""
        return self._figures("loss")

    @property
    def complexities(self) -> tuple[Floats, str]:
        """The complexity of each, or its number of nodes where nothing is told; and which."""
        told = self._figures("complexity")
        if told is not None:
            return told, "complexity"
        if self.file is not None:
            sizes = np.array([one.size for one in self.file.expressions], np.float64)
            return sizes[self._file_rows], "nodes"
        labels = self.atlas.labels
        return np.array([_size(labels[row]) for row in self.rows.tolist()]), "nodes"

    @property
    def lines(self) -> Integers | None:
        """The line of each in its file."""
        if self.file is None:
            return None
        return np.array(self.file.lines, np.int64)[self._file_rows]

    def describe(self, place: int) -> dict[str, Any]:
        """All there is to say of one formula."""
        row = int(self.rows[place])
        text = self.atlas.label(row)
        told: dict[str, Any] = {"text": text, "written": None, "line": None, "columns": {}}
        if self.file is not None:
            at = int(self._file_rows[place])
            told["line"] = self.file.lines[at]
            told["written"] = self.file.written[at] if self.file.written[at] != text else None
            told["columns"] = {name: cells[at] for name, cells in self.file.columns.items()}
        else:
            told["columns"] = self.atlas.metadata_of(row)
        try:
            reading = describe(parse(text))
        except SymbedError:  # a callable's label is no formula
            reading = {"mathml": "", "size": None}
        return told | {"mathml": reading["mathml"], "size": reading["size"]}

    @cached_property
    def _file_rows(self) -> Integers:
        """The place of each among the formulas of the file: not all could be observed."""
        assert self.file is not None
        unseen = np.array([line.line - 1 for line in self.atlas.skipped], np.int64)
        return np.delete(np.arange(len(self.file)), unseen)[self.rows]

    def _figures(self, name: str) -> Floats | None:
        if self.file is not None:
            column = self.file.losses if name == "loss" else self.file.complexities
            known = None if column is None else column[self._file_rows]
        else:
            cells = self.atlas.metadata.get(name)
            numeric = isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu"
            known = np.asarray(cells, np.float64)[self.rows] if numeric else None
        if known is None or not np.isfinite(known).any():
            return None
        return np.where(np.isfinite(known), known, np.nan)


def _cut(text: str) -> str:
    return (
        text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}\N{HORIZONTAL ELLIPSIS}"
    )


def _size(label: str) -> float:
    try:
        return float(parse(label).size)
    except SymbedError:
        return float("nan")
