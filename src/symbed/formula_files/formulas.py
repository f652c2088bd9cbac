"""``Formulas``: what was read of a file or table, as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from symbed._export import data_frame
from symbed.formula_files.table_rows import Cell
from symbed.language.expression import Expression
from symbed.language.unreadable import Unreadable

if TYPE_CHECKING:
    from symbed._types import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Formulas(Sequence[Expression]):
    """The formulas of a file or table: a sequence of expressions, and what is known of each.

    Attributes
    ----------
    expressions : tuple of Expression
        What each formula means.
    labels : tuple of str
        Each in our own language, as it was written where that means the same.
    written : tuple of str
        Each as the file has it.
    lines : tuple of int
        Where each stands in its file, or among what was given, from 1.
    columns : mapping of str to tuple
        The other columns of a table, their names in lower case.
    notes : tuple of str
        What must be told of each although it could be read; mostly empty.
    dialect : str
        Whose formulas they were read as.
    reason : str
        Why as these, in words; empty if the dialect was asked for.
    skipped : tuple of Unreadable
        What could not be read, under ``errors="skip"``.
    """

    expressions: tuple[Expression, ...]
    labels: tuple[str, ...]
    written: tuple[str, ...]
    lines: tuple[int, ...]
    columns: Mapping[str, tuple[Cell, ...]]
    notes: tuple[str, ...]
    dialect: str
    reason: str = ""
    skipped: tuple[Unreadable, ...] = ()

    def __len__(self) -> int:
        return len(self.expressions)

    @overload
    def __getitem__(self, index: int) -> Expression: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Expression, ...]: ...
    def __getitem__(self, index: int | slice) -> Expression | tuple[Expression, ...]:
        return self.expressions[index]

    def __repr__(self) -> str:
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"Formulas({len(self)} read as {self.dialect}{skipped})"

    @property
    def losses(self) -> Floats | None:
        """The column ``loss``, NaN where a row has none; None without that column."""
        return self._numbers("loss")

    @property
    def complexities(self) -> Floats | None:
        """The column ``complexity``, NaN where a row has none; None without that column."""
        return self._numbers("complexity")

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, each of them once."""
        return tuple(dict.fromkeys(filter(None, self.notes)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, one row for each formula."""
        return {
            "dialect": self.dialect,
            "reason": self.reason,
            "notes": list(self.remarks),
            "formulas": [
                {"line": line, "text": label, "written": written}
                | {name: column[row] for name, column in self.columns.items()}
                for row, (line, label, written) in enumerate(
                    zip(self.lines, self.labels, self.written, strict=True)
                )
            ],
            "skipped": [
                {"line": one.line, "text": one.label, "error": str(one.error).split("\n")[0]}
                for one in self.skipped
            ],
        }

    def to_frame(self) -> Any:
        """A pandas table with a row for each formula."""
        return data_frame(self.to_dict()["formulas"])

    def _numbers(self, name: str) -> Floats | None:
        import numpy as np

        column = self.columns.get(name)
        if column is None or any(isinstance(cell, str) for cell in column):
            return None
        return np.array([np.nan if cell is None else cell for cell in column], np.float64)
